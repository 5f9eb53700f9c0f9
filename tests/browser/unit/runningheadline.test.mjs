// The headline of a run that has not ended.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runningHeadline } from '../../../static/modules/results/runningheadline.js';

const HEADLINE = { title: 'bf16', metric: 'throughput', axis: 'type', value: 'bf16', largest: null, best: 'highest' };
const at = (load, median, more) => ({ metric: 'throughput', unit: 'GFLOP/s', median, axes: { type: 'bf16', load }, ...more });
const valueOf = (measurements) => runningHeadline([HEADLINE], measurements)?.[0].value;

test('the best of the measurements that count is the headline', () => {
  assert.equal(valueOf([at('sustained', 4), at('sustained', 6), at('sustained', 5)]), 6);
  assert.equal(valueOf([at('sustained', 4), at('sustained', 6, { verified: false })]), 4);
  assert.equal(runningHeadline([HEADLINE], []), null);
});

test('bursts count only without a sustained figure', () => {
  assert.equal(valueOf([at('burst', 8), at('burst', 9)]), 9);
  assert.equal(valueOf([at('burst', 9), at('sustained', 4)]), 4);
});
