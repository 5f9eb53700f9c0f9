// Which measurements form a line, and how lines are told apart.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as lib from '../../../static/modules/series.js';

const AXES = [
  { name: 'direction', title: 'Direction' },
  { name: 'memory', title: 'Host memory' },
  { name: 'engine', title: 'Engine' },
  { name: 'bytes', title: 'Size', unit: 'B' },
];
const VIEW = { name: 'bandwidth', kind: 'line', metric: 'bandwidth', x: 'bytes', log_x: true, log_y: true };

const point = (direction, memory, bytes, median, more) => ({
  axes: { direction, memory, engine: 'copy', bytes },
  metric: 'bandwidth',
  unit: 'GB/s',
  median,
  q1: median * 0.9,
  q3: median * 1.1,
  skipped: null,
  ...more,
});

const MEASURED = [
  point('h2d', 'pinned', 4096, 3),
  point('h2d', 'pinned', 1024, 1),
  point('d2h', 'pinned', 1024, 1.5),
  point('h2d', 'pageable', 1024, 0.5),
  point('d2h', 'pageable', 4096, 0.7),
  point('d2h', 'pageable', 16384, null, { skipped: 'too large' }),
  { axes: { direction: 'h2d', memory: 'pinned' }, metric: 'latency', unit: 's', median: 1e-5, skipped: null },
];

const grouped = lib.seriesOf(VIEW, MEASURED, AXES);

test('one line for each combination of the axes that vary', () => {
  assert.deepEqual(
    grouped.series.map(({ label }) => label),
    ['host → device · pinned', 'device → host · pinned', 'host → device · pageable', 'device → host · pageable'],
  );
  assert.deepEqual(
    grouped.series[0].points.map(({ x }) => x),
    [1024, 4096],
  );
  assert.deepEqual(grouped.constant, [{ axis: AXES[2], value: 'copy' }]);
  assert.deepEqual(
    grouped.varying.map(({ name }) => name),
    ['direction', 'memory'],
  );
});

test('colour follows the first axis that varies, dash the others', () => {
  assert.deepEqual(
    grouped.series.map(({ colour, dash }) => [colour, dash]),
    [
      [0, 0],
      [1, 0],
      [0, 1],
      [1, 1],
    ],
  );
});

test('with one varying axis colour and dash go together', () => {
  const { series } = lib.seriesOf(
    VIEW,
    MEASURED.filter(({ axes }) => axes.memory === 'pinned'),
    AXES,
  );
  assert.deepEqual(
    series.map(({ colour, dash }) => [colour, dash]),
    [
      [0, 0],
      [1, 1],
    ],
  );
});

test('axes that a running run sweeps vary from its first point on', () => {
  const swept = { direction: ['h2d', 'd2h'], memory: ['pinned'], engine: ['copy'] };
  const { series, varying } = lib.seriesOf(VIEW, [point('h2d', 'pinned', 1, 1)], AXES, swept);
  assert.deepEqual(
    varying.map(({ name }) => name),
    ['direction'],
  );
  assert.equal(series[0].label, 'host → device');
});

test('with more lines than dashes, dash and marker together still tell them apart', () => {
  const axes = [
    { name: 'direction', title: 'Direction' },
    { name: 'chunks', title: 'Chunks' },
  ];
  const measured = Array.from({ length: 24 }, (_, chunks) =>
    ['h2d', 'd2h'].map((direction) => ({ ...point(direction, '', 1, 1), axes: { direction, chunks, bytes: 1 } })),
  ).flat();
  const looks = lib
    .seriesOf(VIEW, measured, axes)
    .series.map(({ colour, dash, marker }) => `${colour} ${dash} ${marker}`);
  assert.equal(new Set(looks).size, 48);
});

test('skipped points stand apart with their reason', () => {
  assert.equal(grouped.skipped.length, 1);
  assert.equal(grouped.skipped[0].skipped, 'too large');
});

test('a point measured again keeps the later value', () => {
  const { series } = lib.seriesOf(VIEW, [point('h2d', 'pinned', 1, 1), point('h2d', 'pinned', 1, 2)], AXES);
  assert.deepEqual(
    series[0].points.map(({ measurement }) => measurement.median),
    [2],
  );
});

test('an axis that only some measurements have varies', () => {
  const measured = [
    point('h2d', 'pinned', 1, 1),
    { ...point('h2d', 'pinned', 1, 2), axes: { direction: 'h2d', memory: 'pinned', bytes: 1 } },
  ];
  const { series, varying } = lib.seriesOf(VIEW, measured, AXES);
  assert.deepEqual(
    varying.map(({ name }) => name),
    ['engine'],
  );
  assert.equal(series.length, 2);
});

