// Variants, rows and slots of spans, and the lower bound of a variant's time.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { betweenText, detailTexts, variantSummary } from '../../../static/modules/charts/timeline/text.js';
import * as lib from '../../../static/modules/results/timeline.js';
import { SUBJECTS } from '../../../static/modules/results/timelinesubjects.js';

const span = (
  lane,
  kind,
  start_ns,
  end_ns,
  axes = { variant: 'depth-first', chunks: 4 },
  label = 'chunk 1 · 4 MiB',
) => ({
  lane,
  kind,
  label,
  start_ns,
  end_ns,
  axes,
});

test('spans with equal axes are one variant with its own time origin', () => {
  const other = { variant: 'sequential', chunks: 1 };
  const variants = lib.variantsOf([
    span('stream 1', 'compute', 700, 900),
    span('stream 1', 'copy-up', 500, 700),
    span('stream 1', 'copy-up', 40, 90, other),
    span('stream 2', 'copy-up', 700, 950, { chunks: 4, variant: 'depth-first' }),
    span('stream 2', 'copy-up', 20, 10),
  ]);
  assert.deepEqual(
    variants.map(({ axes, spans, length }) => [axes.variant, spans.length, length]),
    [
      ['depth-first', 3, 450],
      ['sequential', 1, 50],
    ],
  );
  assert.deepEqual(
    variants[0].spans.map(({ kind, start, end }) => [kind, start, end]),
    [
      ['copy-up', 0, 200],
      ['compute', 200, 400],
      ['copy-up', 200, 450],
    ],
  );
  assert.deepEqual(lib.variantsOf([]), []);
});

const [variant] = lib.variantsOf([
  span('stream 10', 'copy-down', 20, 30),
  span('stream 2', 'compute', 10, 20),
  span('stream 2', 'copy-up', 0, 10),
  span('stream 10', 'erase', 30, 40),
]);
const names = (by) => lib.rowsOf(variant, by).map(({ name }) => name);

test('rows by stream are in numeric order, rows by engine in the order H2D, compute, D2H', () => {
  assert.deepEqual(names('stream'), ['stream 2', 'stream 10']);
  assert.deepEqual(names('engine'), ['copy-up', 'compute', 'copy-down', 'erase']);
});

test('spans that overlap share the height of their row; adjacent spans do not', () => {
  const place = (...times) =>
    lib.packIntoSlots(times.map(([start, end]) => ({ start, end }))).map(({ slot, slots }) => `${slot}/${slots}`);
  assert.deepEqual(place([0, 10], [10, 20]), ['0/1', '0/1']);
  assert.deepEqual(place([0, 1000], [990, 2000]), ['0/1', '0/1']);
  assert.deepEqual(place([0, 10], [5, 15], [10, 20], [30, 40]), ['0/2', '1/2', '0/2', '0/1']);
  assert.deepEqual(place([0, 10], [1, 10], [2, 10], [10, 12]), ['0/3', '1/3', '2/3', '0/1']);
  assert.deepEqual(place([0, 100], [10, 20], [30, 40], [110, 120]), ['0/2', '1/2', '1/2', '0/1']);
});

const measured = (metric, median, axes = {}) => ({
  metric,
  median,
  axes: { variant: 'depth-first', chunks: 4, memory: 'pinned', ...axes },
  skipped: null,
});
const BOUNDS = [0, 1, 2].map((copy_engines) => measured('bound', 9 - copy_engines, { copy_engines }));

test('the bound uses the number of copy engines of the device, at most two', () => {
  const figures = (engines, more = []) =>
    lib.variantFigures(variant, [...BOUNDS, measured('time', 8), ...more], engines);
  assert.deepEqual(figures(3), { time: 8, efficiency: null, bound: 7, engines: 2 });
  assert.equal(figures(1).bound, 8);
  assert.equal(figures(0).bound, 9);
  assert.equal(figures(null).engines, 2);
  assert.equal(
    figures(2, [measured('bound', 1, { copy_engines: 2, chunks: 8 })]).bound,
    7,
    'the bound of another variant is not used',
  );
});

test('without bounds, the bound is efficiency times time; with several times, it is unknown', () => {
  const list = [measured('time', 8), measured('efficiency', 0.75)];
  assert.deepEqual(lib.variantFigures(variant, list, 2), { time: 8, efficiency: 0.75, bound: 6, engines: null });
  const several = [...list, measured('time', 9, { memory: 'pageable' })];
  assert.equal(lib.variantFigures(variant, several, 2).bound, null);
  assert.equal(lib.variantFigures(variant, several, 2).time, null);
  assert.equal(lib.variantFigures(variant, [{ ...measured('time', null), skipped: 'no' }], 2).time, null);
});

