// static/modules/results/standing.js
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { standingOf } from '../../../static/modules/results/standing.js';

const history = { runs: 59, median: 55, q1: 54, q3: 56, low: 54, high: 56, percentile: 100 * (59 - 47) / 59 };
const headline = (more) => ({ metric: 'bandwidth', unit: 'GB/s', verdict: 'as-usual', better: null, history, references: [], ...more });
const plain = (text) => text.replaceAll('\u00a0', ' ');

test('a usual value has its place among all runs, the best being the first', () => {
  const standing = standingOf(headline(), false, 'NVIDIA H200');
  assert.equal(standing.history, 'as usual for NVIDIA H200, 48th of 60');
  assert.equal(standing.tone, '');
  assert.equal(plain(standing.range), 'usually 54.00 GB/s to 56.00 GB/s');
  assert.equal(standingOf(headline(), true, 'X').history, 'as usual for X, 13th of 60');
});

test('a deviation is better or worse', () => {
  const worst = { ...history, percentile: 0 };
  assert.deepEqual(Object.values(standingOf(headline({ verdict: 'lower', better: false, history: worst }), false, 'X')).slice(0, 2),
    ['warn', 'worse than usual for X, 60th of 60']);
  assert.deepEqual(Object.values(standingOf(headline({ verdict: 'lower', better: true, history: worst }), true, 'X')).slice(0, 2),
    ['good', 'better than usual for X, 1st of 60']);
});

test('a share and a speedup are written as the figure is', () => {
  const few = { verdict: 'too-few', unit: '1', history: { ...history, runs: 1, median: 0.9 } };
  assert.equal(plain(standingOf(headline({ ...few, metric: 'share_of_copy' }), false, 'X').history), '1 earlier run: 90.0 %');
  assert.equal(standingOf(headline({ ...few, metric: 'speedup' }), false, 'X').history, '1 earlier run: 0.900x');
});

test('with few earlier runs their median is given', () => {
  const few = (runs) => standingOf(headline({ verdict: 'too-few', history: { ...history, runs } }), false, 'X');
  assert.equal(few(0).history, '');
  assert.equal(plain(few(1).history), '1 earlier run: 55.00 GB/s');
  assert.equal(plain(few(3).history), 'median of 3 earlier runs: 55.00 GB/s');
  assert.equal(few(3).range, '');
});

test('published figures come with the share of them', () => {
  const references = [{ system: 'S', source: 'T', value: 50, remark: null, share: 1.1 }];
  assert.equal(plain(standingOf(headline({ references }), false, 'X').published), 'published 50.0 GB/s, this run 110 % of it');
});
