// Challenges: who publishes, sees and submits what, and when. The worker is a script that has a CUDA device; where
// NVRTC is not installed, submissions fail, which changes nothing here.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { linesOf, textOf } from '../harness/exports.mjs';
import { execute, Lab, protocolVersion, temporaryFolder } from '../harness/lab.mjs';

const worker = `#!${process.execPath}
const send = (event) => process.stdout.write(JSON.stringify(event) + '\\n');
const device = { id: 'GPU-1', ordinal: 0, backend: 'cuda', name: 'A GPU', properties: { compute_capability: '9.0' }, peers: [] };
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { op, run } = JSON.parse(line);
  if (op === 'hello') send({ event: 'hello', version: ${protocolVersion}, host: 'here' });
  if (op === 'describe') send({ event: 'description', devices: [device], machine: { name: 'here' }, build: { version: '0' } });
  if (op !== 'run') return;
  send({ event: 'started', run, environment: {} });
  send({ event: 'finished', run, status: 'succeeded', contended: false, lost: false, error: null, libraries: {} });
});
`;

const later = (seconds) => new Date(Date.now() + 1000 * seconds).toISOString();
const hidden = 'hidden-reference';
const challenge = {
  name: 'twice', title: 'Twice', text: 'Write **2 x**.', score: 'peak', start: '__global__ void twice(int n, const float *x, float *y) {}', closes_at: later(3600),
  kernel: {
    entry: 'twice', grid: 'ceil_div(n, 256)', block: 256, bytes: '8 * n',
    arguments: [{ name: 'n', kind: 'scalar', type: 'i32', value: [1, 1000] }, { name: 'x', kind: 'buffer', type: 'fp32', count: 'n' }, { name: 'y', kind: 'buffer', type: 'fp32', count: 'n', direction: 'out' }],
    reference: { source: `__global__ void other(int n, const float *x, float *y) {} // ${hidden}`, grid: 1, block: 256 },
  },
};
const source = '__global__ void twice(int n, const float *x, float *y) { /* mine */ }';

let lab, paths, mine;
const tokens = {};
const ask = (person, method, path, json, headers = {}) => lab.request(method, `/api/v1${path}`, { headers: { ...tokens[person], ...headers }, json });
const publish = (fields) => ask('boss', 'POST', '/challenges', { ...challenge, ...fields });
const submit = (person, name, fields = {}, headers) => ask(person, 'POST', `/challenges/${name}/submissions`, { source, ...fields }, headers);
const pointers = ({ json }) => json.errors?.map(({ pointer }) => pointer);
const over = (id) => lab.until(async () => !['queued', 'running'].includes((await ask('boss', 'GET', `/runs/${id}`)).json.status), 'the run is over');

before(async () => {
  const folder = temporaryFolder(), path = join(folder, 'worker.cjs');
  writeFileSync(path, worker);
  chmodSync(path, 0o755);
  lab = await Lab.start({ args: ['--worker', path, '--rate-limit', '0'] });
  for (const [name, role] of [['boss', 'admin'], ['olga', 'operator'], ['vera', 'viewer'], ['paul', 'participant'], ['petra', 'participant']]) {
    const { code, stdout, stderr } = await execute('gpulab', ['token', 'add', name, '--role', role, '--db', lab.database], { folder: lab.folder });
    assert.equal(code, 0, stderr);
    tokens[name] = { authorization: `Bearer ${stdout.trim()}` };
  }
  paths = (await lab.get('/api/v1/openapi.json')).json.paths;
  await lab.until(async () => (await ask('boss', 'GET', '/devices')).json.devices.length > 0, 'the device is listed');
  const answer = await publish({});
  assert.deepEqual([answer.status, answer.headers.location], [201, '/api/v1/challenges/twice'], answer.text);
  mine = (await submit('paul', 'twice')).json;
  assert.ok(mine.id, JSON.stringify(mine));
  await over(mine.id);
});
after(() => lab.close());

