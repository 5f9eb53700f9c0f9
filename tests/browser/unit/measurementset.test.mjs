// Measurements merged from the run's document and the event stream.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { measurementSet } from '../../../static/modules/results/measurementset.js';

const point = (bytes, median, metric = 'time') => ({ metric, axes: { bytes, direction: 'h2d' }, median });

test('a measurement that arrives twice is kept once, with the later value', () => {
  const all = measurementSet();
  all.add(point(1, 10));
  all.add(point(2, 20));
  all.add({ ...point(1, 11), axes: { direction: 'h2d', bytes: 1 } });
  assert.deepEqual(
    all.list().map(({ median }) => median),
    [11, 20],
  );
});

test('measurements are in the order of the document; those that it lacks follow', () => {
  const all = measurementSet();
  all.add(point(3, 30));
  all.add(point(2, 20));
  all.merge([point(1, 10), point(2, 20), point(2, 21, 'bandwidth')]);
  assert.deepEqual(
    all.list().map(({ median }) => median),
    [10, 20, 21, 30],
  );
  all.merge([point(1, 10), point(2, 20), point(2, 21, 'bandwidth'), point(3, 30)]);
  assert.equal(all.list().length, 4);
});

test('measurements of the base of a comparison are left out', () => {
  const all = measurementSet();
  all.add({ ...point(1, 10), side: 'base' });
  all.merge([{ ...point(1, 12), side: 'base' }, { ...point(1, 11), side: 'head' }]);
  all.add({ ...point(1, 13), side: 'base' });
  assert.deepEqual(
    all.list().map(({ median }) => median),
    [11],
  );
});
