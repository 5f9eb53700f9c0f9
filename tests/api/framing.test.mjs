// Requests byte for byte: what HTTP libraries leave to the application, and requests that a proxy in front of the lab
// could read differently (request smuggling). The server must answer and close each one; a connection that stays open
// fails.
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { raw, statuses } from '../harness/http.mjs';
import { Lab, skipLong, slowdown } from '../harness/lab.mjs';

const host = 'Host: localhost\r\n';
const json = 'Content-Type: application/json\r\n';

let lab;
before(async () => (lab = await Lab.start()));
after(() => lab.close());

/** Sends bytes and returns the text of all answers; fails when the server does not close the connection. */
async function send(bytes) {
  const { text, closed } = await raw(lab.port, bytes);
  assert.ok(closed, `the connection stays open after: ${text.slice(0, 300)}`);
  return text;
}

/** A request whose header grows by a byte a second: seconds until the server closed the connection, null when it has
 * not within 60 s. */
function sendSlowly(port) {
  const socket = connect(port, '127.0.0.1');
  const began = Date.now();
  socket.on('error', () => {}).on('data', () => {}).on('end', () => socket.end());
  socket.write(`GET /healthz HTTP/1.1\r\n${host}X-Slow: `);
  const more = setInterval(() => socket.write('x'), 1000);
  return new Promise((done) => {
    const enough = setTimeout(() => {
      done(null);
      socket.destroy();
    }, 60_000);
    socket.on('close', () => {
      clearTimeout(enough);
      clearInterval(more);
      done((Date.now() - began) / 1000);
    });
  });
}

// Each with the statuses of its answers.
const refused = {
  'two Content-Lengths that differ': [[400], `POST /api/v1/runs HTTP/1.1\r\n${host}${json}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}x`],
  'Content-Length and Transfer-Encoding': [[400], `POST /api/v1/runs HTTP/1.1\r\n${host}${json}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`],
  'a Transfer-Encoding that is not chunked': [[400], `POST /api/v1/runs HTTP/1.1\r\n${host}${json}Transfer-Encoding: gzip, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`],
  'two Transfer-Encodings': [[400], `POST /api/v1/runs HTTP/1.1\r\n${host}${json}Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n2\r\n{}\r\n0\r\n\r\n`],
  'no Host': [[400], 'GET /healthz HTTP/1.1\r\n\r\n'],
  'two Hosts': [[400], `GET /healthz HTTP/1.1\r\n${host}Host: evil.example\r\n\r\n`],
  'a Content-Length that is not a number': [[400], `POST /api/v1/runs HTTP/1.1\r\n${host}${json}Content-Length: two\r\n\r\n{}`],
  'a negative Content-Length': [[400], `POST /api/v1/runs HTTP/1.1\r\n${host}${json}Content-Length: -1\r\n\r\n{}`],
  'a NUL in the path': [[400], `GET /healthz%00.html HTTP/1.1\r\n${host}Connection: close\r\n\r\n`],
  'a header of 64 KiB': [[431], `GET /healthz HTTP/1.1\r\n${host}X-Long: ${'x'.repeat(65536)}\r\n\r\n`],
  'a path of 64 KiB': [[414], `GET /${'x'.repeat(65536)} HTTP/1.1\r\n${host}\r\n`],
};
for (const [what, [expected, bytes]] of Object.entries(refused)) {
  test(`${what} is refused, and bytes after it are not read as a request`, async () => {
    const text = await send(bytes);
    assert.deepEqual(statuses(text), expected, text);
  });
}

test('a foreign Host is refused for the page too', async () => {
  assert.deepEqual(statuses(await send('GET / HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n')), [403]);
});

test('keep-alive: requests on one connection, HEAD among them, are answered in order', async () => {
  const text = await send([
    `HEAD /api/v1/runs HTTP/1.1\r\n${host}\r\n`, `GET /healthz HTTP/1.1\r\n${host}\r\n`, `HEAD /api/v1/events HTTP/1.1\r\n${host}\r\n`,
    `GET /api/v1/nothing HTTP/1.1\r\n${host}\r\n`, `HEAD / HTTP/1.1\r\n${host}\r\n`, `GET /readyz HTTP/1.1\r\n${host}Connection: close\r\n\r\n`,
  ].join(''));
  assert.deepEqual(statuses(text), [200, 200, 200, 404, 200, 200], text);
});

test('a chunked body is read', async () => {
  const body = JSON.stringify({ experiment: 'none' });
  const text = await send(`POST /api/v1/runs HTTP/1.1\r\n${host}${json}Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`);
  assert.deepEqual(statuses(text), [422], text);
});

test('a chunked body over 1 MiB is 413', async () => {
  const chunk = `10000\r\n${'x'.repeat(65536)}\r\n`;
  const text = await send(`POST /api/v1/runs HTTP/1.1\r\n${host}${json}Transfer-Encoding: chunked\r\n\r\n${chunk.repeat(17)}0\r\n\r\n`);
  assert.deepEqual(statuses(text), [413], text.slice(0, 300));
});

test('Expect: 100-continue with a body too large is answered before the body is sent', async () => {
  const text = await send(`POST /api/v1/runs HTTP/1.1\r\n${host}${json}Expect: 100-continue\r\nContent-Length: 99999999\r\n\r\n`);
  assert.deepEqual(statuses(text), [413], text);
});

test('methods that no path takes are 405, unknown ones 501', async () => {
  for (const [method, expected] of [['TRACE', 405], ['CONNECT', 405], ['BREW', 501], ['get', 501]]) {
    const text = await send(`${method} /api/v1/runs HTTP/1.1\r\n${host}Connection: close\r\n\r\n`);
    assert.deepEqual(statuses(text), [expected], method);
  }
});

test('HTTP/1.0 without keep-alive is answered and closed', async () => {
  const text = await send(`GET /healthz HTTP/1.0\r\n${host}\r\n`);
  assert.deepEqual(statuses(text), [200]);
});

test('200 connections that send nothing do not block others', async () => {
  const silent = Array.from({ length: 200 }, () => connect(lab.port, '127.0.0.1').on('error', () => {}));
  await Promise.all(silent.map((socket) => new Promise((done) => socket.on('connect', done).on('close', done))));
  const began = Date.now();
  for (let i = 0; i < 10; i += 1) assert.equal((await lab.get('/healthz')).status, 200);
  assert.ok(Date.now() - began < 3000 * slowdown);
  for (const socket of silent) socket.destroy();
});

// The same with short deadlines: tests/unit/http/test_http_framing.c, test_slow_clients.
test('a header that takes more than 10 s ends the connection', skipLong, async () => {
  const seconds = await sendSlowly(lab.port);
  assert.ok(seconds !== null && seconds > 8, `${seconds} s`);
  assert.equal((await lab.get('/healthz')).status, 200);
});