test('a span shows as much text as fits', () => {
  const up = { kind: 'copy-up', label: 'chunk 3 · 4 MiB' };
  assert.equal(lib.spanLabel(up, 200, 2), 'chunk 3 · 4 MiB');
  assert.equal(lib.spanLabel(up, 24, 2), '↑3');
  assert.equal(lib.spanLabel(up, 20, 2), '3');
  assert.equal(lib.spanLabel(up, 20, 1), '↑3');
  assert.equal(lib.spanLabel(up, 5, 1), '');
  assert.equal(lib.spanLabel({ kind: 'compute', label: '' }, 200, 0), '');
  assert.equal(lib.labelDigits({ spans: [up, { label: 'chunk 12' }, { label: 'x' }] }), 2);
});

// --- several devices ----------------------------------------------------------------------------------------------

const AXES = { device_count: 2 };
const [several] = lib.variantsOf([
  span('device 2 copies 1', 'copy-peer', 20, 30, AXES, 'to device 1 · 16 MiB'),
  span('device 10', 'compute', 0, 10, AXES, 'pairs · 18234 partners'),
  span('device 2', 'compute', 10, 20, AXES, 'transpose for device 1 · chunk 4'),
  span('device 2', 'copy-up', 0, 10, AXES, 'elements · 64 MiB'),
  span('device 10', 'copy-up', 12, 14, AXES, 'elements · 64 MiB'),
]);

test('with rows by engine, each device has its own rows', () => {
  assert.deepEqual(
    lib.rowsOf(several, 'engine').map(({ device, name, items }) => [device, name, items.length]),
    [
      ['device 2', 'copy-up', 1],
      ['device 2', 'compute', 1],
      ['device 2', 'copy-peer', 1],
      ['device 10', 'copy-up', 1],
      ['device 10', 'compute', 1],
    ],
  );
  assert.deepEqual(
    lib.rowsOf(several, 'stream').map(({ name }) => name),
    ['device 2', 'device 2 copies 1', 'device 10'],
  );
  const alone = lib.variantsOf([span('device 1', 'compute', 0, 1), span('device 1', 'copy-up', 1, 2)])[0];
  assert.deepEqual(
    lib.rowsOf(alone, 'engine').map(({ device, name }) => [device, name]),
    [
      ['', 'copy-up'],
      ['', 'compute'],
    ],
    'a single device is not named',
  );
});

test('copies between devices have an order, a symbol and the number of their destination; sizes are ignored', () => {
  assert.ok(lib.kindOrder('copy-down') < lib.kindOrder('copy-peer'));
  assert.ok(lib.kindOrder('copy-peer') < lib.kindOrder('erase'));
  assert.equal(lib.spanLabel({ kind: 'copy-peer', label: 'to device 3 · chunk 2 · 16 MiB' }, 24, 1), '→3');
  assert.equal(lib.spanLabel({ kind: 'copy-up', label: 'elements · 64 MiB' }, 24, 1), '');
  assert.equal(lib.labelDigits({ spans: [{ label: 'pairs · 18234 partners' }, { label: 'to device 10' }] }), 2);
});

test('the wave of a block is its number in its place on the multiprocessor', () => {
  const block = (sm, start, end) => span(`SM ${sm}`, 'block', start, end, {}, `block ${start}`);
  const [blocks] = lib.variantsOf([
    block(10, 0, 50),
    block(2, 0, 50),
    block(2, 1, 70),
    block(2, 51, 100),
    block(2, 71, 120),
    ...Array.from({ length: 8 }, (_, index) => block(10, 51 + 10 * index, 60 + 10 * index)),
  ]);
  const waves = lib.withWaves(blocks);
  const of = (sm) => waves.spans.filter(({ lane }) => lane === `SM ${sm}`).map(({ kind }) => kind);
  assert.deepEqual(of(2), ['wave-1', 'wave-1', 'wave-2', 'wave-2']);
  assert.deepEqual(of(10).slice(-2), ['wave-8', 'wave-1']);
  assert.ok(waves.spans.every(({ kind }) => lib.KINDS.includes(kind)));
});

