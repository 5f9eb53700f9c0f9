// Measurements from the run's document and from the stream, put together.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collection } from '../../../static/modules/measurementset.js';

const point = (bytes, median, metric = 'time') => ({ metric, axes: { bytes, direction: 'h2d' }, median });

test('what comes twice is there once, and the later word holds', () => {
  const all = collection();
  all.add(point(1, 10));
  all.add(point(2, 20));
  all.add({ ...point(1, 11), axes: { direction: 'h2d', bytes: 1 } });
  assert.deepEqual(
    all.list().map(({ median }) => median),
    [11, 20],
  );
});

test('the document gives the order; what came meanwhile stays behind it', () => {
  const all = collection();
  all.add(point(3, 30));
  all.add(point(2, 20));
  all.take([point(1, 10), point(2, 20), point(2, 21, 'bandwidth')]);
  assert.deepEqual(
    all.list().map(({ median }) => median),
    [10, 20, 21, 30],
  );
  all.take([point(1, 10), point(2, 20), point(2, 21, 'bandwidth'), point(3, 30)]);
  assert.equal(all.list().length, 4);
});
