// static/modules/results/measurementrows.js
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { axesOf, measurementRows, metricsOf } from '../../../static/modules/results/measurementrows.js';

const axes = [{ name: 'direction', title: 'Direction' }, { name: 'bytes', title: 'Size', unit: 'B' }];
const point = (metric, own) => ({ metric, unit: 'GB/s', axes: own });

test('metrics are in the order of the experiment, with their number of measurements', () => {
  const list = [point('time', {}), point('other', {}), point('bandwidth', {}), point('time', {})];
  assert.deepEqual(
    metricsOf(list, [{ name: 'bandwidth', title: 'Bandwidth' }, { name: 'time', title: 'Time' }, { name: 'absent', title: 'Absent' }])
      .map(({ name, title, count }) => [name, title, count]),
    [['bandwidth', 'Bandwidth', 1], ['time', 'Time', 2], ['other', 'other', 1]],
  );
});

test('axes that differ, or that some measurements lack, vary; the others are constant', () => {
  const { varying, constant } = axesOf([point('a', { bytes: 1, direction: 'h2d', extra: 1 }), point('a', { bytes: 1, direction: 'd2h' })], axes);
  assert.deepEqual(varying.map(({ name }) => name), ['direction', 'extra']);
  assert.deepEqual(constant.map(({ axis, value }) => [axis.name, value]), [['bytes', 1]]);
});

test('the rows are those of one metric; a constant axis heads them if none varies', () => {
  const list = [point('a', { bytes: 1, direction: 'h2d' }), point('b', { bytes: 2, direction: 'h2d' })];
  const { rows, varying, constant } = measurementRows(list, 'a', axes);
  assert.deepEqual(rows, [list[0]]);
  assert.deepEqual(varying.map(({ name }) => name), ['direction']);
  assert.deepEqual(constant.map(({ axis }) => axis.name), ['bytes']);
});
