// Which experiments and devices a text finds, and in which order.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { figureFor, findDevices, findExperiments, findGuidePages, findPages, findPrograms, isFigure, stemsOf, termsOf } from '../../../static/modules/text/search.js';

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

test('a display name is also searched by what the lab calls it', () => {
  assert.deepEqual(termsOf('host → dev'), ['host → dev', 'h2d']);
  assert.deepEqual(termsOf('opposite direction'), ['opposite direction', 'opposing']);
  assert.deepEqual(termsOf('nvlink'), ['nvlink']);
  assert.equal(termsOf('h2d').includes('up'), false, 'a short name would be part of many words');
  assert.deepEqual(termsOf('x'), ['x']);
});

test('longer words are searched without their endings', () => {
  assert.deepEqual(['throttle', 'throttling', 'throttled copies', 'bus', 'h2d'].map(stemsOf), ['throttl', 'throttl', 'throttl copie', 'bus', 'h2d']);
});

test('of the figures of a result the one is shown that is asked for', () => {
  const figures = [{ title: 'Device to host', axes: { direction: 'd2h' } }, { title: 'Host to device', axes: { direction: 'h2d' } }];
  assert.equal(figureFor(figures, ['h2d']), figures[1]);
  assert.equal(figureFor(figures, ['host to dev']), figures[1]);
  assert.equal(figureFor(figures, ['transfer']), figures[0]);
  assert.equal(figureFor([], ['h2d']), undefined);
});

test('a result is found by the beginning of its figure', () => {
  const figures = [{ title: 'Device to host', text: '54.99\u00a0GB/s' }, { title: 'Host to device', text: '55.05\u00a0GB/s' }];
  for (const typed of ['55.0', '55.05', '55.05 GB/s ']) assert.deepEqual(figures.map((one) => isFigure(one, typed)), [false, true], typed);
  for (const typed of ['5', '55', '5.05', '05']) assert.ok(!figures.some((one) => isFigure(one, typed)), typed);
  assert.equal(figureFor(figures, ['55.05']), figures[1]);
});

test('pages are found by title and contents', () => {
  assert.deepEqual(findPages('queue').map(({ href }) => href), ['/machines']);
  assert.deepEqual(findPages('trends').map(({ href }) => href), ['/trends']);
  assert.deepEqual(findPages('zzz'), []);
});

test('pages of the guide are found by title, summary and text, in this order', () => {
  const pages = [
    { title: 'Tools', summary: 'Names of today.', text: 'cuda-gdb steps through a kernel; errors' },
    { title: 'Errors', summary: 'How CUDA reports them.', text: 'Every call returns one.' },
  ];
  assert.deepEqual(findGuidePages(pages, 'errors').map(({ title }) => title), ['Errors', 'Tools']);
  assert.deepEqual(findGuidePages(pages, 'cuda-gdb').map(({ title }) => title), ['Tools']);
});

test('sample programs are found by what they call', () => {
  const programs = [
    { name: 'polling', title: 'Polling', text: 'Asks while the CPU computes.', files: { 'polling.cu': 'cudaStreamQuery(stream)' } },
    { name: 'sum', title: 'Sums', text: 'A program in C.', files: { 'sum.c': 'int main()' } },
  ];
  assert.deepEqual(findPrograms(programs, 'cudastreamquery').map(({ name }) => name), ['polling']);
  assert.deepEqual(findPrograms(programs, 'main').map(({ name }) => name), ['sum']);
});
