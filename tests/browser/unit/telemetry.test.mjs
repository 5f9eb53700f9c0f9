// The telemetry of a device as tracks: texts, ranges, scales, and gaps while the device is not read.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createReadings } from '../../../static/modules/lab/readings.js';
import { telemetryNotes, tracksOf } from '../../../static/modules/text/telemetry.js';

const plainText = (text) => text.replaceAll('\u00a0', ' ');
const at = (seconds, telemetry) => ({ time: seconds * 1000, telemetry });
const window = (end) => ({ end: end * 1000, span: 100_000 });

test('there are tracks only for values that the device reports', () => {
  assert.deepEqual(tracksOf([], {}, window(0)), []);
  const tracks = tracksOf([at(0, { utilization_gpu: 0, power_w: 350, power_limit_w: 700, temperature_c: null })], {}, window(0));
  assert.deepEqual(tracks.map(({ title, text, range }) => [title, plainText(text), plainText(range)]), [
    ['GPU utilization', '0 %', '0 %'],
    ['Power', '350 of 700 W', '350 W'],
  ]);
});

test('a track has the last value, the range, and its points from 0 to 1', () => {
  const [power] = tracksOf([at(50, { power_w: 700, power_limit_w: 700 }), at(52, { power_w: 350, power_limit_w: 700 })], {}, window(100));
  assert.equal(plainText(power.text), '350 of 700 W');
  assert.equal(plainText(power.range), '350 to 700 W');
  assert.deepEqual(power.segments.map((points) => points.map(([x, y]) => [Number(x.toFixed(3)), y])), [[[0.5, 1], [0.52, 0.5]]]);
});

test('a scale without a limit ends at the highest value; clocks end at the highest clock of the device', () => {
  const [clock] = tracksOf([at(0, { sm_clock_mhz: 990 })], { clock_hz: 1.98e9 }, window(0));
  assert.deepEqual(clock.segments, [[[1, 0.5]]]);
  const [unlimited] = tracksOf([at(0, { power_w: 70, power_limit_w: null })], {}, window(0));
  assert.deepEqual([plainText(unlimited.text), unlimited.segments], ['70 W', [[[1, 1]]]]);
  const [unknown] = tracksOf([at(0, { sm_clock_mhz: 0 })], {}, window(0));
  assert.deepEqual(unknown.segments, [[[1, 0]]]);
});

test('a track is broken where the device was not read, and older readings are left out', () => {
  const readings = [0, 50, 52, 80, 82].map((time) => at(time, { utilization_gpu: time }));
  const [track] = tracksOf(readings, {}, window(101));
  assert.deepEqual(track.segments.map((points) => points.map(([, y]) => y * 100)), [[50, 52], [80, 82]]);
});

test('notes name the current PCIe link and the processes', () => {
  assert.deepEqual(telemetryNotes(null), []);
  assert.deepEqual(telemetryNotes({ pcie_generation: 4, pcie_width: 8, processes: 1 }), ['PCIe gen 4 ×8 now', '1 process on it']);
  assert.deepEqual(telemetryNotes({ processes: 0 }), ['no process on it']);
});

test('readings are kept in order, once, and for their time', () => {
  const readings = createReadings(10_000);
  const add = (seconds, now) => readings.add('a', { at: new Date(seconds * 1000).toISOString() }, now);
  for (const seconds of [1, 3, 3, 2, 12]) add(seconds, 0);
  assert.deepEqual(readings.of('a').map(({ time }) => time), [3000, 12000]);
  assert.deepEqual(readings.of('b'), []);
  readings.add('a', null);
  assert.equal(readings.of('a').length, 2);
});

test('the time of the lab follows the reading that arrived fastest', () => {
  const readings = createReadings();
  assert.equal(readings.time(500), 500);
  readings.add('a', { at: new Date(1000).toISOString() }, 61_500);
  readings.add('a', { at: new Date(2000).toISOString() }, 62_100);
  assert.equal(readings.time(70_100), 10_000);
});
