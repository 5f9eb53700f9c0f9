// TLS on the TCP address: with a certificate of the test's own, which is replaced while the lab runs.
import assert from 'node:assert/strict';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import https from 'node:https';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import tls from 'node:tls';
import { makeCertificate } from '../harness/certificate.mjs';
import { execute, Lab, slowdown, soon, temporaryFolder, withLab } from '../harness/lab.mjs';
import { request as plainRequest } from '../harness/http.mjs';

const folder = temporaryFolder();
const certificate = join(folder, 'cert.pem'), key = join(folder, 'key.pem');

const use = ([from, fromKey]) => { copyFileSync(from, certificate); copyFileSync(fromKey, key); };

/** Sends a request; resolves with {status, headers, json, name}, `name` being that of the server's certificate. */
function send(lab, method, path, { headers = {}, json, agent = false, ...options } = {}) {
  const body = json === undefined ? undefined : JSON.stringify(json);
  if (body) headers = { ...headers, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    const call = https.request({ host: 'localhost', family: 4, port: lab.port, method, path, headers, agent, rejectUnauthorized: false, ...options }, (answer) => {
      const name = answer.socket.getPeerCertificate().subject?.CN;
      let text = '';
      answer.setEncoding('utf8').on('data', (some) => (text += some)).on('error', reject);
      answer.on('end', () => resolve({ status: answer.statusCode, headers: answer.headers, name, text }));
    });
    call.setTimeout(30_000 * slowdown, () => call.destroy(new Error('no answer')));
    call.on('error', reject).end(body);
  });
}

let lab, first, second;
before(async () => {
  first = makeCertificate(folder, 'first');
  second = makeCertificate(folder, 'second');
  use(first);
  lab = await Lab.start({ args: ['--tls-cert', certificate, '--tls-key', key] });
});
after(async () => {
  await lab.close();
});

test('the lab answers over TLS with its certificate', async () => {
  assert.match(lab.address, /^https:\/\/127\.0\.0\.1:\d+$/);
  const answer = await send(lab, 'GET', '/api/v1/experiments', { ca: readFileSync(first[0]), rejectUnauthorized: true });
  assert.equal(answer.status, 200);
  assert.equal(answer.name, 'first');
  assert.ok(JSON.parse(answer.text).experiments.length > 5);
});

test('requests without TLS get no answer, and others still do', async () => {
  await assert.rejects(plainRequest(lab.port, 'GET', '/healthz'));
  assert.equal((await send(lab, 'GET', '/healthz')).status, 200);
});

test('only TLS 1.2 and newer are spoken', async () => {
  const connect = (version) => new Promise((resolve) => {
    const options = { host: '127.0.0.1', port: lab.port, rejectUnauthorized: false, minVersion: version, maxVersion: version, ciphers: 'DEFAULT@SECLEVEL=0' };
    const socket = tls.connect(options, () => { resolve(socket.getProtocol()); socket.destroy(); });
    socket.on('error', () => resolve(null));
  });
  assert.equal(await connect('TLSv1.3'), 'TLSv1.3');
  assert.equal(await connect('TLSv1.2'), 'TLSv1.2');
  assert.equal(await connect('TLSv1.1'), null);
});

test('commands of this machine use the Unix socket without TLS', async () => {
  const { code, stdout } = await execute('gpulab', ['devices', '--db', lab.database], { folder: lab.folder });
  assert.equal(code, 0);
  assert.match(stdout, /available/);
});

test('commands elsewhere trust the authorities of the system, or of the file that SSL_CERT_FILE names', async () => {
  const devices = (env) => execute('gpulab', ['devices', '--server', lab.address.replace('127.0.0.1', 'localhost')], { env });
  assert.match((await devices({ SSL_CERT_FILE: first[0] })).stdout, /available/);
  assert.match((await devices({})).stderr, /certificate/);
});

