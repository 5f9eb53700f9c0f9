// Whether an experiment can run on the available devices.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unmetRequirement } from '../../../static/modules/requirements.js';

const devices = (...states) => states.map((state) => ({ state }));

test('the reason is worded like the server’s error', () => {
  assert.equal(
    unmetRequirement(devices('available'), { min: 2, max: 16 }),
    '2 devices are needed, but only 1 is available.',
  );
  assert.equal(unmetRequirement([], { min: 1, max: 1 }), '1 device is needed, but only 0 are available.');
  assert.equal(
    unmetRequirement(devices('busy', 'unavailable'), { min: 2, max: 2 }),
    '2 devices are needed, but only 1 is available.',
  );
});

test('no reason when it can run; busy devices count', () => {
  assert.equal(unmetRequirement(devices('available', 'busy'), { min: 2, max: 16 }), null);
  assert.equal(unmetRequirement(devices('available'), undefined), null);
});
