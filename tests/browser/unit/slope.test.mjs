// The line of theory's slope through measurements on logarithmic scales.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { slopeLine, slopeSentence } from '../../../static/modules/results/slope.js';

const view = { slope: -2, log_x: true, log_y: true };
const seriesWith = (...points) => ({ points: points.map(([x, median]) => ({ x, measurement: { median } })) });

test('the line begins at the smallest x, between the series, and has the slope', () => {
  const { at, name } = slopeLine(view, [seriesWith([10, 4], [100, 1]), seriesWith([10, 1]), seriesWith([100, 7])]);
  assert.equal(name, 'slope −2');
  assert.ok(Math.abs(at(10) - 2) < 1e-12);
  assert.ok(Math.abs(at(100) - 0.02) < 1e-12);
});

test('an error of 0, which a logarithmic scale does not show, is left out', () => {
  assert.ok(Math.abs(slopeLine(view, [seriesWith([10, 0], [20, 1])]).at(40) - 0.25) < 1e-12);
});

test('there is no line without a slope, on a linear scale and without points', () => {
  const series = [seriesWith([10, 4])];
  assert.equal(slopeLine({ ...view, slope: null }, series), null);
  assert.equal(slopeLine({ ...view, log_y: false }, series), null);
  assert.equal(slopeLine(view, []), null);
});

test('the sentence names both quantities and the power', () => {
  const text = slopeSentence(view, { title: 'Samples' }, { title: 'Error' });
  assert.equal(text, 'The dashed line has the slope of theory: error proportional to samples to the power −2.');
  assert.equal(slopeSentence({ slope: null }, { title: 'Samples' }, { title: 'Error' }), null);
});
