// The sizes that pictures of one size can show.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { atSize, firstSize, sizeNames, sizesOf } from '../../../static/modules/sizes.js';

const AXES = ['type', 'step', 'm', 'n', 'k'].map((name) => ({ name, title: name, unit: null }));
const point = (step, m, n, k, more) => ({
  metric: 'throughput',
  axes: { type: 'fp32', step, m, n, k },
  median: 1,
  skipped: null,
  ...more,
});
const MEASURED = [
  point('naive', 4096, 1024, 8),
  point('naive', 512, 512, 512),
  point('naive', 64, 64, 64),
  point('tiled', 64, 64, 64),
  point('naive', 8192, 8192, 8192, { skipped: 'too slow' }),
];

test('sizes go by the product of their numbers, and count what was measured', () => {
  assert.deepEqual(
    sizesOf(MEASURED, AXES).map(({ words, count }) => [words, count]),
    [
      ['64 × 64 × 64', 2],
      ['4,096 × 1,024 × 8', 1],
      ['512 × 512 × 512', 1],
    ],
  );
  assert.equal(sizeNames(MEASURED, AXES), 'm × n × k');
  assert.equal(sizeNames([], AXES), '');
});

test('the largest is shown first; of a run that is not complete, the largest of the fullest', () => {
  const sizes = sizesOf(MEASURED, AXES);
  assert.equal(firstSize(sizes, true), sizes[2].key);
  assert.equal(firstSize(sizes, false), sizes[0].key);
  assert.equal(firstSize(sizesOf(MEASURED.slice(0, 2), AXES), false), sizes[2].key);
  assert.equal(firstSize([], false), null);
});

test('of one size, skipped points too', () => {
  const { key } = sizesOf(MEASURED, AXES)[0];
  assert.deepEqual(
    atSize(MEASURED, AXES, key).map(({ axes }) => axes.step),
    ['naive', 'tiled'],
  );
  assert.equal(atSize(MEASURED, AXES, key.replaceAll('64', '8192')).length, 1);
});
