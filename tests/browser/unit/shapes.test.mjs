// Views over shapes: which of them fit a run, shares above the reference, points of all sizes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fastestOf, pointsOf } from '../../../static/modules/results/roofline.js';
import { seriesOf } from '../../../static/modules/results/series.js';
import { fasterRows, fittingViews, hasShapes, isFaster, ofAllSizes, withSeveralValues } from '../../../static/modules/results/shapes.js';
import { sizesOf } from '../../../static/modules/results/sizes.js';

const VIEWS = [
  { name: 'shapes', kind: 'heat', x: 'step', y: 'm n k' },
  { name: 'ladder', kind: 'ladder', x: 'step', y: null },
  { name: 'size', kind: 'line', x: 'm', y: null },
  { name: 'types', kind: 'line', x: 'type', y: null },
];
const AXES = ['type', 'step', 'm', 'n', 'k'].map((name) => ({ name, title: name, unit: null }));
const product = (m, n, k, more = {}) => ({ metric: 'throughput', axes: { type: 'fp32', step: 'naive', m, n, k }, median: 1, skipped: null, ...more });
const fitting = (...shapes) => fittingViews(VIEWS, shapes.map((shape) => product(...shape))).map(({ name }) => name);
const [OF_SIZES, OF_SHAPES] = [['ladder', 'size', 'types'], ['shapes', 'ladder', 'types']];

test('lines over m are drawn where m determines n and k', () => {
  assert.deepEqual(fitting([8, 8, 8], [64, 64, 64]), OF_SIZES, 'squares');
  assert.deepEqual(fitting([8, 64, 64], [16, 64, 64]), OF_SIZES, 'n and k are constant');
  assert.deepEqual(fitting([8, 64, 64]), OF_SIZES, 'one product');
  assert.deepEqual(fittingViews(VIEWS, [{ axes: { variant: 'read' } }]).map(({ name }) => name), OF_SIZES, 'only ceilings');
});

test('a table of shapes is drawn where m does not determine n and k', () => {
  assert.deepEqual(fitting([8, 64, 64], [8, 128, 128], [16, 64, 64], [16, 128, 128]), OF_SHAPES, 'several sizes');
  assert.deepEqual(fitting([8, 8, 64], [8, 8, 128]), OF_SHAPES, 'm is constant');
});

test('views of an experiment without a table of shapes remain', () => {
  const views = VIEWS.slice(1);
  assert.deepEqual(fittingViews(views, [product(8, 64, 64), product(8, 128, 128)]), views);
});

test('a view over an axis with one value is not offered where there is another', () => {
  const offered = (...shapes) => withSeveralValues(VIEWS, shapes.map((shape) => product(...shape))).map(({ name }) => name);
  assert.deepEqual(offered([8, 8, 8]), ['shapes', 'ladder'], 'one size and one type');
  assert.deepEqual(offered([8, 8, 8], [64, 64, 64]), ['shapes', 'ladder', 'size']);
  const lines = VIEWS.filter(({ kind }) => kind === 'line');
  assert.deepEqual(withSeveralValues(lines, [product(8, 8, 8)]), lines);
});

test('a step is faster if three quarters of its samples are', () => {
  const share = (q1, more) => ({ metric: 'share_of_reference', q1, verified: true, ...more });
  assert.ok(isFaster(share(1.01)));
  assert.ok(!isFaster(share(0.99, { median: 1.2 })));
  assert.ok(!isFaster(share(1.5, { verified: false })));
  assert.ok(!isFaster({ ...share(2), metric: 'throughput' }));
  const cells = new Map([['a', new Map([['x', share(0.5)], ['y', share(1.1)]])], ['b', new Map([['x', share(0.5)]])]]);
  assert.deepEqual(fasterRows({ groups: [{ tables: [{ cells }] }, { tables: [{ cells }] }] }), { faster: 2, rows: 4 });
});

test('a series of all sizes has a point for each step and shape', () => {
  const measured = (metric, step, m, median) => ({ metric, axes: { type: 'fp32', step, m, n: 8, k: m === 1 ? 8 : 16 }, median, skipped: null });
  const list = [measured('throughput', 'naive', 1, 3), measured('throughput', 'cublas', 1, 5), measured('throughput', 'naive', 4, 7), { ...measured('throughput', 'cublas', 4, null), skipped: 'no' }];
  const bare = list.map((one) => ({ ...one, axes: { type: one.axes.type, step: one.axes.step } }));
  const { series } = seriesOf({ kind: 'roofline', metric: 'throughput', x: 'step' }, bare, AXES);
  const all = ofAllSizes(series, 'step', list);
  assert.ok(hasShapes([...list, product(1, 8, 64)], sizesOf(list, AXES)));
  assert.ok(!hasShapes(list, sizesOf(list, AXES)), 'm determines n and k');
  const points = pointsOf(all, [...list, ...list.map((one) => ({ ...one, metric: 'intensity', median: 2 }))]);
  const text = (numbers) => numbers.join('\u00a0×\u00a0');
  assert.deepEqual(points.map(({ step, shape, throughput }) => [step, shape, throughput]), [
    ['naive', text([1, 8, 8]), 3], ['cublas', text([1, 8, 8]), 5], ['naive', text([4, 8, 16]), 7],
  ]);
  assert.equal(new Set(points.map(({ key }) => key)).size, 3);
  assert.deepEqual([...fastestOf(points)].map(({ throughput }) => throughput), [5, 7]);
});
