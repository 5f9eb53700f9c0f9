// static/modules/results/field.js: a field of the API becomes values, colours and pixels.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { colourAt, fieldOf, pixelsOf, valueAt } from '../../../static/modules/results/field.js';

const encoded = (values) => Buffer.from(new Float32Array(values).buffer).toString('base64');
const axes = [{ name: 'n', title: 'Side' }, { name: 'variant', title: 'Variant' }];
const field = (values, rows, columns) => fieldOf({ name: 'potential', rows, columns, values: encoded(values), axes: { n: 64 } }, axes);

test('values are decoded row by row, and their range leaves out what is not finite', () => {
  const one = field([1, 2, 3, NaN, -0.5, Infinity], 2, 3);
  assert.deepEqual([...one.values], [1, 2, 3, NaN, -0.5, Infinity]);
  assert.deepEqual([one.least, one.greatest], [-0.5, 3]);
  assert.match(one.point, /64/);
  assert.deepEqual([field([NaN], 1, 1).least, field([NaN], 1, 1).greatest], [null, null]);
});

test('the first row is at the bottom', () => {
  const one = field([1, 2, 3, 4, 5, 6], 3, 2);
  assert.equal(valueAt(one, 0.1, 0.1), 1);
  assert.equal(valueAt(one, 0.9, 0.1), 2);
  assert.equal(valueAt(one, 0, 1), 5);
  assert.equal(valueAt(one, 1, 1), 6);
  const pixels = pixelsOf(one);
  assert.deepEqual([...pixels.slice(16, 19)], colourAt(0), 'the least value is the lower left pixel');
  assert.deepEqual([...pixels.slice(4, 7)], colourAt(1), 'the greatest is the upper right one');
});

test('a constant field and values that are not finite have pixels', () => {
  assert.deepEqual([...pixelsOf(field([2, NaN], 1, 2))], [...colourAt(0), 255, 0, 0, 0, 0]);
});

test('lightness grows along the scale', () => {
  const lightness = ([red, green, blue]) => 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  for (let step = 1; step <= 50; step++)
    assert.ok(lightness(colourAt(step / 50)) > lightness(colourAt((step - 1) / 50)));
});
