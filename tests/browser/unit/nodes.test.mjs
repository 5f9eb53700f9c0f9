// The machines of a lab in words.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { machinesOf, modelsText, nodeState, transportText, waitingText } from '../../../static/modules/text/nodes.js';

test('how a machine is reached', () => {
  assert.equal(transportText({ transport: 'local', target: 'localhost' }), 'this machine');
  assert.equal(transportText({ transport: 'ssh', target: 'lab@gpu2' }), 'by ssh, host lab@gpu2');
  assert.equal(transportText({ transport: 'slurm', target: 'gpu' }), 'by Slurm, partition gpu');
  assert.equal(transportText({ transport: 'another', target: 'x' }), 'by another, x');
});

test('what a machine does, and what waits for it', () => {
  assert.deepEqual(nodeState({ state: 'running' }), { tone: 'active', word: 'measuring' });
  assert.deepEqual(nodeState({ state: 'held' }), { tone: 'bad', word: 'no worker answers' });
  assert.deepEqual(nodeState({ state: 'new' }), { tone: '', word: 'new' });
  assert.deepEqual([0, 1, 3].map((queued) => waitingText({ queued })), ['no run waits', '1 run waits', '3 runs wait']);
});

test('the models of its devices are counted', () => {
  const named = (...names) => names.map((name) => ({ name }));
  assert.equal(modelsText(named('H200', 'A6000', 'H200')), '2 × H200, A6000');
  assert.equal(modelsText([]), '');
});

test('the machines of a run are those of its devices', () => {
  const on = (...nodes) => nodes.map((node, at) => ({ id: `${at}`, node }));
  assert.deepEqual(machinesOf({ devices: on('n1', 'n1', 'n2'), host: 'n1' }), ['n1', 'n2']);
  assert.deepEqual(machinesOf({ devices: on(null), host: 'old' }), ['old']);
  assert.deepEqual(machinesOf({ devices: on(null), host: null }), []);
});
