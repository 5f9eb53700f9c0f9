// static/modules/results/cautions.js
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cautionCounts, cautionsOf, NOISY, wrongCount, wrongText } from '../../../static/modules/results/cautions.js';

const measurement = (more) => ({ verified: true, noise: 0.001, stop_reason: 'converged', conditions: { throttle: [] }, skipped: null, ...more });
const names = (one, run) => cautionsOf(one, run).map(({ name }) => name);

test('a measurement has the cautions that apply to it, most severe first', () => {
  assert.deepEqual(names(measurement()), []);
  assert.deepEqual(names(measurement({ conditions: null, noise: null, stop_reason: null })), []);
  const all = measurement({ conditions: { throttle: ['power', 'heat'] }, noise: 0.2, stop_reason: 'drifting' });
  assert.deepEqual(names(all, { contended: true }), ['throttled', 'contended', 'drifting', 'noisy']);
  assert.match(cautionsOf(all)[0].text, /\(power, heat\)/);
  assert.match(cautionsOf(all).at(-1).text, /20\s% of the mean/);
});

test('noise counts from the limit on', () => {
  assert.deepEqual(names(measurement({ noise: NOISY })), []);
  assert.deepEqual(names(measurement({ noise: NOISY * 1.01 })), ['noisy']);
});

test('a skipped point has no cautions', () => {
  assert.deepEqual(names(measurement({ skipped: 'no peer access', noise: 1 }), { contended: true }), []);
});

test('cautions and wrong results are counted', () => {
  const list = [measurement(), measurement({ noise: 1 }), measurement({ noise: 1, verified: false }), measurement({ skipped: 'x', verified: null })];
  assert.deepEqual(cautionCounts(list), [{ name: 'noisy', count: 2 }]);
  assert.deepEqual(cautionCounts(list, { contended: true }), [{ name: 'contended', count: 3 }, { name: 'noisy', count: 2 }]);
  assert.equal(wrongCount(list), 1);
  assert.equal(wrongText(1), '1 wrong result');
});
