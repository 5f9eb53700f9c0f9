// What is done with a run beside measuring it: tags, note and pinned are changed, it is planned without being created,
// and it is repeated.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { problem } from '../harness/expect.mjs';
import { Lab, endless, small, temporaryFolder, withLab } from '../harness/lab.mjs';

const unknown = '01900000-0000-7000-8000-000000000000';

let lab;
before(async () => (lab = await Lab.start()));
after(() => lab.close());

const patch = (id, json, match) => lab.request('PATCH', `/api/v1/runs/${id}`, { json, headers: match === undefined ? {} : { 'if-match': match } });
const repeat = (id, json, headers) => lab.post(`/api/v1/runs/${id}/repeat`, json, headers);
const count = async () => (await lab.get('/api/v1/runs?limit=500')).json.runs.length;

test('tags, note and pinned are changed, each alone, and the run is found by the new tags', async () => {
  const run = await lab.complete(small, { tags: ['before'], note: 'first' });
  const stream = await lab.events();
  let answer = await patch(run.id, { tags: ['after', 'ä'] }, `"${run.revision}"`);
  assert.equal(answer.status, 200, answer.text);
  assert.deepEqual(answer.json, { ...run, tags: ['after', 'ä'], revision: run.revision + 1 });
  answer = await patch(run.id, { note: 'second' }, `"${run.revision + 1}"`);
  assert.deepEqual(answer.json, { ...run, tags: ['after', 'ä'], note: 'second', revision: run.revision + 2 });
  answer = await patch(run.id, { pinned: true }, '*');
  assert.deepEqual(answer.json, { ...run, tags: ['after', 'ä'], note: 'second', pinned: true, revision: run.revision + 3 });
  assert.deepEqual(await lab.run(run.id), answer.json);
  const found = async (tag) => (await lab.get(`/api/v1/runs?tag=${encodeURIComponent(tag)}`)).json.runs.map(({ id }) => id);
  assert.deepEqual([await found('before'), await found('after'), await found('ä')], [[], [run.id], [run.id]]);
  await stream.find(({ event, json }) => event === 'run.updated' && json.id === run.id && json.pinned, 'the change is published');
  stream.close();
  assert.deepEqual((await patch(run.id, { tags: [], note: '', pinned: false }, '*')).json.tags, []);
});

test('If-Match: 428 without it, 412 with another revision, 422 when it is malformed', async () => {
  const run = await lab.complete();
  const refused = [
    [undefined, 428], ['"0"', 412], [`"${run.revision + 1}"`, 412], [`W/"${run.revision}"`, 412], ['"x"', 412], ['""', 412],
    [`"${run.revision}0"`, 412], [`"0${run.revision}"`, 412], ['"7", "8"', 412],
    [`${run.revision}`, 422], [`"${run.revision}`, 422], [`"${run.revision}" "9"`, 422], ['*, "1"', 422], ['"7",', 422], ['W/', 422],
  ];
  for (const [match, status] of refused) {
    problem(await patch(run.id, { note: 'lost' }, match), status, status === 422 ? '/headers/If-Match' : undefined);
  }
  assert.deepEqual(await lab.run(run.id), run);
  const lists = [`"${run.revision}"`, `"99", "${run.revision + 1}"`, `"99",W/"1" , "${run.revision + 2}"`];
  for (const match of lists) assert.equal((await patch(run.id, { note: match }, match)).status, 200, match);
  problem(await patch(unknown, { note: '' }, '*'), 404);
  problem(await patch(unknown, { note: '' }), 404);
});

test('of changes that are based on one revision, one is made', async () => {
  const run = await lab.complete();
  const answers = await Promise.all(Array.from({ length: 10 }, (_, i) => patch(run.id, { note: `note ${i}` }, `"${run.revision}"`)));
  const won = answers.filter(({ status }) => status === 200);
  assert.equal(won.length, 1);
  assert.ok(answers.every(({ status }) => [200, 412].includes(status)));
  assert.deepEqual(await lab.run(run.id), won[0].json);
});

test('a change without fields changes nothing; one with wrong fields names them all', async () => {
  const run = await lab.complete();
  assert.deepEqual((await patch(run.id, {}, '*')).json, run);
  const { errors } = problem(await patch(run.id, { tags: ['x', 'x', ''], note: 7, pinned: null, status: 'failed' }, '*'), 422);
  assert.deepEqual(errors.map(({ pointer }) => pointer).sort(), ['/note', '/pinned', '/status', '/tags/1', '/tags/2']);
  assert.deepEqual(await lab.run(run.id), run);
});

