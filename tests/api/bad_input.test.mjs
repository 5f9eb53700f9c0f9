// Bad input: the answer is a problem document that points to every error at once, and no run is created.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { problem } from '../harness/expect.mjs';
import { Lab, small } from '../harness/lab.mjs';

let lab;
before(async () => (lab = await Lab.start()));
after(() => lab.close());

const count = async () => (await lab.get('/api/v1/runs?limit=500')).json.runs.length;

async function refused(request, status, pointer) {
  const before_ = await count();
  const document = problem(await request, status, pointer);
  assert.equal(await count(), before_, 'a run was created');
  return document;
}

const run = (body) => lab.post('/api/v1/runs', body);
const transfer = (parameters) => run({ experiment: 'transfer', parameters: { ...small, ...parameters } });
const text = (body, headers = {}) => lab.request('POST', '/api/v1/runs', { body, headers: { 'content-type': 'application/json', ...headers } });

const cases = [
  ['an unknown experiment', { experiment: 'alchemy' }, '/experiment'],
  ['no experiment', {}, '/experiment'],
  ['an experiment that is not a string', { experiment: 7 }, '/experiment'],
  ['an unknown device', { experiment: 'transfer', devices: ['GPU-none'] }, '/devices/0'],
  ['devices that are not a list', { experiment: 'transfer', devices: 'all' }, '/devices'],
  ['an unknown field', { experiment: 'transfer', colour: 'red' }, '/colour'],
  ['tags that are not strings', { experiment: 'transfer', tags: [1] }, '/tags/0'],
  ['a note that is not a string', { experiment: 'transfer', note: {} }, '/note'],
  ['a negative time limit', { experiment: 'transfer', time_limit_s: -1 }, '/time_limit_s'],
  ['parameters that are not an object', { experiment: 'transfer', parameters: [] }, '/parameters'],
];
for (const [what, body, pointer] of cases) {
  test(what, () => refused(run(body), 422, pointer));
}

const parameterCases = [
  ['an unknown parameter', { colour: 'red' }, '/parameters/colour'],
  ['a pointer with characters that must be escaped', { 'a/b~c': 1 }, '/parameters/a~1b~0c'],
  ['a string that is no size', { min_bytes: '4096 apples' }, '/parameters/min_bytes'],
  ['a string for a real number', { max_noise: '0.1' }, '/parameters/max_noise'],
  ['a size above the bound', { max_bytes: '99999999999999999999' }, '/parameters/max_bytes'],
  ['a fraction for an integer', { min_bytes: 4096.5 }, '/parameters/min_bytes'],
  ['null for a number', { min_bytes: null }, '/parameters/min_bytes'],
  ['a number for a choice', { direction: 1 }, '/parameters/direction'],
  ['an unknown choice', { direction: ['h2d', 'sideways'] }, '/parameters/direction/1'],
  ['a value twice in a list', { direction: ['h2d', 'h2d'] }, '/parameters/direction/1'],
  ['an empty list', { direction: [] }, '/parameters/direction'],
  ['below its bounds', { min_bytes: -1 }, '/parameters/min_bytes'],
  ['above its bounds', { max_noise: 1e9 }, '/parameters/max_noise'],
  ['an integer beyond exactness', { seed: 2 ** 60 }, '/parameters/seed'],
  ['min above max', { min_bytes: 1 << 20, max_bytes: 4096 }, '/parameters/min_bytes'],
  ['more samples wanted than allowed', { min_samples: 50, max_samples: 10 }, '/parameters/min_samples'],
];
for (const [what, parameters, pointer] of parameterCases) {
  test(`parameters: ${what}`, async () => {
    const { errors } = await refused(transfer(parameters), 422);
    assert.deepEqual(errors.map((error) => error.pointer), [pointer]);
  });
}

test('all errors are reported at once', async () => {
  const document = await refused(run({ experiment: 'transfer', colour: 1, devices: ['none'], parameters: { min_bytes: 'x', direction: 'up' } }), 422);
  const pointers = document.errors.map((error) => error.pointer);
  for (const pointer of ['/colour', '/devices/0', '/parameters/min_bytes', '/parameters/direction']) assert.ok(pointers.includes(pointer), `${pointer} not in ${pointers}`);
});

test('a size beyond the memory of the device is refused with that memory', async (t) => {
  const [device] = (await lab.get('/api/v1/devices')).json.devices;
  const { maximum } = (await lab.get('/api/v1/experiments/transfer')).json.parameters.properties.max_bytes;
  const total = device.properties.total_memory_bytes;
  if (maximum <= total) return t.skip('this machine has more memory than the largest size');
  const { errors } = await refused(transfer({ max_bytes: maximum }), 422);
  const error = errors.find((each) => each.pointer === '/parameters/max_bytes');
  assert.match(error.detail, new RegExp(`\\b${total}\\b`));
  return undefined;
});