test('numbers and yes or no carry their axis in the label', () => {
  const axes = [
    { name: 'streams', title: 'Streams' },
    { name: 'in_order', title: 'In order' },
  ];
  const words = lib.labelOf({ axes: { streams: 4, in_order: true } }, axes);
  assert.equal(words, 'streams 4 · in order yes');
});

test('columns align all lines on one x and leave out what has no logarithm', () => {
  const series = lib.seriesOf(
    VIEW,
    [...MEASURED, point('h2d', 'pinned', 0, 5), point('h2d', 'pageable', 4096, 0)],
    AXES,
  ).series;
  const [xs, q1, q3, median, , , other] = lib.columns(series, VIEW);
  assert.deepEqual(xs, [1024, 4096]);
  assert.deepEqual(median, [1, 3]);
  assert.deepEqual(q1, [0.9, 2.7]);
  assert.ok(Math.abs(q3[1] - 3.3) < 1e-12);
  assert.deepEqual(other, [1.5, null]);
  assert.equal(lib.columns(series, VIEW).at(-1 - 3)[1], null, 'zero has no place on a logarithmic axis');
});

test('a derived value without quartiles has a band of no width', () => {
  const series = lib.seriesOf(VIEW, [point('h2d', 'pinned', 1, 2, { q1: null, q3: null })], AXES).series;
  assert.deepEqual(lib.columns(series, VIEW), [[1], [2], [2], [2]]);
});

test('what no view shows is found', () => {
  assert.deepEqual(
    lib.outsideViews(MEASURED, [VIEW]).map(({ metric }) => metric),
    ['latency'],
  );
});

test('a line over a single size becomes bars', () => {
  assert.equal(lib.kindFor(VIEW, grouped.series), 'line');
  assert.equal(lib.kindFor(VIEW, lib.seriesOf(VIEW, [point('h2d', 'pinned', 1, 1)], AXES).series), 'bars');
  assert.equal(lib.kindFor({ kind: 'table' }, grouped.series), 'table');
});

test('each peak is named once', () => {
  const peak = { value: 63, what: 'PCIe gen5 x16, one direction' };
  const { series } = lib.seriesOf(
    VIEW,
    [point('h2d', 'pinned', 1, 1, { peak }), point('h2d', 'pinned', 2, 1, { peak: { ...peak } })],
    AXES,
  );
  assert.deepEqual(lib.peaksOf(series), [peak]);
});

test('an axis that only some have tells apart only where no other does', () => {
  const within = { ...point('d2d', 'x', 1024, 9), axes: { direction: 'd2d', bytes: 1024 } };
  const { varying, constant } = lib.splitAxes([point('h2d', 'pinned', 1024, 1), within], AXES, 'bytes');
  assert.deepEqual(
    varying.map(({ name }) => name),
    ['direction'],
  );
  assert.deepEqual(
    constant.map(({ axis, value }) => [axis.name, value]),
    [
      ['memory', 'pinned'],
      ['engine', 'copy'],
    ],
  );
});

test('places that differ only in numbers are one place with a range', () => {
  const text = (value) => value.replaceAll('\u00a0', ' ');
  const list = lib.places(
    [point('h2d', 'pinned', 1024, 1), point('h2d', 'pinned', 4096, 1), point('d2h', 'pinned', 4096, 1)],
    [AXES[0], AXES[3]],
  );
  assert.deepEqual(
    list.map(({ words, measurements }) => [text(words), measurements.length]),
    [
      ['host → device · 1 KiB to 4 KiB', 2],
      ['device → host · 4 KiB', 1],
    ],
  );
  assert.deepEqual(
    lib.places([point('h2d', 'pinned', 1024, 1)], []).map(({ words }) => words),
    [''],
  );
});

test('texts on the axis keep the order in which they were measured, and weight 0 is a word', () => {
  const view = { kind: 'bars', metric: 'time', x: 'variant' };
  const axes = ['variant', 'chunks', 'weight'].map((name) => ({ name, title: name, unit: null }));
  const measured = ['sequential', 'depth-first', 'breadth-first'].flatMap((variant) =>
    [4, 8].map((chunks) => ({ metric: 'time', axes: { variant, chunks, weight: 0 }, median: 1, skipped: null })),
  );
  const { series, constant } = lib.seriesOf(view, measured, axes);
  assert.deepEqual(
    series.map(({ label, points }) => [label, points.map(({ x }) => x)]),
    [4, 8].map((chunks) => [`chunks ${chunks}`, ['sequential', 'depth-first', 'breadth-first']]),
  );
  assert.equal(lib.labelOf({ axes: { weight: 0 } }, [constant[0].axis]), 'weight balanced');
});
