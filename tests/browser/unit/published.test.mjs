// The order of reference results.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newestFirst, referencesOfRun } from '../../../static/modules/results/published.js';

test('newer references come first, those without a year last', () => {
  const sources = ['a book', 'Harris, 2007', 'gpulab on H200 SXM, driver 580.159.04, 2026-11', 'another book'].map((source) => ({ source, system: source }));
  assert.deepEqual(newestFirst(sources).map(({ source }) => source.slice(0, 7)), ['gpulab ', 'Harris,', 'a book', 'another']);
});

test('only references whose parameters the run has are compared', () => {
  const list = [{ system: 'A', parameters: {} }, { system: 'B', parameters: { queues: 8, kernel_s: 1e-4 } }];
  const systems = (parameters) => referencesOfRun(list, parameters).map(({ system }) => system);
  assert.deepEqual(systems({ queues: 8, kernel_s: 0.0001, seed: 1 }), ['A', 'B']);
  assert.deepEqual(systems({ queues: 32, kernel_s: 0.0001 }), ['A']);
  assert.deepEqual(systems({}), ['A']);
});
