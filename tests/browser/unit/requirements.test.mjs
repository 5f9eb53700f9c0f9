// Whether an experiment can run on the available devices.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { spanningDevices, unmetRequirement } from '../../../static/modules/lab/requirements.js';

const devices = (...states) => states.map((state) => ({ state }));
const experiment = (min, max) => ({ name: 'peer', devices: { min, max } });

test('the reason is worded like the server’s error', () => {
  assert.equal(
    unmetRequirement(devices('available'), experiment(2, 16)),
    'Needs at least 2 devices, but 1 is available.',
  );
  assert.equal(unmetRequirement([], experiment(1, 1)), 'Needs at least 1 device, but 0 are available.');
  assert.equal(
    unmetRequirement(devices('busy', 'unavailable'), experiment(2, 2)),
    'Needs at least 2 devices, but 1 is available.',
  );
});

test('there is no reason if the experiment can run; busy devices can be used', () => {
  assert.equal(unmetRequirement(devices('available', 'busy'), experiment(2, 16)), null);
  assert.equal(unmetRequirement(devices('available'), { name: 'transfer' }), null);
});

test('several machines together have enough devices where a run may have CUDA devices of several', () => {
  const on = (backend, ...nodes) => nodes.map((node) => ({ node, backend, state: 'available' }));
  const range = { min: 2, max: 16, several_machines: true };
  const gpus = on('cuda', 'a', 'b');
  assert.deepEqual(spanningDevices(gpus, range), gpus);
  assert.deepEqual(spanningDevices([...gpus, ...on('host', 'c')], range), gpus);
  assert.deepEqual(spanningDevices(on('cuda', 'a', 'a'), range), []);
  assert.deepEqual(spanningDevices(gpus, { ...range, several_machines: false }), []);
  assert.equal(unmetRequirement(gpus, { devices: range }), null);
  assert.notEqual(unmetRequirement(on('host', 'a', 'b'), { devices: range }), null);
});

test('of several machines, one must have enough devices', () => {
  const on = (...nodes) => nodes.map((node) => ({ node, state: 'available' }));
  assert.equal(unmetRequirement(on('a', 'b'), experiment(2, 2)), 'Needs at least 2 devices of one machine, but each has at most 1.');
  assert.equal(unmetRequirement(on('a', 'b', 'b'), experiment(2, 2)), null);
});
