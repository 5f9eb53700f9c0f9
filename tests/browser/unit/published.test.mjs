// Which reference results are of a device model.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newestFirst, publishedFor } from '../../../static/modules/results/published.js';

const systems = ['NVIDIA H200 SXM', '2 x NVIDIA H200 SXM, NVLink', 'NVIDIA H2000', 'Tesla K20c', 'NVIDIA H200'].map((system) => ({ system }));

test('a system is of a model when it is named after it, in any number', () => {
  const { same, others } = publishedFor(systems, 'NVIDIA H200');
  assert.deepEqual(same.map(({ system }) => system), ['NVIDIA H200 SXM', '2 x NVIDIA H200 SXM, NVLink', 'NVIDIA H200']);
  assert.equal(others.length, 2);
});

test('newer references come first, those without a year last', () => {
  const sources = ['a book', 'Harris, 2007', 'gpulab on H200 SXM, driver 580.159.04, 2026-11', 'another book'].map((source) => ({ source, system: source }));
  assert.deepEqual(newestFirst(sources).map(({ source }) => source.slice(0, 7)), ['gpulab ', 'Harris,', 'a book', 'another']);
  assert.equal(publishedFor(sources, 'x').others[0].source.slice(0, 6), 'gpulab');
});

test('without a device nothing is of its model', () => {
  assert.deepEqual(publishedFor(systems, '').same, []);
});
