// Requests byte for byte: what HTTP libraries leave to the application, and what a proxy in front could be fooled with.
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { raw, statuses } from '../harness/http.mjs';
import { Lab, patience } from '../harness/lab.mjs';

const host = 'Host: localhost\r\n';
const json = 'Content-Type: application/json\r\n';
const send = (text, wait_ms) => raw(lab.port, text, wait_ms);

let lab, slow; // `slow` is sent a byte a second while the other tests run
before(async () => {
  lab = await Lab.start();
  slow = dripping(lab.port);
});
after(() => lab.close());

/** A request that never gets done: {seconds} until the server closed it, null when it has not within 60 s. */
function dripping(port) {
  const socket = connect(port, '127.0.0.1');
  const began = Date.now();
  socket.on('error', () => {}).on('data', () => {}).on('end', () => socket.end());
  socket.write(`GET /healthz HTTP/1.1\r\n${host}X-Slow: `);
  const drip = setInterval(() => socket.write('x'), 1000);
  return new Promise((done) => {
    const enough = setTimeout(() => {
      done(null);
      socket.destroy();
    }, 60_000 * patience);
    socket.on('close', () => {
      clearTimeout(enough);
      clearInterval(drip);
      done((Date.now() - began) / 1000);
    });
  });
}


const refused = {
  'two Content-Lengths that differ': `POST /api/v1/runs HTTP/1.1\r\n${host}${json}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}x`,
  'Content-Length and Transfer-Encoding': `POST /api/v1/runs HTTP/1.1\r\n${host}${json}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
  'a Transfer-Encoding that is not chunked': `POST /api/v1/runs HTTP/1.1\r\n${host}${json}Transfer-Encoding: gzip, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
  'a Transfer-Encoding said twice': `POST /api/v1/runs HTTP/1.1\r\n${host}${json}Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
  'no Host': 'GET /healthz HTTP/1.1\r\n\r\n',
  'two Hosts': `GET /healthz HTTP/1.1\r\n${host}Host: evil.example\r\n\r\n`,
  'a Content-Length that is no number': `POST /api/v1/runs HTTP/1.1\r\n${host}${json}Content-Length: two\r\n\r\n{}`,
  'a negative Content-Length': `POST /api/v1/runs HTTP/1.1\r\n${host}${json}Content-Length: -1\r\n\r\n{}`,
  'a NUL in the path': `GET /healthz%00.html HTTP/1.1\r\n${host}\r\n`,
  'a header of 64 KiB': `GET /healthz HTTP/1.1\r\n${host}X-Long: ${'x'.repeat(65536)}\r\n\r\n`,
  'a path of 64 KiB': `GET /${'x'.repeat(65536)} HTTP/1.1\r\n${host}\r\n`,
};
for (const [what, bytes] of Object.entries(refused)) {
  test(`${what} is refused, and nothing in it is answered`, async () => {
    const text = await send(bytes);
    // Closing without an answer will do too. libmicrohttpd says some of its own refusals twice.
    for (const code of statuses(text)) assert.ok(code >= 400 && code < 500, text);
  });
}

test('a foreign Host is refused for pages too', async () => {
  assert.deepEqual(statuses(await send('GET / HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n')).map((code) => code >= 400), [true]);
});

test('keep-alive: many requests on one connection, HEAD among them, stay in step', async () => {
  const text = await send([
    `HEAD /api/v1/runs HTTP/1.1\r\n${host}\r\n`, `GET /healthz HTTP/1.1\r\n${host}\r\n`, `HEAD /api/v1/events HTTP/1.1\r\n${host}\r\n`,
    `GET /api/v1/nothing HTTP/1.1\r\n${host}\r\n`, `HEAD / HTTP/1.1\r\n${host}\r\n`, `GET /readyz HTTP/1.1\r\n${host}Connection: close\r\n\r\n`,
  ].join(''), 4000 * patience);
  const codes = statuses(text);
  assert.equal(codes.length, 6, text);
  assert.deepEqual([codes[0], codes[1], codes[3], codes[4], codes[5]], [200, 200, 404, 200, 200]);
});

test('a chunked body is read', async () => {
  const body = JSON.stringify({ experiment: 'none' });
  const text = await send(`POST /api/v1/runs HTTP/1.1\r\n${host}${json}Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`);
  assert.deepEqual(statuses(text), [422], text);
});

test('a chunked body over 1 MiB is 413', async () => {
  const chunk = `10000\r\n${'x'.repeat(65536)}\r\n`;
  const text = await send(`POST /api/v1/runs HTTP/1.1\r\n${host}${json}Transfer-Encoding: chunked\r\n\r\n${chunk.repeat(17)}0\r\n\r\n`, 3000 * patience);
  assert.deepEqual(statuses(text), [413], text.slice(0, 300));
});

test('Expect: 100-continue with a body too large is answered before the body is sent', async () => {
  const text = await send(`POST /api/v1/runs HTTP/1.1\r\n${host}${json}Expect: 100-continue\r\nContent-Length: 99999999\r\n\r\n`);
  assert.deepEqual(statuses(text), [413], text);
});

test('unknown methods are 405 or 501', async () => {
  for (const method of ['BREW', 'TRACE', 'CONNECT', 'get']) {
    const [code] = statuses(await send(`${method} /api/v1/runs HTTP/1.1\r\n${host}Connection: close\r\n\r\n`));
    assert.ok([400, 405, 501].includes(code), `${method}: ${code}`);
  }
});

test('HTTP/1.0 without keep-alive is answered and closed', async () => {
  const text = await send(`GET /healthz HTTP/1.0\r\n${host}\r\n`, 3000);
  assert.deepEqual(statuses(text), [200]);
});

test('200 connections that say nothing do not keep others out', async () => {
  const silent = Array.from({ length: 200 }, () => connect(lab.port, '127.0.0.1').on('error', () => {}));
  await Promise.all(silent.map((socket) => new Promise((done) => socket.on('connect', done).on('close', done))));
  const began = Date.now();
  for (let i = 0; i < 10; i += 1) assert.equal((await lab.get('/healthz')).status, 200);
  assert.ok(Date.now() - began < 3000 * patience);
  for (const socket of silent) socket.destroy();
});

test('who sends a byte a second does not hold a connection for ever', { timeout: 90_000 * patience }, async () => {
  assert.notEqual(await slow, null, 'still open after a minute');
  assert.equal((await lab.get('/healthz')).status, 200);
});