test('what a challenge must have', async () => {
  const kernel = (fields) => publish({ name: 'other', kernel: { ...challenge.kernel, ...fields } });
  const { reference } = challenge.kernel, [n, x, y] = challenge.kernel.arguments;
  assert.deepEqual(pointers(await kernel({ reference: undefined })), ['/kernel/reference']);
  for (const member of ['source', 'grid', 'block']) assert.deepEqual(pointers(await kernel({ reference: { ...reference, [member]: undefined } })), [`/kernel/reference/${member}`]);
  for (const [member, value] of Object.entries({ source: 'x', check: 'x', files: {}, sanitize: true, edits: 'transpose/padded' })) assert.deepEqual(pointers(await kernel({ [member]: value })), [`/kernel/${member}`]);
  assert.deepEqual(pointers(await kernel({ arguments: [n, x, { ...y, expected_data: 'AAAA' }] })), ['/kernel/arguments/2/expected_data']);
  assert.deepEqual(pointers(await kernel({ bytes: undefined })), ['/kernel/bytes']);
  assert.deepEqual(pointers(await kernel({ grid: 'ceil_div(m, 256)' })), ['/kernel/grid'], 'it is checked as a run is');
  assert.deepEqual(pointers(await kernel({ colour: 1 })), ['/kernel/colour']);
  assert.deepEqual(pointers(await publish({ name: 'Big' })), ['/name']);
  assert.deepEqual(pointers(await publish({ name: 'other', closes_at: later(-1) })), ['/closes_at']);
  assert.deepEqual(pointers(await publish({ name: 'other', closes_at: later(367 * 86400) })), ['/closes_at']);
  assert.deepEqual(pointers(await publish({ name: 'other', opens_at: later(7200) })), ['/opens_at']);
  const taken = await publish({});
  assert.deepEqual([taken.status, taken.json.type], [409, '/problems/name-in-use']);
  for (const person of ['olga', 'vera', 'paul']) assert.equal((await ask(person, 'POST', '/challenges', challenge)).status, 403);
  const { challenges } = (await ask('boss', 'GET', '/ready-challenges')).json;
  assert.equal(challenges.length, 10);
  for (const each of challenges) {
    const answer = await publish({ ...each, opens_at: later(60), closes_at: later(120) });
    assert.equal(answer.status, 201, `${each.name}: ${answer.text}`);
    assert.equal((await ask('boss', 'DELETE', `/challenges/${each.name}`)).status, 204);
  }
});

test('before it opens admins alone know of a challenge, and before it ends what is right', async () => {
  assert.equal((await publish({ name: 'soon', opens_at: later(1800) })).status, 201);
  for (const person of ['olga', 'vera', 'paul']) {
    assert.deepEqual((await ask(person, 'GET', '/challenges')).json.challenges.map(({ name }) => name), ['twice']);
    for (const answer of [await ask(person, 'GET', '/challenges/soon'), ...person === 'vera' ? [] : [await submit(person, 'soon')]]) assert.equal(answer.status, 404, person);
    const seen = (await ask(person, 'GET', '/challenges/twice')).json;
    assert.deepEqual([seen.open, seen.start, seen.kernel.reference.source, seen.submissions], [true, challenge.start, undefined, person === 'paul' ? 1 : 0]);
  }
  assert.equal((await submit('boss', 'soon')).json.type, '/problems/challenge-not-open');
  assert.equal((await ask('boss', 'GET', '/challenges/twice')).json.kernel.reference.source, challenge.kernel.reference.source);
  assert.equal((await ask('boss', 'DELETE', '/challenges/soon')).status, 204);
  assert.equal((await ask('boss', 'GET', '/challenges/soon')).status, 404);
  assert.equal((await publish({ name: 'open', shows: { reference: true } })).status, 201);
  assert.equal((await ask('paul', 'GET', '/challenges/open')).json.kernel.reference.source, challenge.kernel.reference.source);
  assert.equal((await ask('boss', 'DELETE', '/challenges/open')).status, 204);
});

