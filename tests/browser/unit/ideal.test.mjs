// What speedup and efficiency over devices are held against.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { idealOf } from '../../../static/modules/ideal.js';

test('speedup is held against the count, efficiency against 1', () => {
  assert.equal(idealOf({ metric: 'speedup', x: 'device_count' }).at(8), 8);
  assert.equal(idealOf({ metric: 'efficiency', x: 'device_count' }).at(8), 1);
});

test('other figures, and other axes, have no ideal', () => {
  assert.equal(idealOf({ metric: 'time', x: 'device_count' }), null);
  assert.equal(idealOf({ metric: 'speedup', x: 'streams' }), null);
});
