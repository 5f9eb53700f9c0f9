// The order of reference results.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newestFirst } from '../../../static/modules/results/published.js';

test('newer references come first, those without a year last', () => {
  const sources = ['a book', 'Harris, 2007', 'gpulab on H200 SXM, driver 580.159.04, 2026-11', 'another book'].map((source) => ({ source, system: source }));
  assert.deepEqual(newestFirst(sources).map(({ source }) => source.slice(0, 7)), ['gpulab ', 'Harris,', 'a book', 'another']);
});
