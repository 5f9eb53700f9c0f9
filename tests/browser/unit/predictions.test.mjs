// Predictions beside measurements.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { predictionOf, withPredictions } from '../../../static/modules/results/predictions.js';
import { seriesOf } from '../../../static/modules/results/series.js';

const EXPERIMENT = {
  axes: ['variant', 'bytes', 'load'].map((name) => ({ name, title: name, unit: null })),
  metrics: [{ name: 'bandwidth' }, { name: 'predicted_bandwidth', title: 'Predicted' }],
};

test('the prediction of a metric is found by its name', () => {
  assert.equal(predictionOf(EXPERIMENT, 'bandwidth').title, 'Predicted');
  assert.equal(predictionOf(EXPERIMENT, 'time'), null);
  assert.equal(predictionOf({}, 'time'), null);
});

test('points have the prediction of the same point, which may have fewer axes', () => {
  const measured = (metric, axes, median) => ({ metric, axes, median });
  const list = [
    measured('bandwidth', { variant: 'a', bytes: 1, load: 'on' }, 9),
    measured('predicted_bandwidth', { variant: 'a', bytes: 1 }, 10),
    measured('bandwidth', { variant: 'b', bytes: 1, load: 'on' }, 8),
    measured('bandwidth', { variant: 'a', bytes: 2, load: 'on' }, 19),
    measured('predicted_bandwidth', { variant: 'a', bytes: 2 }, 20),
  ];
  const { series } = seriesOf({ kind: 'line', metric: 'bandwidth', x: 'bytes' }, list, EXPERIMENT.axes);
  const [a, b] = withPredictions(series, list, predictionOf(EXPERIMENT, 'bandwidth'));
  assert.deepEqual(a.points.map(({ x, predicted }) => [x, predicted]), [[1, 10], [2, 20]]);
  assert.deepEqual(b.points.map(({ predicted }) => predicted), [null]);
});
