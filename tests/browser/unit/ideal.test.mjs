// The ideal lines of speedup and efficiency over devices.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { idealOf } from '../../../static/modules/results/ideal.js';

test('the ideal speedup is the count, the ideal efficiency is 1', () => {
  assert.equal(idealOf({ metric: 'speedup', x: 'device_count' }).at(8), 8);
  assert.equal(idealOf({ metric: 'efficiency', x: 'device_count' }).at(8), 1);
});

test('other metrics and other axes have no ideal', () => {
  assert.equal(idealOf({ metric: 'time', x: 'device_count' }), null);
  assert.equal(idealOf({ metric: 'speedup', x: 'streams' }), null);
});
