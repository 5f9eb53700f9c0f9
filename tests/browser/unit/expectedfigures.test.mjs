// Documented figures that say what to expect of the headlines of an experiment.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectedFigures } from '../../../static/modules/results/measured.js';

const headline = { title: 'Host to device', metric: 'bandwidth', at: { direction: 'h2d' }, except: {}, largest: ['bytes'], best: 'highest' };
const figure = (system, value, axes = {}, source = 'gpulab on it, 2026-11') => (
  { reference: { system, metric: 'bandwidth', value, source, axes: { direction: 'h2d', bytes: 4096, memory: 'pinned', ...axes } }, measured: null });
const expected = (figures, model, changes = {}) => expectedFigures(figures, [{ ...headline, ...changes }], model).map(({ reference }) => [reference.system, reference.value]);

test('the device model comes first, then what gpulab measured, then the newest', () => {
  const figures = [figure('Tesla K20', 6, {}, 'A book, 2013'), figure('Tesla K40', 9, {}, 'A book, 2015'), figure('NVIDIA H200 SXM', 55), figure('4 x NVIDIA H100 80GB HBM3, NVLink', 54)];
  assert.deepEqual(expected(figures, 'Tesla K20'), [['Tesla K20', 6]]);
  assert.deepEqual(expected(figures, 'NVIDIA H200'), [['NVIDIA H200 SXM', 55]]);
  assert.deepEqual(expected(figures, 'NVIDIA H100 80GB HBM3'), [['4 x NVIDIA H100 80GB HBM3, NVLink', 54]]);
  assert.deepEqual(expected(figures, 'NVIDIA H20'), [['NVIDIA H200 SXM', 55]], 'the beginning of a name is no model');
  assert.deepEqual(expected(figures.slice(0, 2), undefined), [['Tesla K40', 9]]);
});

test('the largest size comes before the best value, and other points do not count', () => {
  const figures = [figure('X', 60), figure('X', 10, { bytes: 8192, memory: 'pageable' }), figure('X', 55, { bytes: 8192 }), figure('X', 70, { bytes: 16384, direction: 'd2h' })];
  assert.deepEqual(expected(figures, 'X'), [['X', 55]]);
  assert.deepEqual(expected(figures, 'X', { best: 'lowest' }), [['X', 10]]);
  assert.deepEqual(expected(figures, 'X', { except: { memory: 'pinned' } }), [['X', 10]]);
  assert.deepEqual(expected(figures, 'X', { metric: 'time' }), []);
});
