// Comparison of a run with reference results: which measurements match, which of them is best, what the ratio is of.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareWithReferences } from '../../../static/modules/results/references.js';

const AXES = ['bytes', 'kernel', 'weight', 'variant', 'chunks', 'streams'].map((name) => ({ name, title: name, unit: null }));
const EXPERIMENT = { axes: AXES, metrics: [{ name: 'time', better: 'lower' }, { name: 'speedup', better: 'higher' }, { name: 'max_error', better: 'lower' }, { name: 'energy', better: 'lower' }] };

const reference = (system, metric, value, axes, more) => ({
  experiment: 'overlap',
  system,
  axes,
  metric,
  value,
  unit: metric === 'time' ? 's' : '1',
  source: 'book 3.1',
  remark: null,
  ...more,
});
const measured = (metric, median, axes, more) => ({
  metric,
  median,
  axes: { bytes: 64, kernel: 'waves', ...axes },
  skipped: null,
  verified: true,
  ...more,
});

const MEASURED = [
  measured('time', 8, { variant: 'sequential', chunks: 1, streams: 1 }),
  measured('time', 4, { variant: 'depth-first', chunks: 4, streams: 4 }),
  measured('time', 3.2, { variant: 'depth-first', chunks: 16, streams: 4 }),
  measured('time', 1, { variant: 'depth-first', chunks: 32, streams: 4 }, { verified: false }),
  measured('max_error', 2e-7, { variant: 'sequential', chunks: 1, streams: 1 }),
  measured('max_error', 1e-7, { variant: 'depth-first', chunks: 4, streams: 4 }),
  measured('speedup', 2.5, { variant: 'depth-first', chunks: 16, streams: 4 }),
];

const K20 = [
  reference('K20c', 'time', 6, { kernel: 'waves', variant: 'sequential' }),
  reference('K20c', 'time', 3, { kernel: 'waves', variant: 'depth-first' }),
  reference('K20c', 'speedup', 2, { kernel: 'waves', variant: 'depth-first' }, { remark: 'derived' }),
  reference('K20c', 'max_error', 1.2e-7, { kernel: 'waves' }),
];

test('times are compared by their speedups, each relative to the baseline of its system', () => {
  const [{ system, source, remark, rows }] = compareWithReferences(K20, MEASURED, EXPERIMENT);
  assert.deepEqual([system, source, remark, rows.length], ['K20c', 'book 3.1', '', 3]);
  const [base, depth, error] = rows;
  assert.deepEqual([base.base, base.speedup, base.own, base.ratio], [true, null, null, null]);
  assert.deepEqual(
    [depth.base, depth.reference.value, depth.speedup, depth.own, depth.ratio, depth.count, depth.where],
    [false, 3, 2, 2.5, 1.25, 2, 'chunks 16'],
  );
  assert.deepEqual([error.speedup, error.own, error.count], [null, 1e-7, 2], 'the smallest error is the best');
  assert.equal(error.where, 'depth first · chunks 4 · streams 4');
});

test('the best value is the lowest where the metric says so, whatever its unit', () => {
  const runs = [3, 2, 4].map((median, at) => measured('energy', median, { variant: 'sequential', chunks: at }));
  assert.equal(rowsOf([reference('K20c', 'energy', 6, { kernel: 'waves' }, { unit: 'J' })], runs)[0].own, 2);
});

test('the baseline of this run is the variant that is the baseline of the reference', () => {
  const list = [
    reference('GTX', 'time', 34, { kernel: 'average', variant: 'one-stream', streams: 1 }),
    reference('GTX', 'time', 17, { kernel: 'average', variant: 'interleaved', streams: 2 }),
    reference('GTX', 'speedup', 2, { kernel: 'average', variant: 'interleaved', streams: 2 }),
  ];
  const measurements = [
    measured('time', 10, { kernel: 'average', variant: 'sequential', chunks: 1, streams: 1 }),
    measured('time', 12, { kernel: 'average', variant: 'one-stream', chunks: 4, streams: 1 }),
    measured('time', 16, { kernel: 'average', variant: 'one-stream', chunks: 8, streams: 1 }),
    measured('time', 4, { kernel: 'average', variant: 'interleaved', chunks: 8, streams: 2 }),
    measured('time', 1, { kernel: 'average', variant: 'interleaved', chunks: 8, streams: 4 }),
  ];
  const [{ rows }] = compareWithReferences(list, measurements, EXPERIMENT);
  assert.deepEqual([rows[1].speedup, rows[1].own, rows[1].ratio, rows[1].count], [2, 4, 2, 1]);
});

