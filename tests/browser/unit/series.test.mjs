// Which measurements form a series, and how series are distinguished by label, colour, dash and marker.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as lib from '../../../static/modules/results/series.js';

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

test('there is one series for each combination of the axes that vary', () => {
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

test('a style depends on the values of the axes, not on which series a view shows', () => {
  const all = lib.seriesOf(VIEW, MEASURED, AXES).series;
  const reversed = lib.seriesOf(VIEW, [...MEASURED].reverse(), AXES, {}, { all: MEASURED }).series;
  const styleOf = ({ key, colour, dash, marker }) => [key, colour, dash, marker].join();
  assert.deepEqual(new Set(reversed.map(styleOf)), new Set(all.map(styleOf)));
  const byMemory = lib.seriesOf(VIEW, MEASURED, AXES, {}, { colour: 'memory' });
  assert.equal(byMemory.coloured.name, 'memory');
});

test('with one varying axis, each of its values has its own colour and its own dash', () => {
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

test('axes swept by an unfinished run vary from the first point on', () => {
  const swept = { direction: ['h2d', 'd2h'], memory: ['pinned'], engine: ['copy'] };
  const { series, varying } = lib.seriesOf(VIEW, [point('h2d', 'pinned', 1, 1)], AXES, swept);
  assert.deepEqual(
    varying.map(({ name }) => name),
    ['direction'],
  );
  assert.equal(series[0].label, 'host → device');
});

test('with more series than dashes, dash and marker together still distinguish them', () => {
  const axes = [
    { name: 'direction', title: 'Direction' },
    { name: 'chunks', title: 'Chunks' },
  ];
  const measured = Array.from({ length: 24 }, (_, chunks) =>
    ['h2d', 'd2h'].map((direction) => ({ ...point(direction, '', 1, 1), axes: { direction, chunks, bytes: 1 } })),
  ).flat();
  const styles = lib
    .seriesOf(VIEW, measured, axes)
    .series.map(({ colour, dash, marker }) => `${colour} ${dash} ${marker}`);
  assert.equal(new Set(styles).size, 48);
});

test('skipped points are in a separate list, with their reason', () => {
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

test('numbers and booleans have the title of their axis in the label', () => {
  const axes = [
    { name: 'streams', title: 'Streams' },
    { name: 'in_order', title: 'In order' },
  ];
  const words = lib.labelOf({ axes: { streams: 4, in_order: true } }, axes);
  assert.equal(words, 'streams 4 · in order yes');
});

test('a line chart over fewer than three values is drawn as bars', () => {
  const over = (...xs) => lib.seriesOf(VIEW, xs.map((x) => point('h2d', 'pinned', x, 1)), AXES).series;
  assert.deepEqual([over(1), over(1, 2), over(1, 2, 3)].map((series) => lib.chartKind(VIEW, series)), ['bars', 'bars', 'line']);
  assert.equal(lib.chartKind({ kind: 'table' }, over(1, 2, 3)), 'table');
});

test('each peak is listed once', () => {
  const peak = { value: 63, what: 'PCIe gen5 x16, one direction' };
  const { series } = lib.seriesOf(
    VIEW,
    [point('h2d', 'pinned', 1, 1, { peak }), point('h2d', 'pinned', 2, 1, { peak: { ...peak } })],
    AXES,
  );
  assert.deepEqual(lib.peaksOf(series), [peak]);
});

test('an axis that some measurements lack varies only if no other axis distinguishes them', () => {
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

test('points that differ only in numbers are one group with a range', () => {
  const text = (value) => value.replaceAll('\u00a0', ' ');
  const list = lib.describePoints(
    [point('h2d', 'pinned', 1024, 1), point('h2d', 'pinned', 4096, 1), point('d2h', 'pinned', 4096, 1)],
    [AXES[0], AXES[3]],
  );
  assert.deepEqual(
    list.map(({ text: description, measurements }) => [text(description), measurements.length]),
    [
      ['host → device · 1 KiB to 4 KiB', 2],
      ['device → host · 4 KiB', 1],
    ],
  );
  assert.deepEqual(
    lib.describePoints([point('h2d', 'pinned', 1024, 1)], []).map(({ text: description }) => description),
    [''],
  );
});

test('text values keep the order of measurement, and weight 0 is shown as a word', () => {
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
  assert.equal(lib.labelOf({ axes: { weight: 0 } }, [constant[0].axis]), 'weight automatic');
});

// --- axes that follow x -------------------------------------------------------------------------------------------

const SIZES = ['type', 'step', 'm', 'n', 'k'].map((name) => ({ name, title: name, unit: null }));
const OVER_M = { kind: 'line', metric: 'throughput', x: 'm', log_x: true };
const product = (type, step, m, n, k) => ({
  metric: 'throughput',
  axes: { type, step, m, n, k },
  median: 1,
  skipped: null,
});
const squares = ['naive', 'cublas'].flatMap((step) => [256, 512, 1024].map((m) => product('fp32', step, m, m, m)));
const names = (axes) => axes.map(({ name }) => name);

test('axes that follow x do not split a series', () => {
  const { series, varying, constant, following } = lib.seriesOf(OVER_M, squares, SIZES);
  assert.deepEqual(
    series.map(({ label, points }) => [label, points.map(({ x }) => x)]),
    ['naive', 'cuBLAS'].map((step) => [step, [256, 512, 1024]]),
  );
  assert.deepEqual([names(varying), names(following)], [['step'], ['n', 'k']]);
  assert.deepEqual(
    constant.map(({ axis }) => axis.name),
    ['type'],
  );
});

test('axes may follow x differently in each series', () => {
  const wide = [256, 512].map((m) => product('bf16', 'cublas', m, 2 * m, m));
  const { series, following } = lib.seriesOf(OVER_M, [...squares, ...wide], SIZES);
  assert.deepEqual(names(following), ['n', 'k']);
  assert.deepEqual(
    series.map(({ label, points }) => [label, points.length]),
    [
      ['fp32 · naive', 3],
      ['fp32 · cuBLAS', 3],
      ['bf16 · cuBLAS', 2],
    ],
  );
});

test('an axis with two values at one x varies, and another may still follow', () => {
  const both = [256, 512].flatMap((m) => [64, 128].map((k) => product('fp32', 'naive', m, m, k)));
  const { series, varying, following } = lib.seriesOf(OVER_M, both, SIZES);
  assert.deepEqual([names(varying), names(following)], [['k'], ['n']]);
  assert.deepEqual(
    series.map(({ points }) => points.length),
    [2, 2],
  );
});

test('constant axes, text axes and charts without a numeric axis have no following axes', () => {
  const constants = [product('fp32', 'naive', 256, 64, 8), product('fp32', 'naive', 512, 64, 8)];
  const other = [product('fp32', 'cublas', 256, 128, 8), product('fp32', 'cublas', 512, 128, 8)];
  const { varying, following } = lib.splitAxes([...constants, ...other], SIZES, 'm');
  assert.deepEqual([names(varying), names(following)], [['step', 'n'], []]);
  const words = [product('fp32', 'naive', 256, 8, 8), product('bf16', 'naive', 512, 8, 8)];
  assert.deepEqual(names(lib.splitAxes(words, SIZES, 'm').varying), ['type']);
  assert.deepEqual(names(lib.splitAxes(squares, SIZES, null).varying), ['step', 'm', 'n', 'k']);
  assert.deepEqual(names(lib.splitAxes(squares, SIZES, 'step').following), []);
});

test('an axis swept by an unfinished run does not follow, even if its first points match', () => {
  const first = [product('fp32', 'naive', 256, 256, 8), product('fp32', 'naive', 512, 512, 8)];
  const split = (swept) => lib.splitAxes(first, SIZES, 'm', swept);
  assert.deepEqual(names(split({ m: [256, 512], n: [256, 512] }).varying), ['n']);
  assert.deepEqual(names(split({ m: 0, n: 0, k: 0 }).following), ['n']);
});

test('labels do not change during a sweep of square matrices', () => {
  const swept = { type: ['fp32'], step: ['naive', 'cublas'], m: 0, n: 0, k: 0 };
  for (const count of [1, 2, 3, 6]) {
    const { series } = lib.seriesOf(OVER_M, squares.slice(0, count), SIZES, swept);
    assert.equal(series[0].label, 'naive', `after ${count}`);
  }
});

// --- keys of series -------------------------------------------------------------------------------------

const keysOf = ({ series }) => series.map(({ key }) => key);

test('keys do not change when a run ends before an axis had all its values', () => {
  const swept = { type: ['fp32', 'bf16'], step: ['naive', 'cublas'], m: [256, 512, 1024] };
  const live = lib.seriesOf(OVER_M, squares, SIZES, swept);
  const over = lib.seriesOf(OVER_M, squares, SIZES);
  assert.notDeepEqual(names(live.varying), names(over.varying));
  assert.deepEqual(keysOf(live), keysOf(over));
});

test('keys do not change during a sweep of square matrices', () => {
  const growing = [1, 2, 3].map((count) =>
    keysOf(lib.seriesOf(OVER_M, squares.slice(0, count), SIZES, { m: 0, n: 0, k: 0 })),
  );
  assert.deepEqual(growing, [growing[0], growing[0], growing[0]]);
});

test('varying numbers distinguish series', () => {
  const deep = [8, 12].flatMap((k) => [256, 512].map((m) => product('fp32', 'naive', m, 64, k)));
  const keys = keysOf(lib.seriesOf(OVER_M, deep, SIZES));
  assert.equal(new Set(keys).size, 2);
  assert.deepEqual(keysOf(lib.seriesOf(OVER_M, deep.slice(0, 1), SIZES, { k: [8, 12] })), keys.slice(0, 1));
});

test('an axis that appears late does not change earlier keys', () => {
  const bare = { ...point('h2d', 'pinned', 1, 1), axes: { memory: 'x', bytes: 1 } };
  const [first] = keysOf(lib.seriesOf(VIEW, [bare], AXES));
  const later = [bare, point('h2d', 'pinned', 1, 1), point('d2h', 'pinned', 1, 1)];
  const keys = keysOf(lib.seriesOf(VIEW, later, AXES));
  assert.equal(keys[0], first);
  assert.equal(new Set(keys).size, 3);
});

test('in a view of one size a series has the same key at every size', () => {
  const view = { kind: 'ladder', metric: 'throughput', x: 'step' };
  const at = (m) => lib.seriesOf(view, [product('fp32', 'naive', m, m, m)], SIZES);
  assert.deepEqual(keysOf(at(256)), keysOf(at(512)));
});

// --- styles of many series ------------------------------------------------------------------------------------------

test('an axis with more values than dashes is shown by colour, and all styles differ', () => {
  const many = ['fp32', 'bf16'].flatMap((type) =>
    Array.from({ length: 12 }, (_, step) => product(type, `step-${step}`, 256, 256, 256)),
  );
  const { series, coloured } = lib.seriesOf(OVER_M, many, SIZES);
  assert.equal(coloured.name, 'step');
  assert.deepEqual(
    series.slice(0, 3).map(({ colour, dash }) => [colour, dash]),
    [
      [0, 0],
      [1, 0],
      [2, 0],
    ],
  );
  assert.equal(new Set(series.map(({ colour, dash, marker }) => `${colour} ${dash} ${marker}`)).size, 24);
  const planned = lib.seriesOf(OVER_M, many.slice(0, 2), SIZES, {
    type: ['fp32', 'bf16'],
    step: many.slice(0, 12).map(({ axes }) => axes.step),
  });
  assert.equal(planned.coloured.name, 'step', 'the planned values count from the first points on');
  assert.equal(grouped.coloured.name, 'direction');
});

test('text values are in the order given by the view', () => {
  const view = { kind: 'ladder', metric: 'throughput', x: 'step', order: ['naive', 'tiled', 'cublas'] };
  const list = ['cublas', 'other', 'naive'].map((step) => product('fp32', step, 8, 8, 8));
  const [one] = lib.seriesOf(view, list, SIZES).series;
  assert.deepEqual(
    one.points.map(({ x }) => x),
    ['naive', 'cublas', 'other'],
  );
});

// --- devices ------------------------------------------------------------------------------------------------------

const IDS = new Map([...'abcd'].map((id, at) => [id, `#${at}`]));
const OF_DEVICES = [
  { name: 'pattern', title: 'Pattern' },
  { name: 'source', title: 'From', values: IDS },
  { name: 'target', title: 'To', values: IDS },
];
const copy = (pattern, axes) => ({ axes: { pattern, ...axes }, metric: 'bandwidth', median: 1, skipped: null });

test('a matrix shows measurements with both a source and a target', () => {
  const view = { kind: 'matrix', metric: 'bandwidth', x: 'target' };
  assert.ok(lib.isShownIn(view)(copy('pair', { source: 'a', target: 'b' })));
  assert.ok(!lib.isShownIn(view)(copy('host-up', { target: 'b' })));
  assert.ok(!lib.isShownIn(view)(copy('one-to-all', { source: 'a' })));
  assert.ok(!lib.isShownIn({ ...view, metric: 'latency' })(copy('pair', { source: 'a', target: 'b' })));
});

test('pairs of devices with the same pattern are described as one group', () => {
  const pairs = [...'abcd'].flatMap((source) =>
    [...'abcd'].filter((target) => target !== source).map((target) => copy('pair', { source, target })),
  );
  const list = [...pairs, copy('host-up', { target: 'c' }), copy('one-to-all', { source: 'b' })];
  assert.deepEqual(
    lib
      .describePoints(list, OF_DEVICES)
      .map(({ text: description, measurements }) => [description, measurements.length]),
    [
      ['each pair · from 4 devices · to 4 devices', 12],
      ['host → all devices · to #2', 1],
      ['one-to-all · from #1', 1],
    ],
  );
});

test('a constant axis that some measurements lack is marked as partly', () => {
  const list = [copy('pair', { source: 'a', weight: 5 }), copy('host-up', { source: 'a' })];
  const { constant } = lib.splitAxes(list, OF_DEVICES, null);
  assert.deepEqual(
    constant.map(({ axis, value, partly }) => [axis.name, value, partly ?? false]),
    [
      ['source', 'a', false],
      ['weight', 5, true],
    ],
  );
});
