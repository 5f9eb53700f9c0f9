// Which source code is shown for which runtime.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { backendOf, backendsOf, sourcesOf } from '../../../static/modules/lab/sources.js';

const source = (step, backend) => ({ step, backend, title: step, explanation: '', file: `${backend}/${step}.c` });
const sources = [source('naive', 'cuda'), source('cublas', 'cuda'), source('naive', 'host')];

test('runtimes are in the order of the list; each has its own sources', () => {
  assert.deepEqual(backendsOf(sources), ['cuda', 'host']);
  assert.deepEqual(backendsOf(undefined), []);
  assert.deepEqual(
    sourcesOf({ sources }, 'cuda').map(({ step }) => step),
    ['naive', 'cublas'],
  );
  assert.deepEqual(sourcesOf({}, 'cuda'), []);
});

test('the runtime of a run is the recorded one, otherwise that of its device, otherwise unknown', () => {
  const recorded = {
    devices: [
      { id: 'a', backend: 'host' },
      { id: 'b', backend: 'cuda' },
    ],
  };
  const present = (id) => (id === 'a' ? { backend: 'cuda' } : undefined);
  assert.equal(backendOf({ devices: [{ id: 'b' }], environment: recorded }, present), 'cuda');
  assert.equal(backendOf({ devices: [{ id: 'a' }], environment: recorded }, present), 'host');
  assert.equal(backendOf({ devices: [{ id: 'a' }], environment: null }, present), 'cuda');
  assert.equal(backendOf({ devices: [{ id: 'c' }], environment: {} }, present), null);
});
