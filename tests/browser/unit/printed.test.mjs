// What a program has printed: the document of the run and the events since, each text once.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { printed } from '../../../static/modules/results/printed.js';

const all = (output) => output.parts().map(({ stream, text }) => `${stream}:${text}`);

test('events are joined by stream, in order', () => {
  const output = printed();
  for (const [stream, offset, text] of [['compiler', 0, 'w\n'], ['stdout', 2, 'a'], ['stdout', 3, 'b'], ['stderr', 4, 'e']]) assert.equal(output.add({ stream, offset, text }), true);
  assert.deepEqual(all(output), ['compiler:w\n', 'stdout:ab', 'stderr:e']);
  output.merge('w\nabe');
  assert.deepEqual(all(output), ['compiler:w\n', 'stdout:ab', 'stderr:e'], 'the document has nothing new');
});

test('a document and the events that it has already are shown once', () => {
  const output = printed();
  output.merge('a\na\n');
  output.add({ stream: 'stdout', offset: 2, text: 'a\n' });
  output.add({ stream: 'stdout', offset: 4, text: 'a\n' });
  assert.deepEqual(all(output), ['null:a\na\n', 'stdout:a\n']);
  output.merge('a\na\n');
  assert.deepEqual(all(output), ['null:a\na\n', 'stdout:a\n'], 'an older document');
});

test('an event whose predecessors are missing waits for the document', () => {
  const output = printed();
  assert.equal(output.add({ stream: 'stderr', offset: 6, text: 'late' }), false);
  assert.deepEqual(all(output), []);
  output.merge('größ');
  assert.deepEqual(all(output), ['null:größ', 'stderr:late']);
});

test('an event that is still too early after a document is kept', () => {
  const output = printed();
  output.add({ stream: 'stdout', offset: 4, text: 'dd' });
  output.merge('ab');
  assert.deepEqual(all(output), ['null:ab']);
  output.merge('abcc');
  assert.deepEqual(all(output), ['null:abcc', 'stdout:dd']);
});
