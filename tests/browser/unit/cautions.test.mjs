// static/modules/results/cautions.js
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cautionCounts, cautionsOf, limitsOf, NOISY, wrongCount, wrongText } from '../../../static/modules/results/cautions.js';

const measurement = (more) => ({ verified: true, median: 10, q1: 9.99, q3: 10.01, stop_reason: 'converged', conditions: { throttle: [], throttled_by: [] }, skipped: null, ...more });
const names = (one, run) => cautionsOf(one, run).map(({ name }) => name);

test('a measurement has the cautions that apply to it, most severe first', () => {
  assert.deepEqual(names(measurement()), []);
  assert.deepEqual(names(measurement({ conditions: null, median: null, q1: null, q3: null, stop_reason: null })), []);
  const all = measurement({ conditions: { throttle: ['power', 'heat'], throttled_by: ['power', 'heat'] }, q1: 9, q3: 11, stop_reason: 'drifting' });
  assert.deepEqual(names(all, { contended: true }), ['throttled', 'contended', 'drifting', 'noisy']);
  assert.match(cautionsOf(all)[0].text, /\(power, heat\)/);
  assert.match(cautionsOf(all).at(-1).text, /20\s% of the median/);
});

test('noise counts from the limit on', () => {
  assert.deepEqual(names(measurement({ q1: 10 - 9.99 * NOISY, q3: 10 })), []);
  assert.deepEqual(names(measurement({ q1: 10 - 10.01 * NOISY, q3: 10 })), ['noisy']);
  assert.deepEqual(names(measurement({ median: -10, q1: -11, q3: -9 })), ['noisy'], 'a difference below 0');
  assert.deepEqual(names(measurement({ noise: 9, stdev: 90 })), [], 'outliers do not move the median');
});

test('a skipped point has no cautions', () => {
  assert.deepEqual(names(measurement({ skipped: 'no peer access', q1: 1 }), { contended: true }), []);
});

test('cautions and wrong results are counted', () => {
  const list = [measurement(), measurement({ q1: 1 }), measurement({ q1: 1, verified: false }), measurement({ skipped: 'x', verified: null })];
  assert.deepEqual(cautionCounts(list), [{ name: 'noisy', count: 2 }]);
  assert.deepEqual(cautionCounts(list, { contended: true }), [{ name: 'contended', count: 3 }, { name: 'noisy', count: 2 }]);
  assert.equal(wrongCount(list), 1);
  assert.equal(wrongText(1), '1 wrong result');
});

test('the lab says which reasons of throttling are cautions; the others are facts', () => {
  const limited = { throttle: ['power-cap'], throttled_by: [] };
  assert.deepEqual([names(measurement({ conditions: limited })), limitsOf(limited), limitsOf(measurement().conditions), limitsOf(null)], [[], ['power-cap'], [], []]);
  const hot = { throttle: ['any', 'heat'], throttled_by: ['heat'] };
  assert.deepEqual([names(measurement({ conditions: hot })), limitsOf(hot)], [['throttled'], ['any']]);
  assert.match(cautionsOf(measurement({ conditions: hot }))[0].text, /\(heat\)/);
});
