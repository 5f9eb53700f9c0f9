// Scatter charts: two metrics joined at equal points, ranges with values of 0, the points as text.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scatterTsv } from '../../../static/modules/results/charttext.js';
import { aboveOf, joinMetric, rangeOf } from '../../../static/modules/results/scatter.js';
import { isShownIn, seriesOf } from '../../../static/modules/results/series.js';

const AXES = ['variant', 'n'].map((name) => ({ name, title: name, unit: null }));
const VIEW = { name: 'error', kind: 'scatter', metric: 'error', x: 'time', y: 'n', log_x: true, log_y: true };
const measured = (metric, variant, n, median, more) => ({ metric, axes: { variant, n }, median, verified: true, ...more });
const MEASURED = [
  measured('time', 'kahan', 64, 4e-6),
  measured('error', 'kahan', 64, 0),
  measured('error', 'kahan', 16, 1e-8),
  measured('time', 'kahan', 16, 2e-6),
  measured('time', 'plain', 16, 1e-6),
  measured('error', 'plain', 16, 1e-6, { verified: false }),
  measured('error', 'plain', 64, 1e-5),
  measured('error', 'plain', 256, null, { skipped: 'too long' }),
];

/** The joined series: {label: [[n, time, error]]}. */
function joined(list = MEASURED, view = VIEW) {
  const { series } = seriesOf({ ...view, x: view.y }, list, AXES);
  return joinMetric(series, list, view.x, view);
}
const texts = (series) =>
  Object.fromEntries(series.map(({ label, points }) => [label, points.map(({ x, across, measurement }) => [x, across.median, measurement.median])]));

test('points have both metrics, in the order of the axis; those without the other metric are left out', () => {
  assert.deepEqual(texts(joined()), {
    kahan: [[16, 2e-6, 1e-8], [64, 4e-6, 0]],
    plain: [[16, 1e-6, 1e-6]],
  });
  assert.deepEqual(joined(MEASURED.filter(({ metric }) => metric === 'error')), []);
});

test('the other metric is shown by the view, the axis of the points is required', () => {
  assert.ok(isShownIn(VIEW)(MEASURED[1]) && !isShownIn(VIEW)(MEASURED[0]));
  assert.ok(!isShownIn(VIEW)({ metric: 'error', axes: { variant: 'plain' } }));
});

test('values of 0 are a decade below the least other value; negative ones cannot be on a logarithmic axis', () => {
  const { range: [low, high], zero } = rangeOf([0, 1e-8, 1e-6], true);
  assert.ok(zero && Math.abs(low / 1e-9 - 1) < 1e-9 && high > 1e-6);
  assert.equal(rangeOf([1e-8, 1e-6], true).zero, false);
  assert.deepEqual(rangeOf([0], true), { range: [0.1, 10], zero: true });
  const [from, to] = rangeOf([5, 10], false).range;
  assert.ok(from === 0 && to > 10 && to < 12);
  assert.equal(rangeOf([-2, 3], false).range[0], -2);
  assert.deepEqual(texts(joined([measured('time', 'plain', 1, 1), measured('error', 'plain', 1, -1)])), {});
});

test('the points as text have a row each', () => {
  const { varying } = seriesOf({ ...VIEW, x: 'n' }, MEASURED, AXES);
  const text = scatterTsv(joined(), varying, AXES[1], [{ name: 'time' }, { name: 'error' }]);
  assert.deepEqual(text.trim().split('\n').map((line) => line.split('\t')), [
    ['variant', 'n', 'time', 'error', 'verified'],
    ['kahan', '16', '0.000002', '1e-8', 'true'],
    ['kahan', '64', '0.000004', '0', 'true'],
    ['plain', '16', '0.000001', '0.000001', 'false'],
  ]);
});

test('a third metric stands beside the two, where it was measured', () => {
  const list = [...MEASURED, measured('speed', 'kahan', 16, 7)];
  const series = joined(list, { ...VIEW, beside: 'speed' });
  assert.deepEqual(series.flatMap(({ points }) => points.map(({ x, beside }) => [x, beside?.median ?? null])), [[16, 7], [64, null], [16, null]]);
  const { varying } = seriesOf({ ...VIEW, x: 'n' }, list, AXES);
  const text = scatterTsv(series, varying, AXES[1], [{ name: 'time' }, { name: 'error' }, { name: 'speed' }]);
  assert.deepEqual(text.trim().split('\n').slice(0, 3).map((line) => line.split('\t')), [
    ['variant', 'n', 'time', 'error', 'speed', 'verified'],
    ['kahan', '16', '0.000002', '1e-8', '7', 'true'],
    ['kahan', '64', '0.000004', '0', '', 'true'],
  ]);
});

test('how far a value is above its prediction is a share of the prediction', () => {
  const point = (predicted, value) => ({ across: { median: predicted }, measurement: { median: value } });
  assert.equal(aboveOf(point(4, 5)), 0.25);
  assert.equal(aboveOf(point(4, 3)), -0.25);
  assert.equal(aboveOf(point(0, 3)), null);
});
