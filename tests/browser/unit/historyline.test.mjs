// The history of a figure as a line.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { historyLine } from '../../../static/modules/results/historyline.js';

const values = (...list) => list.map((median) => ({ median }));

test('the oldest run is first, and the values fill the height', () => {
  assert.deepEqual(historyLine(values(30, null, 20, 10)), { segment: [[0, 0], [0.5, 0.5], [1, 1]], low: 10, high: 30, count: 3 });
});

test('small differences do not fill the height', () => {
  const { segment } = historyLine(values(101, 99, 100));
  assert.ok(segment.every(([, y]) => y >= 0.4 && y <= 0.6), JSON.stringify(segment));
  assert.deepEqual(historyLine(values(0, 0, 0)).segment.map(([, y]) => y), [0.5, 0.5, 0.5]);
});

test('few runs have no line', () => {
  assert.equal(historyLine(values(1, 2)), null);
  assert.equal(historyLine([]), null);
});
