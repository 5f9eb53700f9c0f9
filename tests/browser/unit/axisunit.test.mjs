// The unit of an axis, and the texts at its ticks.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { axisUnit } from '../../../static/modules/results/axisunit.js';

const shown = (unit, values, log, ticks) => {
  const { title, write } = axisUnit({ title: 'Rate', unit }, values, log);
  return [title, ...ticks.map((tick) => write(tick).replaceAll('\u00a0', ' '))];
};

test('an axis has one unit for all ticks where that gives no small numbers', () => {
  assert.deepEqual(shown('GB/s', [400, 8000], true, [500, 5000]), ['Rate (TB/s)', '0.5', '5']);
  assert.deepEqual(shown('GFLOP/s', [0, 670e3], false, [0, 200e3]), ['Rate (TFLOP/s)', '0', '200']);
  assert.deepEqual(shown('s', [0, 5e-3], false, [0, 1e-3]), ['Rate (ms)', '0', '1']);
  assert.deepEqual(shown('share', [1e-3, 1], true, [0.01, 0.5]), ['Rate (%)', '1', '50']);
});

test('on a logarithmic axis over a wide range each tick has a prefix of its own', () => {
  assert.deepEqual(shown('GFLOP/s', [230, 1.07e6], true, [500, 2e4, 1e6]), ['Rate', '500 GFLOP/s', '20 TFLOP/s', '1 PFLOP/s']);
  assert.deepEqual(shown('s', [2e-6, 0.05], true, [2e-6, 1e-2]), ['Rate', '2 µs', '10 ms']);
  assert.deepEqual(shown('Gop/s', [0, 0.05, 800], true, [0, 0.05]), ['Rate', '0', '50 Mop/s']);
});

test('no tick has three leading zeros', () => {
  assert.deepEqual(shown('1', [1e-7, 1], true, [1e-7, 5e-4, 5e-3, 0.05, 1]), ['Rate', '1e-7', '5e-4', '5e-3', '0.05', '1']);
  assert.deepEqual(shown('share', [1e-6, 1], true, [1e-6, 1]), ['Rate (%)', '1e-4', '100']);
  for (const unit of ['s', 'B/s', 'GB/s', 'GFLOP/s', 'TFLOP/s', 'op/s', 'Hz', 'cycles', '1', 'share'])
    for (let decades = 1; decades < 13; decades += 1)
      for (const tick of shown(unit, [10 ** -decades, 1], true, Array.from({ length: decades + 1 }, (_, at) => Number(`1e-${at}`))).slice(1))
        assert.doesNotMatch(tick, /^0\.00/, `${unit} over ${decades} decades`);
});
