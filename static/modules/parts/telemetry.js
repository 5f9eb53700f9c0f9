// Live telemetry of a device: each figure with its value and a small chart of the last minutes.

import { sparkline } from '../charts/sparkline.js';
import { arrange, h, repeatWhileVisible, replace } from '../dom.js';
import { labTime, readingsOf, SPAN_MS, watchReadings } from '../lab/readings.js';
import { limitsOf } from '../results/cautions.js';
import { valueText } from '../text/displaynames.js';
import { telemetryNotes, tracksOf } from '../text/telemetry.js';
import { oncePerFrame } from '../throttle.js';
import { relativeTime } from './status.js';

const MOVE_MS = 2_000; // the charts move also while no reading arrives

/** Returns {element, update(device)}; `device` as in the API. The charts follow the readings by themselves until
 * `signal` is aborted; `update` is for what else the device reports. */
export function telemetry(device, signal) {
  const figures = new Map(); // name -> figure()
  const list = h('dl', { class: 'telemetry-figures' });
  const notes = h('p', { class: 'aside telemetry-notes row baseline' });
  const element = h('div', { class: 'telemetry' }, list, notes);
  let shown = device;

  const draw = oncePerFrame(() => {
    const tracks = tracksOf(readingsOf(device.id), shown.properties ?? {}, { end: labTime(), span: SPAN_MS });
    for (const track of tracks) {
      if (!figures.has(track.name)) figures.set(track.name, figure(track.title));
      figures.get(track.name).update(track);
    }
    arrange(
      list,
      tracks.map(({ name }) => figures.get(name).element),
    );
  }, signal);

  watchReadings(draw, signal);
  repeatWhileVisible(draw, MOVE_MS, signal);
  return {
    element,
    update(next) {
      shown = next;
      replace(notes, notesOf(next));
      draw();
    },
  };
}

/** What the charts do not show, as children of a paragraph. */
function notesOf({ telemetry: reading }) {
  if (!reading) return 'No telemetry is read from this device.';
  const texts = ['Charts: the last 5 minutes', ...telemetryNotes(reading)];
  return [
    reading.throttled_by?.length ? h('span', { class: 'tag warn' }, `throttled: ${reading.throttled_by.join(', ')}`) : null,
    ...limitsOf(reading).map((reason) => h('span', { class: 'tag' }, valueText('throttle', reason))),
    reading.stale
      ? h('span', {}, 'Charts: the last 5 minutes · Not read during a measurement; last reading ', relativeTime(reading.at), '.')
      : h('span', {}, texts.join(' · ')),
  ];
}

function figure(title) {
  const chart = sparkline();
  const text = h('span', { class: 'telemetry-value' });
  const range = h('span', { class: 'aside telemetry-range' });
  const element = h(
    'div',
    { class: 'telemetry-figure' },
    h('dt', { class: 'aside' }, title),
    h('dd', {}, text, chart.element, range),
  );
  let written = '';
  return {
    element,
    update(track) {
      chart.update(track.segments);
      const all = `${track.text}|${track.range}`;
      if (all === written) return;
      written = all;
      text.textContent = track.text;
      range.textContent = track.range;
    },
  };
}
