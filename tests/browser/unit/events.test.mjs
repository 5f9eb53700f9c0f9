// The page's event stream: when views are told to fetch again because they may have missed events.
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { setImmediate as settled } from 'node:timers/promises';

let events;
const requests = [];
const heard = [];

/** Sends text on the open stream. */
let send;

before(async () => {
  globalThis.document = Object.assign(new EventTarget(), { hidden: false });
  globalThis.window = new EventTarget();
  globalThis.fetch = (address, options) =>
    new Promise((resolve, reject) => {
      const start = (stream) => {
        keep(stream);
        options.signal.addEventListener('abort', () => stream.error(options.signal.reason)); // as fetch() does; else the page waits for data
      };
      requests.push({ ...options, open: () => resolve(new Response(new ReadableStream({ start }))) });
      options.signal.addEventListener('abort', reject);
    });
  events = await import('../../../static/modules/lab/events.js');
  for (const type of ['missed', 'reset']) events.on(type, () => heard.push(type));
  events.connect();
});
after(() => window.dispatchEvent(new Event('pagehide')));
beforeEach(() => heard.splice(0));

function keep(stream) {
  send = async (text) => {
    stream.enqueue(new TextEncoder().encode(text));
    for (let i = 0; i < 5; i += 1) await settled();
  };
}

async function open() {
  requests.at(-1).open();
  for (let i = 0; i < 5; i += 1) await settled();
}

const event = (type, id) => `${id ? `id: ${id}\n` : ''}event: ${type}\ndata: {}\n\n`;

test('when the stream is first open, what was fetched before is fetched again', async () => {
  assert.deepEqual(heard, []);
  await open();
  assert.deepEqual(heard, ['missed']);
});

test('without an id to resume from, events were missed', async () => {
  events.reconnect();
  await open();
  assert.deepEqual(heard, ['missed']);
});

test('a view that was loaded before the stream was open, or while events arrived, fetches again', async () => {
  const early = events.watchMissed();
  events.reconnect();
  await open();
  heard.splice(0);
  early();
  assert.deepEqual(heard, ['missed']);
  const loaded = events.watchMissed();
  await send(event('run.updated'));
  loaded();
  assert.deepEqual(heard, ['missed', 'missed']);
});

test('a view during whose loading no list has changed fetches nothing again', async () => {
  const loaded = events.watchMissed();
  await send(event('measurement') + event('run.progress') + event('device.telemetry'));
  loaded();
  assert.deepEqual(heard, []);
});

test('a stream that resumes misses nothing, and one that cannot is announced', async () => {
  await send(event('run.updated', 'e-1'));
  events.reconnect();
  assert.equal(requests.at(-1).headers['Last-Event-ID'], 'e-1');
  await open();
  assert.deepEqual(heard, []);
  await send(event('reset', 'f-1'));
  assert.deepEqual(heard, ['reset', 'missed']);
});