test('a submission gives source, options and launch, and nothing else', async () => {
  assert.deepEqual([mine.challenge, mine.kernel.source, mine.kernel.bytes, mine.requested_by, mine.secret_until], ['twice', source, '8 * n', 'paul', (await ask('boss', 'GET', '/challenges/twice')).json.closes_at]);
  for (const [member, value] of Object.entries({ arguments: [], reference: null, bytes: '1', tags: ['x'], priority: 'low', secret_until: later(9), challenge: 'x', expressions: 1 })) {
    assert.deepEqual(pointers(await submit('paul', 'twice', { [member]: value })), [`/${member}`]);
  }
  assert.deepEqual(pointers(await submit('paul', 'twice', { options: { defines: ['n=0'] } })), ['/options/defines']);
  assert.deepEqual(pointers(await submit('paul', 'twice', { grid: 'ceil_div(m, 2)' })), ['/grid']);
  const { json: run } = await submit('petra', 'twice', { block: 128, options: { fast_math: true } }, { 'idempotency-key': 'one' });
  assert.deepEqual([run.kernel.block, run.kernel.options], [128, { fast_math: true }]);
  assert.equal((await submit('petra', 'twice', { block: 128, options: { fast_math: true } }, { 'idempotency-key': 'one' })).json.id, run.id);
  assert.equal((await submit('petra', 'twice', {}, { 'idempotency-key': 'one' })).json.type, '/problems/idempotency-key-reused');
  await over(run.id);
  assert.equal((await submit('vera', 'twice')).status, 403);
  assert.equal((await submit('paul', 'unknown')).status, 404);
});

test('no answer tells a participant what is right, or anything of the submissions of others', async () => {
  let tried = 0;
  for (const [path, methods] of Object.entries(paths)) {
    if (!methods.get?.['x-participants'] || /events|\{step\}/.test(path)) continue;
    const at = path.replace('/api/v1', '').replace('/devices/{id}', '/devices/GPU-1').replace('{id}', mine.id).replace('{position}', '0').replace('/challenges/{name}', '/challenges/twice').replace('{name}', 'kernel');
    for (const person of ['boss', 'petra', 'paul']) {
      const { text } = await ask(person, 'GET', at);
      if (person !== 'paul') continue;
      for (const word of [hidden, 'petra']) assert.ok(!text.includes(word), `GET ${path} has ${word}`);
      tried++;
    }
  }
  assert.ok(tried > 20, `${tried} answers`);
  for (const person of ['olga', 'vera', 'petra']) assert.equal((await ask(person, 'GET', `/runs/${mine.id}`)).status, 404);
  const repeated = await ask('paul', 'POST', `/runs/${mine.id}/repeat`, {});
  assert.deepEqual([repeated.status, repeated.json.type], [409, '/problems/submissions-are-secret']);
});

test('a ranking has the best right submission of each person, and hides the others until the end', async () => {
  const around = (value) => [0.999, 1, 1, 1, 1, 1, 1.001].map((factor) => factor * value);
  const submission = (requested_by, n, value, fields = {}) => linesOf({
    at: new Date(Date.now() - 60_000), n, experiment: 'kernel', requested_by, kernel: { ...challenge.kernel, source }, secret_until: challenge.closes_at, devices: [{ id: 'GPU-1', name: 'A GPU', node: 'here' }],
  }, [{ metric: 'share_of_peak', unit: '1', axes: { n: 1 }, samples: around(0.9) }, { metric: 'share_of_peak', unit: '1', axes: { n: 1000 }, samples: around(value), ...fields }]);
  const runs = [submission('paul', 1, 0.5), submission('paul', 2, 0.6), submission('petra', 3, 0.603), submission('rita', 4, 0.4), submission('quinn', 5, 0.8, { verified: false, wrong: 3 }), submission('quinn', 6, 0.8, { verified: null, wrong: null })];
  const imported = await lab.request('POST', '/api/v1/import', { headers: { ...tokens.boss, 'content-type': 'application/x-ndjson' }, body: textOf(runs.flat()) });
  assert.equal(imported.json.imported, runs.length, imported.text);
  execFileSync('sqlite3', ['-cmd', 'PRAGMA wal_autocheckpoint = 0', lab.database, "UPDATE run SET challenge = (SELECT id FROM challenge WHERE name = 'twice') WHERE challenge IS NULL AND experiment = 'kernel'"]);
  const ranking = async (person, query = '') => (await ask(person, 'GET', `/challenges/twice/ranking${query}`)).json;
  const own = (await ask('paul', 'GET', '/runs?challenge=twice')).json.runs.map(({ id }) => id);
  assert.deepEqual(own.sort(), [mine.id, runs[0][0].id, runs[1][0].id].sort());
  assert.deepEqual((await ask('paul', 'GET', '/runs?challenge=other')).json.runs, []);
  const { places, ...rest } = await ranking('boss');
  assert.deepEqual(rest, { challenge: 'twice', device: 'A GPU', models: ['A GPU'], score: 'peak', unit: '1', larger_is_better: true });
  assert.deepEqual(places.map(({ place, shared, by, value, submissions }) => [place, shared, by, value, submissions]), [[1, true, 'petra', 0.603, 1], [1, true, 'paul', 0.6, 2], [3, false, 'rita', 0.4, 1]]);
  assert.ok(places[0].lo <= 0.603 && places[0].hi >= 0.603);
  const seen = (await ranking('paul')).places;
  assert.deepEqual(seen.map(({ by, own, run, value }) => [by, own, run, value]), [[null, false, null, 0.603], ['paul', true, runs[1][0].id, 0.6], [null, false, null, 0.4]]);
  assert.deepEqual((await ranking('paul', '?device=B')).places, []);
  assert.equal((await ask('petra', 'GET', `/runs/${runs[1][0].id}`)).status, 404);
});