test('a run in progress can be tagged but not pinned; a pinned run cannot be deleted', async () => {
  const live = await lab.submit(endless);
  await lab.reach(live.id, 'running');
  assert.equal(problem(await patch(live.id, { pinned: true, note: 'x' }, '*'), 409).type, '/problems/run-is-live');
  assert.equal((await patch(live.id, { note: 'while it runs' }, '*')).json.note, 'while it runs');
  await lab.post(`/api/v1/runs/${live.id}/cancel`);
  const over = await lab.reach(live.id, 'cancelled');
  assert.equal(over.note, 'while it runs');
  assert.equal((await patch(live.id, { pinned: true }, '*')).status, 200);
  assert.equal(problem(await lab.request('DELETE', `/api/v1/runs/${live.id}`), 409).type, '/problems/run-is-pinned');
  assert.equal((await lab.run(live.id)).pinned, true);
  assert.equal((await patch(live.id, { pinned: false }, '*')).status, 200);
  assert.equal((await lab.request('DELETE', `/api/v1/runs/${live.id}`)).status, 204);
});

test('a dry run says what the run would take and stores nothing', async () => {
  const before_ = await count();
  const dry = (body) => lab.post('/api/v1/runs?dry_run=true', body, { 'idempotency-key': 'dry' });
  const { status, json } = await dry({ experiment: 'transfer', parameters: { ...small, direction: ['h2d', 'd2h'], max_bytes: 16384, factor: 2 } });
  assert.equal(status, 200);
  assert.deepEqual(Object.keys(json), ['points', 'seconds', 'device_bytes', 'host_bytes', 'parameters', 'compare_with']);
  assert.equal(json.points, 6);
  assert.ok(json.seconds > 0 && json.device_bytes >= 16384 && json.host_bytes >= 16384, JSON.stringify(json));
  const { errors } = problem(await dry({ experiment: 'transfer', devices: ['none'], parameters: { min_bytes: 'x' }, note: 7 }), 422);
  assert.deepEqual(errors.map(({ pointer }) => pointer).sort(), ['/devices/0', '/note', '/parameters/min_bytes']);
  problem(await dry({ experiment: 'transfer', parameters: { ...small, min_bytes: 8192 } }), 422, '/parameters/min_bytes');
  assert.equal(await count(), before_);
  const real = await lab.post('/api/v1/runs?dry_run=false', { experiment: 'transfer', parameters: small }, { 'idempotency-key': 'dry' });
  assert.equal(real.status, 202, 'the key was not used by the dry runs');
});

test('a run is repeated with its experiment, devices, parameters and tags; note and tags can be given', async () => {
  const first = await lab.complete(small, { tags: ['nightly'], note: 'the first', priority: 'low', time_limit_s: 100 });
  const answer = await repeat(first.id);
  assert.equal(answer.status, 202, answer.text);
  assert.equal(answer.headers.location, `/api/v1/runs/${answer.json.id}`);
  assert.notEqual(answer.json.id, first.id);
  for (const name of ['experiment', 'devices', 'parameters', 'tags', 'priority', 'time_limit_s']) assert.deepEqual(answer.json[name], first[name], name);
  assert.equal(answer.json.note, '');
  assert.equal((await lab.reach(answer.json.id, 'succeeded')).measurements.length, first.measurements.length);
  const other = await repeat(first.id, { note: 'again', tags: [], priority: 'normal' });
  assert.deepEqual([other.json.note, other.json.tags, other.json.priority, other.json.parameters], ['again', [], 'normal', first.parameters]);
  problem(await repeat(first.id, { parameters: {} }), 422, '/parameters');
  problem(await repeat(unknown), 404);
});

test('a repetition with an Idempotency-Key is made once, also if the repeated run is changed meanwhile', async () => {
  const first = await lab.complete();
  const one = await repeat(first.id, {}, { 'idempotency-key': 'again' });
  assert.equal((await patch(first.id, { tags: ['changed'] }, '*')).status, 200);
  assert.equal((await repeat(first.id, {}, { 'idempotency-key': 'again' })).json.id, one.json.id);
  assert.equal(problem(await repeat(first.id, { note: 'x' }, { 'idempotency-key': 'again' }), 422).type, '/problems/idempotency-key-reused');
});

test('a run on a device that has gone cannot be repeated', async () => {
  const folder = temporaryFolder();
  let run;
  await withLab({ folder, args: ['--host-devices', '2'] }, async (two) => {
    const [, second] = (await two.get('/api/v1/devices')).json.devices;
    run = await two.complete(small, { devices: [second.id] });
  });
  await withLab({ folder }, async (one) => {
    const { errors } = problem(await one.post(`/api/v1/runs/${run.id}/repeat`), 422, '/devices/0');
    assert.equal(errors.length, 1);
  });
});
