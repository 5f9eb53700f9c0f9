// The parameters of a run that measures one point.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parametersAt } from '../../../static/modules/text/pointparameters.js';

const schema = { properties: { memory: { anyOf: [{ enum: ['pinned'] }, {}] }, opposing: { type: 'boolean' }, min_bytes: {}, max_bytes: {}, min_n: {} } };

test('an axis is the parameter of its name, in a list where one is taken, or both bounds of its sizes', () => {
  assert.deepEqual(parametersAt({ memory: 'pinned', opposing: false, bytes: 4096 }, schema), { memory: ['pinned'], opposing: false, min_bytes: 4096, max_bytes: 4096 });
});

test('what no parameter decides is left out', () => {
  assert.deepEqual(parametersAt({ phase: 'copy', n: 4 }, schema), {});
  assert.deepEqual(parametersAt({ memory: 'pinned' }, undefined), {});
});
