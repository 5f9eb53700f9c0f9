// Which experiments and devices a text finds, and in which order.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findDevices, findExperiments } from '../../../static/modules/text/search.js';

const experiments = [
  { name: 'stream', title: 'Memory bandwidth', summary: 'Reads and writes.', metric_titles: ['Bandwidth'] },
  { name: 'transfer', title: 'Host-device transfer', summary: 'Bandwidth of copies.', metric_titles: ['Latency'] },
  { name: 'launch', title: 'Kernel launches', summary: 'What a launch costs.', metric_titles: ['Enqueue'] },
];
const names = (text) => findExperiments(experiments, text).map(({ name }) => name);

test('titles come before summaries, and summaries before metrics', () => {
  assert.deepEqual(names('bandwidth'), ['stream', 'transfer']);
  assert.deepEqual(names('LATENCY'), ['transfer']);
  assert.deepEqual(names('enqueue'), ['launch']);
});

test('every word must occur; no words find nothing', () => {
  assert.deepEqual(names('host copies'), ['transfer']);
  assert.deepEqual(names('host launches'), []);
  assert.deepEqual(names('  '), []);
});

test('devices are found by name, machine and id', () => {
  const devices = [{ id: 'GPU-1a', name: 'NVIDIA H200', node: 'gpu7' }, { id: 'host-0', name: 'CPU', node: 'here' }];
  assert.deepEqual(findDevices(devices, 'h200 gpu7').map(({ id }) => id), ['GPU-1a']);
  assert.deepEqual(findDevices(devices, 'h200').map(({ id }) => id), ['GPU-1a']);
  assert.deepEqual(findDevices(devices, 'host-0').map(({ id }) => id), ['host-0']);
});
