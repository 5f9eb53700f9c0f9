// Notices: who is told of what, in which form, and where no channel may lead. Receivers are servers of this test.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { after, before, test } from 'node:test';
import { makeCertificate } from '../harness/certificate.mjs';
import { execute, Lab, small, temporaryFolder } from '../harness/lab.mjs';
import { startMailServer } from '../harness/mail.mjs';

const evil = 'x"<!channel>\r\nBcc: eve@example.org';
const receivers = [];
let lab, certificate;

/** A server of HTTP on a free port that keeps what it receives; `answer(request, response)` answers. */
async function receiver(answer = (request, response) => response.end()) {
  const received = [];
  const server = http.createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text) => (body += text)).on('end', () => {
      received.push({ method: request.method, path: request.url, headers: request.headers, body });
      answer(request, response);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  receivers.push(server);
  return { address: `http://127.0.0.1:${server.address().port}/hook`, received };
}

async function mailServer(options) {
  const server = await startMailServer(options);
  receivers.push(server);
  return server;
}

before(async () => {
  const [file, key] = makeCertificate(temporaryFolder(), 'mail');
  certificate = { cert: readFileSync(file), key: readFileSync(key) };
  lab = await Lab.start({ env: { SSL_CERT_FILE: file } });
});
after(async () => {
  for (const server of receivers) server.closeAllConnections?.(), server.close();
  await lab.close();
});

const channel = async (fields) => {
  const answer = await lab.post('/api/v1/channels', { private: true, ...fields });
  assert.equal(answer.status, 201, answer.text);
  return answer.json.id;
};
const watch = async (fields) => assert.equal((await lab.post('/api/v1/watches', fields)).status, 201);
const sendTest = async (id) => (await lab.post(`/api/v1/channels/${id}/test`)).json.delivery;
const notices = async () => (await lab.get('/api/v1/notices')).json.notices;

/** Waits until an attempt to deliver was made; returns the notice. */
const attempted = (delivery) => lab.until(async () => (await notices()).find((one) => one.delivery === delivery && one.attempts > 0), 'an attempt was made');

test('each kind of channel gets a notice in its form; a webhook is signed', async () => {
  const { address, received } = await receiver(), mail = await mailServer();
  const mailAddress = `smtp://127.0.0.1:${mail.port}`;
  const ids = {
    webhook: await channel({ name: 'webhook', kind: 'webhook', address, secret: 'the-key' }),
    slack: await channel({ name: 'slack', kind: 'slack', address: `${address}/slack` }),
    matrix: await channel({ name: 'matrix', kind: 'matrix', address: `${address}/matrix`, secret: 'the-token' }),
    email: await channel({ name: 'email', kind: 'email', address: mailAddress, from: 'lab@example.org', to: 'ada@example.org' }),
  };
  const deliveries = {};
  for (const [kind, id] of Object.entries(ids)) deliveries[kind] = await sendTest(id);
  for (const delivery of Object.values(deliveries)) assert.deepEqual([(await attempted(delivery)).state, (await attempted(delivery)).error], ['sent', null]);
  const [webhook, slack, matrix] = ['/hook', '/hook/slack', `/hook/matrix/${deliveries.matrix}`].map((path) => received.find((one) => one.path === path));
  const { 'x-gpulab-timestamp': time, 'x-gpulab-signature': signature, 'x-gpulab-delivery': delivery } = webhook.headers;
  assert.equal(signature, `sha256=${createHmac('sha256', 'the-key').update(`${time}.${webhook.body}`).digest('hex')}`);
  assert.ok(Math.abs(Number(time) - Date.now() / 1000) < 600);
  assert.equal(delivery, deliveries.webhook);
  assert.deepEqual([JSON.parse(webhook.body).delivery, JSON.parse(webhook.body).kind], [delivery, 'test']);
  assert.equal(JSON.parse(slack.body).blocks[0].text.type, 'plain_text');
  assert.equal(slack.headers['x-gpulab-signature'], undefined);
  assert.deepEqual([matrix.method, matrix.headers.authorization, JSON.parse(matrix.body).msgtype], ['PUT', 'Bearer the-token', 'm.text']);
  assert.match(mail.messages[0].text, /^Date: .*\r\nFrom: lab@example\.org\r\nTo: ada@example\.org\r\n/);
  assert.ok(mail.messages[0].text.includes(Buffer.from('A test notice').toString('base64')));
  const shown = (await lab.get('/api/v1/channels')).text + (await lab.get('/api/v1/notices')).text;
  for (const secret of ['the-key', 'the-token', '/hook', mailAddress]) assert.ok(!shown.includes(secret), secret);
  for (const id of Object.values(ids)) assert.equal((await lab.request('DELETE', `/api/v1/channels/${id}`)).status, 204);
  assert.deepEqual(await notices(), []);
});

test('e-mail with a password goes by TLS to a server whose certificate is trusted, and not at all otherwise', async () => {
  const other = makeCertificate(temporaryFolder(), 'other').map((path) => readFileSync(path));
  const password = 'pass:word', secret = `ada:${password}`;
  const servers = {
    starttls: [await mailServer({ certificate, password }), 'smtp', null],
    tls: [await mailServer({ certificate, password, implicit: true }), 'smtps', null],
    plain: [await mailServer({ password }), 'smtp', /SSL|TLS/],
    unknown: [await mailServer({ certificate: { cert: other[0], key: other[1] }, password }), 'smtp', /certificate/],
    refused: [await mailServer({ certificate, password: 'changed' }), 'smtp', /denied|Login/],
  };
  await Promise.all(Object.entries(servers).map(async ([name, [server, scheme, error]]) => {
    const id = await channel({ name, kind: 'email', address: `${scheme}://localhost:${server.port}`, secret, from: 'lab@example.org', to: 'ada@example.org' });
    const notice = await attempted(await sendTest(id));
    assert.equal(notice.state, error ? 'waiting' : 'sent', `${name}: ${notice.error}`);
    if (error) assert.match(notice.error, error);
    assert.deepEqual(server.messages.map(({ user, encrypted }) => [user, encrypted]), error ? [] : [['ada', true]], name);
    const shown = Buffer.from(`\0ada\0${password}`).toString('base64');
    assert.equal(server.lines.some((line) => line.includes(shown)), !error || name === 'refused', `${name}: ${server.lines}`);
    await lab.request('DELETE', `/api/v1/channels/${id}`);
  }));
});

test('no channel leads to private addresses unless it says so, to the lab itself, or where an answer redirects', async () => {
  const target = await receiver();
  const told = await attempted(await sendTest(await channel({ name: 'allowed', kind: 'webhook', address: target.address })));
  assert.equal(told.state, 'sent'); // by a connection that the receiver keeps open, which no other channel may use
  const redirecting = await receiver((request, response) => response.writeHead(302, { location: target.address }).end());
  const cases = [
    [{ address: target.address, private: false }, /address of this machine or of a private network/],
    [{ address: target.address.replace('127.0.0.1', 'localhost'), private: false }, /address of this machine/],
    [{ address: 'http://169.254.169.254/latest', private: false }, /address of this machine or of a private network/],
    [{ address: `http://127.0.0.1:${lab.port}/api/v1/queue` }, /leads to this lab itself/],
    [{ address: `http://localhost:${lab.port}/api/v1/queue` }, /leads to this lab itself/],
    [{ address: redirecting.address }, /answered with status 302/],
  ];
  await Promise.all(cases.map(async ([fields, error], index) => {
    const id = await channel({ name: `case-${index}`, kind: 'webhook', ...fields });
    const notice = await attempted(await sendTest(id));
    assert.match(notice.error, error);
    assert.deepEqual([notice.state, notice.attempts], ['waiting', 1]);
    assert.ok(Date.parse(notice.next_at) - Date.parse(notice.created_at) >= 9000, 'it is tried again later');
    assert.ok(!notice.error.includes('127.0.0.1'));
    await lab.request('DELETE', `/api/v1/channels/${id}`);
  }));
  assert.equal(target.received.length, 1);
});

test('what is wrong in a channel or a watch is refused', async () => {
  await channel({ name: 'known', kind: 'webhook', address: 'https://hooks.example/x' });
  const refused = async (path, body, pointer) => {
    const answer = await lab.post(path, body);
    assert.equal(answer.status, 422, JSON.stringify(body));
    assert.deepEqual([...new Set(answer.json.errors.map((error) => error.pointer))], pointer, JSON.stringify(body));
  };
  const base = { name: 'other', kind: 'webhook', address: 'https://hooks.example/x' };
  for (const address of ['ftp://a/', 'file:///etc/passwd', 'https://u:p@a/', 'smtp://a']) await refused('/api/v1/channels', { ...base, address }, ['/address']);
  await refused('/api/v1/channels', { ...base, secret: 'a\nb' }, ['/secret']);
  await refused('/api/v1/channels', { ...base, to: 'ada@example.org' }, ['/to']);
  await refused('/api/v1/channels', { ...base, kind: 'email', address: 'smtp://a', from: 'a@b' }, ['/to']);
  assert.equal((await lab.post('/api/v1/channels', { ...base, name: 'known' })).status, 409);
  await refused('/api/v1/watches', { channel: 'nobody', kind: 'slower' }, ['/channel']);
  await refused('/api/v1/watches', { channel: 'known', kind: 'limit' }, ['/kind']);
  await refused('/api/v1/watches', { channel: 'known', kind: 'slower', low: 1 }, ['/kind']);
  assert.equal((await lab.request('DELETE', '/api/v1/watches/999')).status, 404);
});

/** Adds runs to the history in which `like` was a thousand times faster. */
async function plantHistory(like) {
  const lines = (await lab.get('/api/v1/export')).text.trim().split('\n').map((line) => JSON.parse(line));
  const at = lines.findIndex(({ type, id }) => type === 'run' && id === like), end = lines.findIndex(({ type }, i) => i > at && type !== 'measurement');
  const [run, ...measurements] = lines.slice(at, end);
  const factor = { 'GB/s': 1000, s: 0.001, us: 0.001 };
  const runs = Array.from({ length: 8 }, (_, i) => [
    { ...run, id: `${like.slice(0, -4)}00${i}0`, headline: null },
    ...measurements.map((one) => Object.fromEntries(Object.entries(one).map(([name, value]) =>
      [name, name === 'run' ? `${like.slice(0, -4)}00${i}0` : ['median', 'q1', 'q3', 'min', 'max', 'mean'].includes(name) && typeof value === 'number' ? value * (factor[one.unit] ?? 1) * (1 + i / 1000) : value]))),
  ]);
  const body = [...runs.flat(), { type: 'end', runs: 8 }].map((line) => JSON.stringify(line)).join('\n');
  const answer = await lab.request('POST', '/api/v1/import', { headers: { 'content-type': 'application/x-ndjson' }, body: `${body}\n` });
  assert.equal(answer.json.imported, 8, answer.text);
}

test('a slower run, one outside of limits and a shift are told to who watches for them, once, and to nobody else', async () => {
  const slower = await receiver(), limits = await receiver(), shift = await receiver(), health = await receiver();
  for (const [name, { address }] of Object.entries({ slower, limits, shift, health })) await channel({ name, kind: ['slower', 'shift'].includes(name) ? 'webhook' : 'slack', address });
  await plantHistory((await lab.complete()).id);
  await watch({ channel: 'slower', kind: 'slower', experiment: 'transfer', metric: 'bandwidth' });
  await watch({ channel: 'limits', kind: 'limit', metric: 'bandwidth', low: 1e15 });
  await watch({ channel: 'shift', kind: 'shift', metric: 'bandwidth' });
  await watch({ channel: 'health', kind: 'health' });
  await watch({ channel: 'health', kind: 'slower', experiment: 'overlap' });
  const run = await lab.complete(small, { tags: ['nightly'], note: evil });
  await lab.request('PATCH', `/api/v1/runs/${run.id}`, { headers: { 'if-match': '*' }, json: { tags: ['changed later'] } });
  await lab.until(() => slower.received.length > 0 && limits.received.length > 0, 'both are told');
  const told = JSON.parse(slower.received[0].body);
  assert.deepEqual([told.kind, told.run, told.experiment, told.title], ['slower', run.id, 'transfer', `transfer on ${run.host} is slower than usual`]);
  assert.match(told.text, /^bandwidth of \{.*"direction":"h2d".*\}: [\d.e+]+ GB\/s, usually [\d.e+]+ to [\d.e+]+ \(median of 9 earlier runs: /);
  assert.match(JSON.parse(limits.received[0].body).blocks[0].text.text, /outside of its limits\nbandwidth of .* GB\/s, which is below the limit of 1e\+15/);
  const { text: metrics } = await lab.get('/metrics');
  const figure = (name) => metrics.split('\n').find((line) => line.startsWith(`gpulab_result${name}{experiment="transfer",`));
  assert.match(figure('_deviation'), /,host="[^"]+"\} -1$/);
  assert.match(figure(''), /,unit="GB\/s",model="[^"]+",host="[^"]+"\} [\d.e+]+$/);
  assert.ok(Number(figure('_usual_low').split(' ').at(-1)) > Number(figure('').split(' ').at(-1)));
  await lab.complete();
  await lab.until(() => slower.received.length > 1, 'the next run is told too');
  assert.deepEqual(slower.received.map(({ body }) => JSON.parse(body).run === run.id), [true, false], 'a run is told once');
  await lab.until(async () => shift.received.length > 0 || !(await lab.complete()), 'the shift is told');
  const { kind, title, text } = JSON.parse(shift.received[0].body);
  assert.deepEqual([kind, title], ['shift', `transfer on ${run.host} has another level since some runs`]);
  assert.match(text, /^bandwidth of \{.*\}: from [\d.e+]+ to [\d.e+]+ GB\/s \(-9\d\.\d\d %\) since [3-9] runs\nRun /);
  assert.deepEqual(health.received, []);
});

test('a receiver that hangs delays neither runs nor other channels', async () => {
  const hanging = await receiver(() => {}), quick = await receiver();
  const slow = await channel({ name: 'hanging', kind: 'webhook', address: hanging.address });
  const fast = await channel({ name: 'quick', kind: 'webhook', address: quick.address });
  await Promise.all(Array.from({ length: 40 }, () => sendTest(slow)));
  await lab.until(() => hanging.received.length > 0, 'the first attempt hangs');
  await lab.complete();
  assert.equal((await attempted(await sendTest(fast))).state, 'sent');
  const waiting = async () => (await notices()).filter(({ channel: name }) => name === 'hanging');
  assert.deepEqual((await waiting()).filter(({ attempts }) => attempts > 0), [], 'the first attempt hangs still');
  const first = await lab.until(async () => (await waiting()).find(({ attempts }) => attempts > 0), 'the attempt has ended');
  assert.match(first.error, /Timeout/);
  const left = await waiting();
  assert.equal(left.length, 40);
  assert.ok(left.every(({ attempts, next_at: next }) => attempts === (next === first.next_at && attempts) && next >= first.next_at), 'the channel waits after its first failure');
  assert.equal(hanging.received.length, 1);
  await lab.request('DELETE', `/api/v1/channels/${slow}`);
});

test('gpulab channel and gpulab alert', async () => {
  const gpulab = (...args) => execute('gpulab', [...args, '--db', lab.database], { folder: lab.folder });
  const secret = `${lab.folder}/secret`;
  writeFileSync(secret, 'a-secret\n');
  chmodSync(secret, 0o600);
  const added = await gpulab('channel', 'add', 'ops', '--address', 'https://hooks.example/x', '--secret-file', secret);
  assert.equal(added.stdout, 'added\n', added.stderr);
  assert.match((await gpulab('channel', 'list')).stdout, /ops +webhook +no/);
  assert.equal((await gpulab('alert', 'add', 'limit', '--channel', 'ops', '--metric', 'bandwidth', '--low', '1e9')).stdout, 'added\n');
  assert.match((await gpulab('alert', 'list')).stdout, /ops +limit +bandwidth +1e\+09/);
  const { watches } = JSON.parse((await gpulab('alert', 'list', '--json')).stdout);
  assert.equal((await gpulab('alert', 'delete', watches.find(({ channel: name }) => name === 'ops').id)).code, 0);
  assert.match((await gpulab('alert', 'notices')).stdout, /quick +sent/);
  assert.equal((await gpulab('channel', 'delete', 'ops')).code, 0);
  for (const args of [['channel', 'add', 'x'], ['channel', 'delete', 'nobody'], ['alert', 'add', 'slower'], ['alert', 'delete', 'x'], ['channel', 'x']]) {
    assert.equal((await gpulab(...args)).code, 2, args.join(' '));
  }
});

test('an attempt that failed is made again, also by a lab that was started anew; a failed health check is told', async () => {
  const busy = await receiver((request, response) => response.writeHead(busy.received.length > 1 ? 200 : 503).end());
  const id = await channel({ name: 'busy', kind: 'webhook', address: busy.address }), delivery = await sendTest(id);
  assert.match((await attempted(delivery)).error, /status 503/);
  await watch({ channel: 'busy', kind: 'health' });
  await lab.stop();
  execFileSync('sqlite3', [lab.database, `UPDATE notice SET next_at = 0 WHERE delivery = '${delivery}'`]); // its pause is over
  lab.options.env.GPULAB_HOST_FAULT = 'copy@9';
  await lab.start();
  const sent = await lab.until(async () => (await notices()).find((one) => one.delivery === delivery && one.state === 'sent'), 'it is sent');
  assert.deepEqual([sent.attempts, sent.error], [2, null]);
  assert.deepEqual(busy.received.map(({ headers }) => headers['x-gpulab-delivery']), [delivery, delivery]);
  assert.equal(busy.received[0].body, busy.received[1].body);
  const run = await lab.post('/api/v1/runs', { experiment: 'health', preset: 'quick' });
  await lab.until(() => busy.received.length > 2, 'the health check is told');
  const told = JSON.parse(busy.received[2].body);
  assert.deepEqual([told.kind, told.run, told.title], ['health', run.json.id, `health on ${told.host} found a device unhealthy`]);
  assert.match(told.text, /^unhealthy: 1 failure, .*\nthe run failed: .*lost\nRun /);
});
