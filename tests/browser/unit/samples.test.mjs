// static/modules/results/samples.js
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isOutlier, marksOf, positionsOfSides, sampleDrawing } from '../../../static/modules/results/samples.js';

const shape = { fence_low: 40, fence_high: 60, modes: null };
const measurement = (samples, more) => ({ samples, median: 50, q1: 49, q3: 51, side: null, shape, ...more });

test('an outlier is what the lab says', () => {
  assert.deepEqual([39.9, 40, 60, 60.1].map((value) => isOutlier(measurement([]), value)), [true, false, false, true]);
  assert.equal(isOutlier(measurement([], { shape: null }), 1e9), false);
});

test('the range is that of all but outliers, and every sample is in a bin or beyond the range', () => {
  const { range, bins, most, sides: [side] } = sampleDrawing([measurement([50, 51, 49, 50, null, 10, 90, 95])]);
  assert.ok(range[0] < 49 && range[0] > 48.8 && range[1] > 51 && range[1] < 51.2, String(range));
  assert.deepEqual([side.below, side.above, side.counts.reduce((sum, count) => sum + count)], [1, 2, 4]);
  assert.deepEqual([most, side.counts.length], [2, bins.length]);
  const at = side.counts.indexOf(2);
  assert.ok(bins[at].low <= 50 && bins[at].high > 50);
});

test('sides have one scale', () => {
  const { range, sides } = sampleDrawing([measurement([50, 51]), measurement([45, 46])]);
  assert.ok(range[0] < 45 && range[1] > 51);
  assert.deepEqual(sides.map(({ counts }) => counts.reduce((sum, count) => sum + count)), [2, 2]);
});

test('equal samples, and only outliers, have a range', () => {
  assert.deepEqual(sampleDrawing([measurement([50, 50])]).range, [49.5, 50.5]);
  assert.deepEqual(sampleDrawing([measurement([0])]).range, [-1, 1]);
  const { range } = sampleDrawing([measurement([90, 100])]);
  assert.ok(range[0] < 90 && range[1] > 100);
  assert.deepEqual(sampleDrawing([measurement([null])]).range, [0, 1]);
});

test('median, quartiles and levels are marked', () => {
  assert.deepEqual(marksOf(measurement([], { shape: { ...shape, modes: [48, 52] } })).map(({ name, value }) => `${name} ${value}`),
    ['median 50', 'quartile 49', 'quartile 51', 'level 48', 'level 52']);
  assert.deepEqual(marksOf(measurement([], { q1: null, q3: null, shape: null })).map(({ name }) => name), ['median']);
});

test('the other side of a comparison is the next or the last of the metric', () => {
  const list = [['base', 'time'], ['base', 'rate'], ['head', 'time'], ['head', 'rate'], ['base', 'time'], ['head', 'time']].map(([side, metric]) => ({ side, metric, skipped: null }));
  assert.deepEqual([0, 1, 2, 3, 4, 5].map((at) => positionsOfSides(list, at).join()), ['0,2', '1,3', '0,2', '1,3', '4,5', '4,5']);
  assert.deepEqual(positionsOfSides([{ side: null, metric: 'time' }, { side: null, metric: 'time' }], 1), [1]);
  assert.deepEqual(positionsOfSides(list, 6), []);
});