test('more points than 10,000', async () => {
  const document = await refused(transfer({
    min_bytes: 1024, max_bytes: 2 ** 30, factor: 1.01, direction: ['h2d', 'd2h', 'd2d'], memory: ['pageable', 'pinned', 'write-combined', 'mapped'], engine: ['copy', 'sm'],
  }), 422);
  assert.match(JSON.stringify(document.errors), /10[, ]?000/);
});

test('bodies that are not acceptable JSON', async () => {
  const bodies = {
    'nothing': '', 'text': 'transfer', 'cut short': '{"experiment":"transfer"', 'trailing text': '{"experiment":"transfer"} x',
    'duplicate keys': '{"experiment":"transfer","experiment":"transfer"}',
    'duplicate keys inside': '{"experiment":"transfer","parameters":{"seed":1,"seed":2}}',
    'NaN': '{"experiment":"transfer","parameters":{"max_noise":NaN}}', '1e999': '{"experiment":"transfer","parameters":{"max_noise":1e999}}',
    'bad UTF-8': Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), 'a NUL': '{"experiment":"tr\\u0000"}',
    'depth 33': `{"experiment":"transfer","parameters":${'['.repeat(32)}${']'.repeat(32)}}`,
    'depth 100,000': '['.repeat(100_000),
  };
  for (const [what, body] of Object.entries(bodies)) {
    const document = await refused(text(body), 400).catch((error) => assert.fail(`${what}: ${error.message}`));
    assert.ok((document.detail ?? JSON.stringify(document.errors)).length > 5, what);
  }
  await refused(text('[]'), 422);
});

test('depth 32 is still read', async () => {
  await refused(text(`{"experiment":"transfer","parameters":${'['.repeat(31)}${']'.repeat(31)}}`), 422, '/parameters');
});

test('a body over 1 MiB is 413, also when only announced', async () => {
  const body = JSON.stringify({ experiment: 'transfer', note: 'x'.repeat(1 << 20) });
  await refused(text(body), 413);
  await refused(text(undefined, { 'content-length': String(1 << 21) }), 413);
});

test('another content type is 415', async () => {
  const body = JSON.stringify({ experiment: 'transfer', parameters: small });
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonx', 'multipart/form-data; boundary=x']) {
    await refused(text(body, { 'content-type': type }), 415);
  }
  await refused(lab.request('POST', '/api/v1/runs', { body }), 415);
  assert.equal((await text(body, { 'content-type': 'application/json; charset=utf-8' })).status, 202);
});

test('a foreign Host is refused, loopback names at any port are not', async () => {
  for (const host of ['evil.example', 'evil.example:8080', '127.0.0.1.evil.example', 'localhost.evil.example', '10.0.0.1']) {
    problem(await lab.get('/api/v1/runs', { host }), 403);
  }
  for (const host of ['localhost', 'localhost:9', '127.0.0.1:1234', '[::1]:8080', 'LOCALHOST:80']) {
    assert.equal((await lab.get('/api/v1/runs', { host })).status, 200, host);
  }
});

test('a foreign Origin cannot write, the lab\'s own can', async () => {
  const body = { experiment: 'transfer', parameters: small };
  for (const origin of ['https://evil.example', 'null', `http://127.0.0.1.evil.example:${lab.port}`, `http://127.0.0.1:${lab.port + 1}`]) {
    await refused(lab.post('/api/v1/runs', body, { origin }), 403);
  }
  assert.equal((await lab.post('/api/v1/runs', body, { origin: `http://127.0.0.1:${lab.port}` })).status, 202);
});

test('bad query strings', async () => {
  const cases_ = [
    ['limit=0', '/query/limit'], ['limit=501', '/query/limit'], ['limit=x', '/query/limit'], ['limit=1&limit=2', '/query/limit'], ['limit=', '/query/limit'],
    ['status=dancing', '/query/status'], ['since=yesterday', '/query/since'], ['until=2020-13-01T00:00:00Z', '/query/until'], ['colour=red', '/query/colour'],
    ['cursor=abc', '/query/cursor'], ['cursor=', '/query/cursor'],
  ];
  for (const [query, pointer] of cases_) {
    problem(await lab.get(`/api/v1/runs?${query}`), query.startsWith('cursor') ? 400 : 422, pointer);
  }
});

test('unknown and malformed run ids are 404', async () => {
  for (const id of ['x', '0', '00000000-0000-7000-8000-000000000000', "'%20OR%201=1--", 'a'.repeat(300)]) {
    problem(await lab.get(`/api/v1/runs/${id}`), 404);
  }
});
