// Whether an experiment can run on the available devices.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unmetRequirement } from '../../../static/modules/requirements.js';

const devices = (...states) => states.map((state) => ({ state }));

test('the reason is worded like the server’s error', () => {
  assert.equal(
    unmetRequirement(devices('available'), { name: 'peer', devices: { min: 2, max: 16 } }),
    'peer needs at least 2 devices, but 1 is available.',
  );
  assert.equal(unmetRequirement([], { name: 'matmul', devices: { min: 1, max: 1 } }), 'matmul needs at least 1 device, but 0 are available.');
  assert.equal(
    unmetRequirement(devices('busy', 'unavailable'), { name: 'pair', devices: { min: 2, max: 2 } }),
    'pair needs at least 2 devices, but 1 is available.',
  );
});

test('there is no reason if the experiment can run; busy devices can be used', () => {
  assert.equal(unmetRequirement(devices('available', 'busy'), { name: 'peer', devices: { min: 2, max: 16 } }), null);
  assert.equal(unmetRequirement(devices('available'), { name: 'matmul' }), null);
});
