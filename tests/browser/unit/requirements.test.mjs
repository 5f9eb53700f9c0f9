// Whether an experiment can run on the devices that there are.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { whyNot } from '../../../static/modules/requirements.js';

const devices = (...states) => states.map((state) => ({ state }));

test('what is missing is said in the lab’s words', () => {
  assert.equal(whyNot(devices('available'), { min: 2, max: 16 }), '2 devices are needed, but only 1 is available.');
  assert.equal(whyNot([], { min: 1, max: 1 }), '1 device is needed, but only 0 are available.');
  assert.equal(
    whyNot(devices('busy', 'unavailable'), { min: 2, max: 2 }),
    '2 devices are needed, but only 1 is available.',
  );
});

test('what can run needs no words; a busy device is one that can be waited for', () => {
  assert.equal(whyNot(devices('available', 'busy'), { min: 2, max: 16 }), null);
  assert.equal(whyNot(devices('available'), undefined), null);
});