test('errors in the middle of a body are answered inside TLS', async () => {
  const answer = await new Promise((resolve, reject) => {
    const socket = tls.connect({ host: '127.0.0.1', port: lab.port, rejectUnauthorized: false }, () => {
      socket.write('POST /api/v1/runs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nnonsense\r\n');
    });
    let text = '';
    socket.setEncoding('utf8').on('data', (some) => (text += some));
    socket.on('end', () => resolve(text)).on('error', (error) => (text ? resolve(text) : reject(error)));
  });
  assert.match(answer, /^HTTP\/1\.1 400 [^]*application\/problem\+json[^]*malformed-body/);
});

test('events arrive over TLS as they are published', async () => {
  let text = '';
  const call = https.get({ host: 'localhost', family: 4, port: lab.port, path: '/api/v1/events', agent: false, rejectUnauthorized: false }, (answer) => {
    answer.setEncoding('utf8').on('data', (some) => (text += some)).on('error', () => {});
  });
  call.on('error', () => {});
  await soon(() => assert.match(text, /retry/));
  assert.equal((await send(lab, 'PUT', '/api/v1/queue', { json: { paused: true } })).status, 200);
  await soon(() => assert.match(text, /event: queue\.updated/));
  assert.equal((await send(lab, 'PUT', '/api/v1/queue', { json: { paused: false } })).status, 200);
  call.destroy();
});

test('the cookie of a session is sent over TLS only', async () => {
  await withLab({ args: ['--tls-cert', certificate, '--tls-key', key] }, async (own) => {
    const { stdout } = await execute('gpulab', ['token', 'add', 'ada', '--role', 'viewer', '--db', own.database], { folder: own.folder });
    const answer = await send(own, 'POST', '/api/v1/session', { json: { token: stdout.trim() } });
    assert.equal(answer.status, 200);
    assert.match(answer.headers['set-cookie'][0], /; Secure$/);
  });
});

test('SIGHUP reads the certificate again; connections keep theirs; an invalid one is not used', async () => {
  const agent = new https.Agent({ keepAlive: true, maxSockets: 1 });
  const kept = async () => (await send(lab, 'GET', '/healthz', { agent })).name;
  assert.equal(await kept(), 'first');
  use(second);
  assert.equal((await send(lab, 'GET', '/healthz')).name, 'first', 'nothing was read yet');
  lab.child.kill('SIGHUP');
  await soon(async () => assert.equal((await send(lab, 'GET', '/healthz')).name, 'second'));
  assert.equal((await send(lab, 'GET', '/healthz', { agent })).status, 200);
  assert.equal(Object.values(agent.sockets).concat(Object.values(agent.freeSockets)).flat().length, 1);
  assert.equal(await kept(), 'first', 'the connection is still the same');
  agent.destroy();
  copyFileSync(first[1], key); // the key of another certificate
  lab.child.kill('SIGHUP');
  await soon(() => assert.match(lab.log, /cannot be used: .*The certificate that was read before stays in use/));
  assert.equal((await send(lab, 'GET', '/healthz')).name, 'second');
  const bad = ['nonsense', readFileSync(second[0]).subarray(0, 300), Buffer.concat([readFileSync(second[0]), readFileSync(first[0]).subarray(0, 300)])];
  for (const [i, content] of bad.entries()) {
    writeFileSync(certificate, content);
    lab.child.kill('SIGHUP');
    await soon(() => assert.equal(lab.log.match(/stays in use/g).length, i + 2));
    assert.equal((await send(lab, 'GET', '/healthz')).name, 'second');
  }
});

test('a certificate that cannot be used, or is without a key, is refused at the start', async () => {
  const serve = (...args) => execute('gpulab', ['serve', '--listen', '127.0.0.1:0', '--runtime', 'host', ...args]);
  assert.match((await serve('--tls-cert', first[0])).stderr, /--tls-key: is missing/);
  assert.match((await serve('--tls-key', first[1])).stderr, /--tls-cert: is missing/);
  for (const pair of [[first[0], second[1]], [first[1], first[0]], ['/nowhere', first[1]]]) {
    const { code, stderr } = await serve('--tls-cert', pair[0], '--tls-key', pair[1]);
    assert.equal(code, 5, pair.join(' '));
    assert.match(stderr, /--tls-cert: .*(cannot be used|Cannot read)/);
  }
});
