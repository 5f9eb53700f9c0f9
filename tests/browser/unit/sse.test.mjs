// The event stream parser, with chunks cut at any position.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createParser } from '../../../static/modules/sse.js';

const TEXT =
  ': hello\n\nid: e-1\nevent: run.updated\ndata: {"id":"a"}\n\nid: e-2\nevent: measurement\ndata: {"x":\ndata: 1}\n\n' +
  ': heartbeat\n\ndata:bare\n\nevent: nothing\n\n';

const WANTED = [
  { type: 'run.updated', data: '{"id":"a"}', id: 'e-1' },
  { type: 'measurement', data: '{"x":\n1}', id: 'e-2' },
  { type: 'message', data: 'bare', id: 'e-2' },
];

function parse(chunks) {
  const events = [];
  const parser = createParser((event) => events.push(event));
  chunks.forEach((chunk) => parser.feed(chunk));
  return events;
}

test('in one chunk', () => assert.deepEqual(parse([TEXT]), WANTED));

test('cut at every position', () => {
  for (let at = 1; at < TEXT.length; at += 1)
    assert.deepEqual(parse([TEXT.slice(0, at), TEXT.slice(at)]), WANTED, `at ${at}`);
});

test('one character at a time, and with every kind of line end', () => {
  assert.deepEqual(parse([...TEXT]), WANTED);
  assert.deepEqual(parse([...TEXT.replaceAll('\n', '\r\n')]), WANTED);
  assert.deepEqual(parse([`${TEXT.replaceAll('\n', '\r')}\n`]), WANTED);
});

test('an incomplete event is not reported', () => assert.deepEqual(parse(['event: a\ndata: b\n']), []));
