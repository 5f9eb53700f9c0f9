// Files of NumPy: the elements that the page reads of them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { elementsOf } from '../../../static/modules/text/npy.js';

const file = (descr, { order = 'False', version = 1 } = {}) => {
  const header = Buffer.from(`{'descr': '${descr}', 'fortran_order': ${order}, 'shape': (2,), }\n`);
  const length = version > 1 ? Buffer.from([header.length, 0, 0, 0]) : Buffer.from([header.length, 0]);
  return Uint8Array.from(Buffer.concat([Buffer.from('\x93NUMPY', 'latin1'), Buffer.from([version, 0]), length, header, Buffer.from([1, 2, 3, 4])]));
};

test('a file of NumPy has the elements after its header, another one nothing else', () => {
  assert.deepEqual([...elementsOf(file('<i2'), 'i16')], [1, 2, 3, 4]);
  assert.deepEqual([...elementsOf(file('|V2', { version: 2 }), 'bf16')], [1, 2, 3, 4]);
  assert.deepEqual([...elementsOf(Uint8Array.of(7, 8), 'i16')], [7, 8]);
});

test('elements of another type, order or layout are refused', () => {
  assert.throws(() => elementsOf(file('<f2'), 'i16'), /has elements of fp16; those of the argument are i16\./);
  assert.throws(() => elementsOf(file('>i2'), 'i16'), /big-endian i16/);
  assert.throws(() => elementsOf(file('<i2', { order: 'True' }), 'i16'), /ascontiguousarray/);
  assert.throws(() => elementsOf(file("', 'x': [('a', '<f4')], 'y': '"), 'i16'), /has elements that are structures; those of the argument are i16\./);
});

test('a file that is cut within its header is refused', () => {
  for (const length of [6, 8, 9, 11, 40]) assert.throws(() => elementsOf(file('<i2').subarray(0, length), 'i16'), /^Error: is no whole NumPy file\.$/, `${length}`);
});
