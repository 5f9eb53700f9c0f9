// The sizes that can be selected in a chart that shows one size at a time.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ofSize, defaultSize, sizeTitle, sizesOf } from '../../../static/modules/results/sizes.js';

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

test('sizes are sorted by the product of their numbers, and count measurements', () => {
  assert.deepEqual(
    sizesOf(MEASURED, AXES).map(({ text, count }) => [text, count]),
    [
      ['64 × 64 × 64', 2],
      ['4,096 × 1,024 × 8', 1],
      ['512 × 512 × 512', 1],
    ],
  );
  assert.equal(sizeTitle(MEASURED, AXES), 'm × n × k');
  assert.equal(sizeTitle([], AXES), '');
});

test('the default is the largest size; for an unfinished run, the largest of those with most measurements', () => {
  const sizes = sizesOf(MEASURED, AXES);
  assert.equal(defaultSize(sizes, true), sizes[2].key);
  assert.equal(defaultSize(sizes, false), sizes[0].key);
  assert.equal(defaultSize(sizesOf(MEASURED.slice(0, 2), AXES), false), sizes[2].key);
  assert.equal(defaultSize([], false), null);
});

test('the measurements of one size include skipped ones', () => {
  const { key } = sizesOf(MEASURED, AXES)[0];
  assert.deepEqual(
    ofSize(MEASURED, AXES, key).map(({ axes }) => axes.step),
    ['naive', 'tiled'],
  );
  assert.equal(ofSize(MEASURED, AXES, key.replaceAll('64', '8192')).length, 1);
});

test('a step without one of the axes of a size belongs to all sizes that agree in the others', () => {
  const axes = ['step', 'n', 'block'].map((name) => ({ name, title: name, unit: null }));
  const at = (step, n, block) => ({ axes: { step, n, ...(block && { block }) }, median: 1 });
  const list = [at('tree', 64, 128), at('tree', 64, 256), at('tree', 128, 256), at('library', 64), at('library', 512)];
  const sizes = sizesOf(list, axes);
  assert.deepEqual(sizes.map(({ text }) => text), ['512', '64 × 128', '64 × 256', '128 × 256']);
  assert.equal(sizeTitle([list[3], list[0]], axes), 'n × block');
  const steps = ({ key }) => ofSize(list, axes, key).map(({ axes: { step } }) => step);
  assert.deepEqual(sizes.map(steps), [['library'], ['tree', 'library'], ['tree', 'library'], ['tree']]);
});
