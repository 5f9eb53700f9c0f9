// static/modules/results/cautions.js
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cautionCounts, cautionsOf, hasCautions, limitsOf, wrongCount, wrongText } from '../../../static/modules/results/cautions.js';

const noisy = { name: 'noisy', text: 'The samples vary.' }, drifting = { name: 'drifting', text: 'The samples fell.' };
const measurement = (more) => ({ verified: true, median: 10, cautions: [], conditions: { throttle: [], throttled_by: [] }, skipped: null, ...more });
const names = (one, run) => cautionsOf(one, run).map(({ name }) => name);

test('a measurement has the cautions that the lab gives it, and that of its run', () => {
  assert.deepEqual(cautionsOf(measurement()), []);
  assert.deepEqual(cautionsOf(measurement({ cautions: [drifting, noisy] })), [drifting, noisy]);
  assert.deepEqual(names(measurement({ cautions: [noisy] }), { contended: true }), ['contended', 'noisy']);
  assert.deepEqual(names(measurement({ noise: 1, stop_reason: 'drifting' })), [], 'the page does not decide');
  assert.deepEqual([hasCautions(measurement()), hasCautions(measurement(), { contended: true }), hasCautions(measurement({ cautions: [noisy] }))], [false, true, true]);
});

test('a skipped point has no cautions', () => {
  assert.deepEqual(names(measurement({ skipped: 'no peer access' }), { contended: true }), []);
});

test('cautions and wrong results are counted', () => {
  const list = [measurement(), measurement({ cautions: [noisy] }), measurement({ cautions: [drifting, noisy], verified: false }), measurement({ skipped: 'x', verified: null })];
  assert.deepEqual(cautionCounts(list), [{ name: 'drifting', count: 1 }, { name: 'noisy', count: 2 }]);
  assert.deepEqual(cautionCounts(list, { contended: true }), [{ name: 'contended', count: 3 }, { name: 'drifting', count: 1 }, { name: 'noisy', count: 2 }]);
  assert.equal(wrongCount(list), 1);
  assert.equal(wrongText(1), '1 wrong result');
});

test('the reasons of throttling that the lab does not name as cautions are facts', () => {
  assert.deepEqual(limitsOf({ throttle: ['power-cap', 'heat'], throttled_by: ['heat'] }), ['power-cap']);
  assert.deepEqual([limitsOf(measurement().conditions), limitsOf(null)], [[], []]);
});