/** The published times of a program, with the size of its arrays, its weight and its chunks. */
const sized = (variant, chunks) => ({ kernel: 'waves', bytes: 16, weight: 1, chunks, variant });
const SIZED = [
  reference('C2050', 'time', 10, sized('sequential', 1)),
  reference('C2050', 'time', 6, sized('depth-first', 4)),
  reference('C2050', 'speedup', 10 / 6, sized('depth-first', 4)),
];
const rowsOf = (list, measurements) => compareWithReferences(list, measurements, EXPERIMENT)[0].rows;

test('times are compared where the run has the size of the reference', () => {
  const [base, depth] = rowsOf(SIZED, [
    measured('time', 5, sized('sequential', 1)),
    measured('time', 2, sized('depth-first', 4)),
    measured('time', 1, sized('depth-first', 8)),
    measured('time', 0.5, { ...sized('depth-first', 4), weight: 9 }),
    measured('time', 0.5, { ...sized('depth-first', 4), bytes: 8 }),
  ]);
  assert.deepEqual([base.base, base.ownSpeedup, base.own, base.ratio], [true, false, 5, 0.5]);
  assert.deepEqual([depth.ownSpeedup, depth.own, depth.ratio, depth.count, depth.where], [false, 2, 2 / 6, 1, '']);
  assert.deepEqual(depth.otherSizes, []);
  assert.equal(depth.speedup, 10 / 6);
});

test('speedups are compared where the size differs, with the same chunks, and the row names the size', () => {
  for (const [name, value] of [['bytes', 8], ['weight', 9]]) {
    const at = (variant, chunks) => ({ ...sized(variant, chunks), [name]: value });
    const [base, depth] = rowsOf(SIZED, [
      measured('time', 5, at('sequential', 1)), measured('time', 2, at('depth-first', 4)), measured('time', 1, at('depth-first', 8)),
    ]);
    assert.deepEqual([depth.ownSpeedup, depth.own, depth.ratio, depth.count, depth.where], [true, 2.5, 1.5, 1, `${name} ${value}`]);
    assert.deepEqual(depth.otherSizes, [name]);
    assert.deepEqual([base.ownSpeedup, base.own, base.otherSizes], [false, null, []]);
  }
});

test('a time whose size is not known is not compared, and nothing is said to differ without a value of this run', () => {
  const list = [
    reference('GPUs', 'time', 10, { kernel: 'waves' }),
    reference('GPUs', 'time', 5, { kernel: 'average' }),
    reference('GPUs', 'speedup', 2, { kernel: 'average' }),
  ];
  const both = rowsOf(list, [measured('time', 3, {}), measured('speedup', 1, { kernel: 'average' })]);
  assert.deepEqual(both.map(({ own, ownSpeedup }) => [own, ownSpeedup]), [[null, false], [1, true]]);
  assert.deepEqual(both.map(({ otherSizes }) => otherSizes), [[], ['bytes']]);
  assert.deepEqual(rowsOf(list, []).map(({ own, ownSpeedup }) => [own, ownSpeedup]), [[null, false], [null, false]]);
});

test('a reference without speedups is compared with measurements of its metric at its axes', () => {
  const list = [reference('K20', 'bandwidth', 5, { bytes: 64, kernel: 'waves' }, { unit: 'GB/s' })];
  const measurements = [measured('bandwidth', 50, {}), measured('bandwidth', 90, { bytes: 128 })];
  const [{ rows }] = compareWithReferences(list, measurements, EXPERIMENT);
  assert.deepEqual([rows[0].own, rows[0].ratio, rows[0].where], [50, 10, '']);
  const [elsewhere] = compareWithReferences(list, [measurements[1]], EXPERIMENT);
  assert.deepEqual([elsewhere.rows[0].own, elsewhere.rows[0].ratio], [null, null]);
});

test('systems that this run can be compared with come first', () => {
  const other = reference('C1', 'bandwidth', 5, { kernel: 'average' });
  const systems = compareWithReferences([other, ...K20], MEASURED, EXPERIMENT).map(({ system }) => system);
  assert.deepEqual(systems, ['K20c', 'C1']);
  assert.deepEqual(compareWithReferences([], MEASURED, EXPERIMENT), []);
});
