// Runs that are secret until a time: to all but the person who asked for one, and admins, it does not exist, on any
// route. The routes come from the OpenAPI document, so that a new one is tried too. The worker is a script that has a
// CUDA device; where NVRTC is not installed, the runs fail, which changes nothing here.
import assert from 'node:assert/strict';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { linesOf, runLine, textOf } from '../harness/exports.mjs';
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
  send({ event: 'note', run, text: 'hidden-result' });
  send({ event: 'finished', run, status: 'succeeded', contended: false, lost: false, error: null, libraries: {} });
});
`;

const until = new Date(Date.now() + 3600_000).toISOString();
const kernel = { source: '__global__ void f(float *y) { y[threadIdx.x] = 1; } // hidden-source', block: 32, arguments: [{ name: 'y', kind: 'buffer', type: 'fp32', count: 32, direction: 'out' }] };
const request = { experiment: 'kernel', kernel, tags: ['hidden-tag'], note: 'hidden-note', secret_until: until };
const hidden = ['hidden-source', 'hidden-tag', 'hidden-note', 'hidden-comment', 'hidden-result'];

let lab, paths, secret, past;
const tokens = {};
const ask = (person, method, path, json, headers = {}) => lab.request(method, `/api/v1${path}`, { headers: { ...tokens[person], ...headers }, json });
const over = (person, id) => lab.until(async () => !['queued', 'running'].includes((await ask(person, 'GET', `/runs/${id}`)).json.status), 'the run is over');

before(async () => {
  const folder = temporaryFolder(), path = join(folder, 'worker.cjs');
  writeFileSync(path, worker);
  chmodSync(path, 0o755);
  lab = await Lab.start({ args: ['--worker', path, '--rate-limit', '0', '--anonymous'] });
  for (const [name, role] of [['boss', 'admin'], ['olga', 'operator'], ['oleg', 'operator'], ['vera', 'viewer'], ['paul', 'participant']]) {
    const { code, stdout, stderr } = await execute('gpulab', ['token', 'add', name, '--role', role, '--db', lab.database], { folder: lab.folder });
    assert.equal(code, 0, stderr);
    tokens[name] = { authorization: `Bearer ${stdout.trim()}` };
  }
  paths = (await lab.get('/api/v1/openapi.json')).json.paths;
  await lab.until(async () => (await ask('boss', 'GET', '/devices')).json.devices.length > 0, 'the device is listed');
  const answer = await ask('olga', 'POST', '/runs', request);
  assert.equal(answer.status, 202, answer.text);
  secret = answer.json.id;
  await over('olga', secret);
  assert.equal((await ask('olga', 'POST', `/runs/${secret}/comments`, { text: 'hidden-comment' })).status, 201);
  const line = runLine({ at: new Date(Date.now() - 60_000), requested_by: 'olga', secret_until: new Date(Date.now() - 1000).toISOString(), kernel: { ...kernel, source: '__global__ void f(float *y) {}', block: [32] } });
  assert.equal((await lab.request('POST', '/api/v1/import', { headers: { ...tokens.boss, 'content-type': 'application/x-ndjson' }, body: `${JSON.stringify(line)}\n{"type":"end","runs":1}\n` })).json.imported, 1);
  past = line.id;
});
after(() => lab.close());

const strangers = ['oleg', 'vera', 'paul', 'nobody']; // nobody has no token, in a lab that is open to everyone
const unknown = '01234567-89ab-7def-8123-456789abcdef';

test('to its person and to admins a secret run is as any other', async () => {
  for (const person of ['olga', 'boss']) {
    const run = (await ask(person, 'GET', `/runs/${secret}`)).json;
    assert.deepEqual([run.note, run.kernel.source, Date.parse(run.secret_until)], ['hidden-note', kernel.source, Date.parse(until)]);
    assert.ok((await ask(person, 'GET', '/runs?q=hidden-note')).json.runs.some(({ id }) => id === secret));
    for (const text of ['hidden-source', 'hidden-note', 'hidden-comment']) assert.ok((await ask(person, 'GET', '/export')).text.includes(text), text);
  }
  for (const person of ['oleg', 'vera']) assert.equal((await ask(person, 'GET', `/runs/${past}`)).json.note, '', 'its time is over');
});

test('on every route of a run, a secret run of another is like one that does not exist', async () => {
  let tried = 0;
  const bodies = { patch: { note: 'x' }, comments: { text: 'x' } };
  for (const [path, methods] of Object.entries(paths).filter(([each]) => each.startsWith('/api/v1/runs/{id}'))) {
    for (const method of Object.keys(methods)) {
      const at = (id) => path.replace('/api/v1', '').replace('{id}', id).replace('{position}', '0').replace('{name}', 'y').replace('{comment}', '1');
      const body = method === 'get' ? undefined : path.endsWith('/comments') ? bodies.comments : (bodies[method] ?? {});
      for (const person of strangers) {
        const send = (id) => ask(person, method.toUpperCase(), at(id), body, { 'if-match': '*' });
        const [refused, missing] = [await send(secret), await send(unknown)];
        assert.deepEqual([refused.status, { ...refused.json, instance: '' }], [missing.status, { ...missing.json, instance: '' }], `${method} ${path} as ${person}`);
        assert.ok(refused.status >= 400, `${method} ${path} as ${person}: ${refused.status}`);
        tried++;
      }
    }
  }
  assert.ok(tried > 80, `${tried} answers`);
  assert.equal((await ask('olga', 'GET', `/runs/${secret}`)).status, 200, 'it is still there');
  for (const query of [`base=${past}&head=${secret}`, `base=${secret}&head=${past}`]) assert.equal((await ask('vera', 'GET', `/compare?${query}`)).status, 404);
  for (const person of ['oleg', 'vera', 'paul']) assert.equal((await ask(person, 'GET', `/events?run=${secret}`)).status, 422);
});

test('no answer to another has anything of a secret run', async () => {
  const queries = {
    '/api/v1/runs': ['', 'q=hidden', 'tag=hidden-tag', `q=${secret.slice(-12)}`, 'experiment=kernel', 'latest=experiment', 'latest=result', 'limit=1', 'limit=1&q=hidden-note'],
    '/api/v1/export': ['', 'samples=true', 'format=csv', 'tag=hidden-tag'],
    '/api/v1/series/points': ['experiment=kernel'],
    '/api/v1/references/measured': ['experiment=kernel'],
  };
  let tried = 0;
  for (const [path, { get }] of Object.entries(paths)) {
    if (!get || /\{(?!name)|events|backup/.test(path)) continue;
    for (const query of queries[path] ?? ['']) {
      // The answers about runs to those who may see it, before and between, may be kept.
      for (const person of strangers) {
        for (const each of queries[path] ? ['boss', 'olga', person] : [person]) {
          const { text, json } = await lab.get(`${path.replace('{name}', 'kernel')}?${query}`, tokens[each]);
          if (each !== person) continue;
          for (const word of hidden) assert.ok(!text.includes(word), `GET ${path}?${query} as ${person} has ${word}`);
          if (path === '/api/v1/runs' && json.runs) assert.deepEqual(json.runs.filter(({ id }) => id === secret), [], query);
          if (query === 'limit=1&q=hidden-note' && json.runs) assert.equal(json.next, null, 'no hint of a match');
          tried++;
        }
      }
    }
  }
  assert.ok(tried > 120, `${tried} answers`);
});

test('events of a secret run go to its person and admins alone, also those of its repetition', async () => {
  const streams = Object.fromEntries(await Promise.all(['olga', 'boss', 'oleg', 'vera', 'paul'].map(async (person) => [person, await lab.events({ headers: tokens[person] })])));
  const again = (await ask('olga', 'POST', `/runs/${secret}/repeat`, {})).json;
  assert.equal(Date.parse(again.secret_until), Date.parse(until));
  await over('olga', again.id);
  const { secret_until: none, ...open } = request;
  const last = (await ask('olga', 'POST', '/runs', { ...open, note: 'for all', tags: [] })).json;
  const about = (person, id) => streams[person].events.filter(({ event, json }) => event !== 'queue.updated' && (json.run ?? json.id) === id);
  for (const person of ['olga', 'boss', 'oleg', 'vera']) {
    await streams[person].find(({ json }) => json.id === last.id && ['succeeded', 'failed'].includes(json.status), `the end of the open run for ${person}`);
    assert.equal(about(person, again.id).length > 0, ['olga', 'boss'].includes(person), person);
  }
  assert.deepEqual(about('paul', again.id), []);
  for (const { id } of [again, last]) assert.equal((await ask('boss', 'DELETE', `/runs/${id}`)).status, 204);
  for (const person of ['olga', 'boss', 'oleg', 'vera']) {
    const { json } = await streams[person].find(({ event }) => event === 'run.deleted', `a run was deleted, for ${person}`);
    assert.equal(json.id, ['olga', 'boss'].includes(person) ? again.id : last.id, person);
  }
  for (const stream of Object.values(streams)) stream.close();
});

test('the series of points neither count nor know what a secret run has measured', async () => {
  const at = new Date(Date.now() - 120_000), both = { axes: { bytes: 1 } }, alone = { axes: { bytes: 2 } };
  const runs = [linesOf({ at, n: 1 }, [both]), linesOf({ at, n: 2, requested_by: 'olga', secret_until: until, kernel: { ...kernel, block: [32] } }, [both, alone])];
  const { json } = await lab.request('POST', '/api/v1/import', { headers: { ...tokens.boss, 'content-type': 'application/x-ndjson' }, body: textOf(runs.flat()) });
  assert.equal(json.imported, 2);
  const { points } = (await ask('vera', 'GET', '/series/points?experiment=transfer')).json;
  assert.deepEqual(points.map(({ axes, runs: count }) => [axes, count]), [[both.axes, 1]]);
  for (const device of ['', '&device=NVIDIA%20H200']) {
    const [known, never] = await Promise.all([2, 3].map((bytes) => ask('vera', 'GET', `/series?experiment=transfer&metric=bandwidth&axes={"bytes":${bytes}}${device}`)));
    assert.equal(known.status, 404);
    assert.deepEqual(known.json, never.json);
  }
});

test('what can be secret, and how long', async () => {
  const errors = async (body) => (await ask('olga', 'POST', '/runs?dry_run=true', body)).json.errors?.map(({ pointer, detail }) => `${pointer} ${detail}`);
  const late = new Date(Date.now() + 367 * 86_400_000).toISOString();
  assert.equal(await errors(request), undefined);
  for (const time of [late, '2020-01-01']) assert.deepEqual(await errors({ ...request, secret_until: time }), ['/secret_until Must be in the future, and at most 366 days.']);
  assert.match((await errors({ experiment: 'transfer', secret_until: until })).join(), /\/secret_until Only a run of a kernel of one's own can be secret/);
  assert.match((await errors({ ...request, secret_until: 'soon' })).join(), /\/secret_until/);
  const run = await execute('gpulab', ['run', 'transfer', '--secret-until', until, '--db', lab.database], { folder: lab.folder });
  assert.match(run.stderr, /kernel of one's own/);
});