test('gpulab challenge publishes, lists, shows, submits, changes and removes', async () => {
  const call = (...args) => execute('gpulab', ['challenge', ...args, '--db', lab.database], { folder: lab.folder });
  const document = join(lab.folder, 'challenge.json'), file = join(lab.folder, 'mine.cu');
  writeFileSync(document, JSON.stringify({ ...challenge, name: 'from-file', closes_at: undefined }));
  writeFileSync(file, source);
  assert.match((await call('publish', 'reduction')).stderr, /--closes-at.*missing/);
  assert.match((await call('publish', 'nothing', '--closes-at', later(60))).stderr, /none of the challenges that come with the lab/);
  assert.match((await call('publish', file + '.json', '--closes-at', later(60))).stderr, /no document of a challenge/);
  for (const word of ['reduction', document]) assert.equal((await call('publish', word, '--closes-at', later(600))).stdout, 'published\n');
  assert.match((await call('list')).stdout, /from-file +Twice +peak +yes/);
  assert.match((await call('show', 'from-file')).stdout, /Twice \(open until .*\n\nWrite 2 x\.\n\n__global__ void twice/);
  assert.match((await call('ranking', 'twice')).stdout, /twice by peak \[1\] on A GPU\n\n[^]*\n +1 +shared +petra +0\.603 +0\.603 to 0\.603 +1 /);
  const submitted = await call('submit', 'from-file', file, '--block', '64', '--fast-math', '--json');
  const run = JSON.parse(submitted.stdout);
  assert.deepEqual([run.challenge, run.kernel.block, run.kernel.options, submitted.code === 0], ['from-file', [64], { fast_math: true }, run.status === 'succeeded']);
  const compared = JSON.parse((await call('compare', 'from-file', run.id, run.id, '--json')).stdout);
  assert.deepEqual([compared.kernel.source, compared.compare_with.kernel.source, compared.kernel.reference, compared.challenge], [source, source, undefined, null]);
  assert.equal(compared.secret_until, (await ask('boss', 'GET', '/challenges/from-file')).json.closes_at);
  assert.match((await call('compare', 'from-file', run.id, mine.id)).stderr, /is no submission to this challenge/);
  assert.match((await call('submit', 'from-file', file, '--grid', 'ceil_div(m, 2)')).stderr, /grid/);
  assert.equal((await call('change', 'from-file', '--closes-at', '2020-01-01')).stdout, 'changed\n');
  for (const name of ['from-file', 'reduction']) assert.equal((await call('remove', name)).stdout, 'removed\n');
  assert.match((await call('show', 'reduction')).stderr, /Challenge not found/);
});

test('who floods the queue, reaches for the runs of rivals or hides text in names gains nothing', async () => {
  assert.equal((await ask('boss', 'PUT', '/queue', { paused: true })).status, 200);
  const submitted = [];
  for (let i = 0; i < 5; i++) submitted.push(await submit('petra', 'twice', { entry: 'leak<4>', source: `${source} // leak ${i}` }));
  assert.deepEqual(submitted.map(({ status }) => status), [202, 202, 202, 202, 429]);
  const { id } = submitted[0].json;
  for (const [method, path, body] of [['POST', 'cancel', {}], ['POST', 'repeat', {}], ['POST', 'comments', { text: 'x' }], ['PATCH', '', { tags: ['x'] }], ['DELETE', '']]) {
    const answer = await ask('paul', method, `/runs/${id}${path && `/${path}`}`, body, { 'if-match': '*' });
    assert.ok([403, 404].includes(answer.status), `${method} ${path}: ${answer.text}`);
    assert.ok(!/petra|leak/.test(answer.text), answer.text);
  }
  for (const person of ['vera', 'paul']) {
    for (const path of ['/runs', '/runs?q=leak', '/queue', '/challenges', '/challenges/twice', '/recorded-devices', '/devices']) {
      const { text } = await ask(person, 'GET', path);
      assert.ok(!/petra|leak/.test(text), `GET ${path} of ${person}: ${text}`);
    }
  }
  assert.deepEqual((await ask('boss', 'GET', `/runs/${id}`)).json.status, 'queued');
  const { json: ofAdmin } = await submit('boss', 'twice');
  assert.equal(ofAdmin.time_limit_s, 120, 'the time limit is the same for all');
  assert.equal((await ask('boss', 'POST', `/runs/${ofAdmin.id}/cancel`, {})).status, 202);
  for (const { json } of submitted.slice(0, 4)) assert.equal((await ask('petra', 'POST', `/runs/${json.id}/cancel`, {})).status, 202);
  assert.equal((await ask('boss', 'PUT', '/queue', { paused: false })).status, 200);
});

test('when a challenge ends is changed, and its submissions are visible from then on', async () => {
  const secret = await ask('boss', 'DELETE', '/challenges/twice');
  assert.deepEqual([secret.status, secret.json.type], [409, '/problems/submissions-are-secret']);
  const longer = later(7200), patch = (closes_at) => ask('boss', 'PATCH', '/challenges/twice', { closes_at });
  assert.equal(Date.parse((await patch(longer)).json.closes_at), Date.parse(longer));
  assert.equal(Date.parse((await ask('paul', 'GET', `/runs/${mine.id}`)).json.secret_until), Date.parse(longer));
  assert.deepEqual(pointers(await patch(later(367 * 86400))), ['/closes_at']);
  assert.equal((await ask('paul', 'PATCH', '/challenges/twice', { closes_at: longer })).status, 403);
  const ended = (await patch(later(-1))).json;
  assert.equal(ended.open, false);
  const again = await patch(longer);
  assert.deepEqual([again.status, again.json.type], [409, '/problems/challenge-not-open'], 'what could be read is not secret again');
  assert.equal((await submit('paul', 'twice')).json.type, '/problems/challenge-not-open');
  const run = (await ask('vera', 'GET', `/runs/${mine.id}`)).json;
  assert.deepEqual([run.challenge, run.kernel.reference.source], ['twice', challenge.kernel.reference.source]);
  assert.equal((await ask('vera', 'GET', '/challenges/twice')).json.kernel.reference.source, challenge.kernel.reference.source);
  const { places } = (await ask('petra', 'GET', '/challenges/twice/ranking')).json;
  assert.deepEqual(places.map(({ by, own }) => [by, own]), [['petra', true], ['paul', false], ['rita', false]]);
  for (const { run: id } of places) assert.equal((await ask('petra', 'GET', `/runs/${id}`)).status, 200, 'participants too read what the ranking names');
  const [base, head] = places.map(({ run }) => run);
  assert.equal((await ask('petra', 'GET', `/compare?base=${base}&head=${head}`)).status, 200);
  assert.ok(!(await ask('petra', 'GET', '/runs?limit=500')).text.includes(mine.id), 'and list their own runs alone');
  assert.equal((await ask('boss', 'DELETE', '/challenges/twice')).status, 204);
  assert.equal((await ask('vera', 'GET', `/runs/${mine.id}`)).json.challenge, null);
});
