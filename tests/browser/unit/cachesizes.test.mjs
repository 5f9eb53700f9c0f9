// The sizes of caches drawn in charts over the working set.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cacheSizesOf, isWorkingSet } from '../../../static/modules/results/cachesizes.js';

const KIB = 1024;
const gpu = { backend: 'cuda', properties: { l2_bytes: 50 * KIB * KIB, shared_per_multiprocessor_bytes: 228 * KIB } };
const shown = (devices) => cacheSizesOf(devices).map(({ bytes, text }) => [bytes, text.replaceAll('\u00a0', ' ')]);

test('a GPU has the L1 cache of a multiprocessor and the L2 cache, each once for several devices of a kind', () => {
  const expected = [[228 * KIB, 'L1/shared 228 KiB'], [50 * KIB * KIB, 'L2 50 MiB']];
  assert.deepEqual(shown([gpu]), expected);
  assert.deepEqual(shown([gpu, gpu]), expected);
});

test('the host runtime has its last-level cache; unknown sizes are left out', () => {
  const host = { backend: 'host', properties: { l2_bytes: 8 * KIB * KIB, shared_per_multiprocessor_bytes: null } };
  assert.deepEqual(shown([host]), [[8 * KIB * KIB, 'last-level cache 8 MiB']]);
  assert.deepEqual(shown([{ backend: null, properties: {} }]), []);
});

test('they are drawn over the working set only', () => {
  assert.ok(isWorkingSet('working_set') && !isWorkingSet('bytes'));
});
