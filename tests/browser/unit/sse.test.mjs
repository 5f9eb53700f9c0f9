// The event stream parser, with chunks cut at any position.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createParser } from '../../../static/modules/lab/sse.js';

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

test('a stream in one chunk is parsed', () => assert.deepEqual(parse([TEXT]), WANTED));

test('a stream cut at any position is parsed', () => {
  for (let at = 1; at < TEXT.length; at += 1)
    assert.deepEqual(parse([TEXT.slice(0, at), TEXT.slice(at)]), WANTED, `at ${at}`);
});

test('a stream in chunks of one character, with any kind of line end, is parsed', () => {
  assert.deepEqual(parse([...TEXT]), WANTED);
  assert.deepEqual(parse([...TEXT.replaceAll('\n', '\r\n')]), WANTED);
  assert.deepEqual(parse([`${TEXT.replaceAll('\n', '\r')}\n`]), WANTED);
});

test('an incomplete event is not reported', () => assert.deepEqual(parse(['event: a\ndata: b\n']), []));
