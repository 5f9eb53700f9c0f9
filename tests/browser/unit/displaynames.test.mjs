// Display names of values, and where the title of the axis is added to them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { axisValueText, titledValue, labelledValue, valueText } from '../../../static/modules/text/displaynames.js';

const axis = (name, title, unit = null) => ({ name, title, unit });

test('values of experiments with several devices have display names', () => {
  assert.equal(valueText('device_count', 1), '1 device');
  assert.equal(valueText('device_count', 16), '16 devices');
  assert.equal(valueText('device_count', 0), 'all');
  assert.equal(valueText('scaling', 'weak'), 'weak scaling');
  assert.equal(valueText('operation', 'all-reduce'), 'all-reduce', 'a technical term keeps its hyphen');
  assert.equal(valueText('variant', 'thread-per-device'), 'thread per device');
  assert.equal(valueText('kind', 'copy-peer'), 'P2P copy');
  assert.equal(valueText('kind', 'copy-up'), 'H2D copy');
  assert.equal(valueText('kind', 'wait'), 'CUDA call that waits');
});

test('numbers, yes and no are shown with the title of the axis; phrases are not', () => {
  const chunks = axis('chunks', 'Chunks');
  const counts = axis('device_count', 'Devices');
  assert.equal(labelledValue(chunks, 4), 'chunks 4');
  assert.equal(labelledValue(counts, 4), '4 devices');
  assert.equal(labelledValue(axis('replayed', 'Replayed'), true), 'replayed yes');
  assert.equal(labelledValue(axis('in_place', 'In place'), true), 'in place');
  assert.equal(titledValue(chunks, 4), 'chunks: 4');
  assert.equal(titledValue(counts, 4), '4 devices');
  assert.equal(titledValue(axis('in_place', 'In place'), false), 'out of place');
  assert.equal(titledValue(axis('memory', 'Host memory'), 'pinned'), 'host memory: pinned');
});

test('values whose names are not words of the field are spelled out', () => {
  assert.equal(valueText('variant', 'every-k'), 'residual every k iterations');
  assert.equal(valueText('variant', 'hidden'), 'exchange hidden behind computing');
  assert.equal(valueText('variant', 'long-last'), 'long blocks last');
  assert.equal(valueText('variant', 'synchronize'), 'synchronise without work');
});

test('0 is shown as a word for parameters where it has a special meaning', () => {
  for (const name of ['weight', 'chunks']) assert.equal(valueText(name, 0), 'automatic');
  for (const name of ['m', 'n', 'k']) assert.equal(valueText(name, 0), 'swept');
  assert.equal(valueText('m', 512), '512');
  assert.equal(valueText('seed', 0), '0', 'for other parameters 0 is a number');
});

test('an axis can name its values', () => {
  const from = { ...axis('source', 'From'), values: new Map([['GPU-1', '#0']]) };
  assert.equal(axisValueText(from, 'GPU-1'), '#0');
  assert.equal(labelledValue(from, 'GPU-1'), 'from #0');
  assert.equal(axisValueText(from, 'GPU-2'), 'GPU 2');
  assert.equal(titledValue({ ...from, name: 'device', title: 'Device' }, 'GPU-1'), 'device: #0');
});