test('kernels that recorded themselves are in the rows of their streams', () => {
  const kernel = (number, start) => span(`stream ${number}`, 'compute', start, start + 100, { variant: 'legacy' }, `kernel ${number}`);
  const [variant] = SUBJECTS.kernels.variants([kernel(2, 1000), kernel(1, 1000), span('the default stream', 'compute', 1100, 1200, { variant: 'legacy' }, 'kernel 3')]);
  assert.deepEqual(lib.rowsOf(variant, 'stream').map(({ name }) => name), ['stream 1', 'stream 2', 'the default stream']);
  assert.deepEqual([variant.length, SUBJECTS.kernels.words.row, SUBJECTS.kernels.engines], [200, 'Stream', false]);
});

test('between two marks: from start to start, the gap or the overlap, and the whole, in either order', () => {
  const texts = (a, b) => betweenText({ start: a[0], end: a[1] }, { start: b[0], end: b[1] }).map((text) => text.replaceAll('\u00a0', ' '));
  assert.deepEqual(texts([0, 400], [500, 700]), ['start to start 500 ns', 'end to start 100 ns', 'in all 700 ns']);
  assert.deepEqual(texts([500, 700], [0, 400]), ['start to start 500 ns', 'end to start 100 ns', 'in all 700 ns']);
  assert.deepEqual(texts([0, 400], [300, 900]), ['start to start 300 ns', 'overlap 100 ns', 'in all 900 ns']);
  assert.deepEqual(texts([0, 900], [300, 400]), ['start to start 300 ns', 'overlap 100 ns', 'in all 900 ns']);
  assert.deepEqual(texts([200, 200], [700, 700]), ['start to start 500 ns', 'end to start 500 ns', 'in all 500 ns']);
});

test('the details of a span are texts with units', () => {
  const details = { bytes: 4194304, grid: [4, 1, 1], from: 'pageable', asynchronous: false, called_ns: 1500, registers: 32 };
  assert.deepEqual(detailTexts(details).map((text) => text.replaceAll('\u00a0', ' ')), ['bytes 4 MiB', 'grid 4 × 1 × 1', 'from pageable', 'asynchronous no', 'called 1.500 µs', 'registers 32']);
  assert.deepEqual(detailTexts({}), []);
});

test('simulated variants stand behind the traced one of which they are, and have no figures of their own', () => {
  const of = (variant, copy_engines) => ({ ...span('stream 1', 'compute', 0, copy_engines ?? 3), axes: { variant, ...(copy_engines && { copy_engines }) } });
  const variants = lib.variantsOf([of('a', 1), of('a', 2), of('b', 1), of('c', 1), of('a'), of('b')]);
  assert.deepEqual(variants.map(({ axes }) => [axes.variant, axes.copy_engines]),
    [['a', undefined], ['a', 1], ['a', 2], ['b', undefined], ['b', 1], ['c', 1]]);
  const figures = lib.variantFigures(variants[1], [{ metric: 'time', median: 1, axes: { variant: 'a' } }], 2);
  assert.deepEqual(figures, { time: null, efficiency: null, bound: null, engines: null, simulated: 1 });
  assert.equal(variantSummary(figures), 'simulated with the phase times of this device: one copy engine, one hardware queue for each engine (compute capability 1.x)');
});

test('a document of columns has the spans, of which equal axes are one object', () => {
  const spans = lib.spansOf({
    texts: ['stream 1', 'compute', 'saxpy'],
    axes: [{}, { chunks: 2 }],
    spans: { lane: [0, 0], kind: [1, 1], label: [2, null], axes: [1, 1], start_ns: [5, 7], end_ns: [6, 9] },
  });
  assert.deepEqual(spans, [
    { position: 0, lane: 'stream 1', kind: 'compute', label: 'saxpy', axes: { chunks: 2 }, start_ns: 5, end_ns: 6 },
    { position: 1, lane: 'stream 1', kind: 'compute', label: null, axes: { chunks: 2 }, start_ns: 7, end_ns: 9 },
  ]);
  assert.equal(spans[0].axes, spans[1].axes);
  assert.deepEqual(lib.variantsOf(spans)[0].spans.map(({ position, label }) => [position, label]), [[0, 'saxpy'], [1, '']]);
});

test('spans that overlap without end take a bounded number of slots', () => {
  const nested = Array.from({ length: 20_000 }, (_, at) => ({ start: at, end: 1e6 - at }));
  const items = lib.packIntoSlots(nested);
  assert.deepEqual([items[0].slot, items[40].slot, items.at(-1).slots], [0, 31, 32]);
});
