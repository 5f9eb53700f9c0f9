// The positions of ticks on logarithmic, linear and time axes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { binaryTicks, countTicks, decimalTicks, evenTicks, timeTicks } from '../../../static/modules/results/ticks.js';

test('ticks are at powers of two, at fewer of them where the axis is short', () => {
  assert.deepEqual(binaryTicks(1000, 9000, 600, 60), [1024, 2048, 4096, 8192]);
  assert.deepEqual(binaryTicks(1024, 2 ** 28, 640, 62), [
    2 ** 10,
    2 ** 12,
    2 ** 14,
    2 ** 16,
    2 ** 18,
    2 ** 20,
    2 ** 22,
    2 ** 24,
    2 ** 26,
    2 ** 28,
  ]);
  assert.ok(binaryTicks(1, 2 ** 40, 300, 62).length <= 5);
  assert.ok(binaryTicks(1, 2 ** 40, 300, 62).length >= 3);
});

test('ticks are at powers of ten, with multiples between them where the axis is long', () => {
  assert.deepEqual(decimalTicks(0.009, 110, 200, 30), [0.01, 0.1, 1, 10, 100]);
  assert.deepEqual(decimalTicks(0.9, 60, 400, 40), [1, 2, 5, 10, 20, 50]);
  assert.deepEqual(decimalTicks(1e-9, 1e3, 120, 30), [1e-9, 1e-6, 1e-3, 1, 1e3]);
});

test('a short axis over many decades has ticks at powers', () => {
  assert.deepEqual(binaryTicks(4000, 5.6e8, 250, 68), [2 ** 12, 2 ** 22]);
  assert.deepEqual(decimalTicks(2e-6, 4e-2, 240, 68), [1e-4, 1e-2]);
  assert.deepEqual(decimalTicks(2e-6, 4e-2, 120, 68), [1e-5, 1e-2]);
});

test('a narrow range still has ticks', () => {
  assert.deepEqual(decimalTicks(11, 14, 210, 30), [11, 11.5, 12, 12.5, 13, 13.5, 14]);
  assert.deepEqual(decimalTicks(0.5, 3.1, 120, 30), [0.5, 1, 2]);
  assert.deepEqual(binaryTicks(2100, 4000, 300, 62), [2500, 3000, 3500, 4000]);
});

test('a time axis has one unit and enough decimals', () => {
  const texts = (...range) => timeTicks(...range).map(({ text }) => text.replaceAll('\u00a0', ' '));
  assert.deepEqual(texts(0, 4e6, 800, 200), ['0 ms', '1 ms', '2 ms', '3 ms', '4 ms']);
  assert.deepEqual(texts(0, 1.2e6, 600, 100), ['0 ms', '0.2 ms', '0.4 ms', '0.6 ms', '0.8 ms', '1.0 ms', '1.2 ms']);
  assert.deepEqual(texts(3_200_000, 3_200_400, 400, 90), [
    '3.2000 ms',
    '3.2001 ms',
    '3.2002 ms',
    '3.2003 ms',
    '3.2004 ms',
  ]);
  assert.deepEqual(texts(0, 45, 300, 60), ['0 ns', '10 ns', '20 ns', '30 ns', '40 ns']);
  assert.deepEqual(texts(100_000, 110_000, 200, 90), ['100 µs', '105 µs', '110 µs']);
  assert.deepEqual(texts(5, 5, 200, 90), []);
});

test('a time axis has no ticks between nanoseconds', () => {
  const ticks = timeTicks(1000, 1003, 900, 60).map(({ at }) => at);
  assert.deepEqual(ticks, [1000, 1001, 1002, 1003]);
});

test('an axis of counts has ticks at whole numbers, at all of them if there is space', () => {
  assert.deepEqual(countTicks(0.94, 2.06, 30), [1, 2]);
  assert.deepEqual(countTicks(0.6, 8.4, 30), [1, 2, 3, 4, 5, 6, 7, 8]);
  assert.deepEqual(countTicks(0.1, 16.9, 12), [1, 2, 4, 6, 8, 10, 12, 14, 16]);
  assert.deepEqual(countTicks(0.1, 64.9, 12), [1, 10, 20, 30, 40, 50, 60]);
  assert.deepEqual(countTicks(7.1, 64.9, 12), [10, 20, 30, 40, 50, 60]);
  assert.deepEqual(countTicks(2.8, 4.2, 30), [3, 4]);
});

test('evenly spaced ticks are at most as many as requested', () => {
  assert.deepEqual(evenTicks(0, 100, 6), [0, 20, 40, 60, 80, 100]);
  assert.ok(evenTicks(0.3, 977, 5).length <= 5);
});
