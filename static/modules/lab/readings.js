// The telemetry of the last minutes, by device. It is kept for all views, so that a chart is not empty when a view
// opens.

import * as events from './events.js';

/** How long a reading is kept. */
export const SPAN_MS = 5 * 60_000;

/** A store of readings: {add(id, telemetry, now), of(id), time(now)}. `time` is the time of the lab, which can differ
 * from the browser's; both are in ms. */
export function createReadings(span = SPAN_MS) {
  const byDevice = new Map();
  let ahead = Infinity; // how much the browser's clock is ahead of the lab's, from the reading that arrived fastest
  return {
    add(id, telemetry, now = Date.now()) {
      const time = Date.parse(telemetry?.at);
      if (Number.isNaN(time)) return;
      ahead = Math.min(ahead, now - time);
      const list = byDevice.get(id) ?? [];
      if (list.length && time <= list.at(-1).time) return;
      byDevice.set(id, [...list.filter((reading) => reading.time > time - span), { time, telemetry }]);
    },
    of: (id) => byDevice.get(id) ?? [],
    time: (now = Date.now()) => (Number.isFinite(ahead) ? now - ahead : now),
  };
}

const readings = createReadings();
const watchers = new Set();

export const readingsOf = readings.of;
export const labTime = readings.time;

/** Adds the telemetry of `devices`: documents of the API, or those of an event, which have only id and telemetry. */
export function addReadings(devices) {
  for (const { id, telemetry } of devices) if (telemetry) readings.add(id, telemetry);
  watchers.forEach((watcher) => watcher());
}

/** Calls `watcher()` when there are new readings, until `signal` is aborted. */
export function watchReadings(watcher, signal) {
  watchers.add(watcher);
  signal.addEventListener('abort', () => watchers.delete(watcher));
}

/** Keeps the readings of the event stream from now on. Called once, when the page starts. */
export function followReadings() {
  events.on('device.telemetry', ({ devices }) => addReadings(devices));
}
