// Participants: which routes they may call, that they see and cancel their own runs alone, and what their runs may
// take. The routes come from the OpenAPI document, so that a new one is tried too.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { runLine } from '../harness/exports.mjs';
import { endless, execute, Lab, small } from '../harness/lab.mjs';

/** The routes that participants may call beside the public ones. */
const routes = `get /api/v1/devices
get /api/v1/devices/{id}
get /api/v1/experiments
get /api/v1/experiments/{name}
get /api/v1/experiments/{name}/sources/{step}
get /api/v1/programs
get /api/v1/guide
get /api/v1/compiler
post /api/v1/compile
post /api/v1/runs
get /api/v1/runs
get /api/v1/runs/{id}
post /api/v1/runs/{id}/repeat
post /api/v1/runs/{id}/cancel
get /api/v1/runs/{id}/experiment
get /api/v1/runs/{id}/measurements
get /api/v1/runs/{id}/points/{position}/explanation
get /api/v1/runs/{id}/measurements.csv
get /api/v1/runs/{id}/chart.svg
get /api/v1/runs/{id}/points.csv
get /api/v1/runs/{id}/bencher.json
get /api/v1/runs/{id}/google-benchmark.json
get /api/v1/runs/{id}/timeline
get /api/v1/runs/{id}/timeline/columns
get /api/v1/runs/{id}/timeline.trace.json
get /api/v1/runs/{id}/fields
get /api/v1/runs/{id}/fields/{name}
get /api/v1/runs/{id}/comments
get /api/v1/compare
get /api/v1/export
get /api/v1/references
get /api/v1/queue
get /api/v1/events
get /api/v1/challenges
get /api/v1/challenges/{name}
get /api/v1/challenges/{name}/ranking
post /api/v1/challenges/{name}/submissions`.split('\n');

let lab, paths, mine, again, theirs;
const tokens = {};

const ask = (person, method, path, json, headers = {}) => lab.request(method, `/api/v1${path}`, { headers: { ...tokens[person], ...headers }, json });
const request = { experiment: 'transfer', parameters: small };

async function complete(person, rest = {}) {
  const { json, text } = await ask(person, 'POST', '/runs', { ...request, ...rest });
  assert.ok(json.id, text);
  await lab.until(async () => (await ask(person, 'GET', `/runs/${json.id}`)).json.status === 'succeeded', `the run of ${person} has succeeded`);
  return json.id;
}

before(async () => {
  lab = new Lab({ args: ['--rate-limit', '0', '--allow-programs'] }); // which a lab without tokens refuses
  for (const [name, role] of [['boss', 'admin'], ['ada', 'participant'], ['secret-ben', 'participant']]) {
    const { code, stdout, stderr } = await execute('gpulab', ['token', 'add', name, '--role', role, '--db', lab.database], { folder: lab.folder });
    assert.equal(code, 0, stderr);
    tokens[name] = { authorization: `Bearer ${stdout.trim()}` };
    if (name === 'boss') await lab.start();
  }
  paths = (await lab.get('/api/v1/openapi.json')).json.paths;
  const secret = { tags: ['secret-tag'], note: 'secret-note' };
  const own = runLine({ at: new Date(Date.now() - 60_000), requested_by: 'secret-ben', kernel: { source: 'secret-source', entry: 'f', arguments: [], block: [1], grid: [1] } });
  assert.equal((await lab.request('POST', '/api/v1/import', { headers: { ...tokens.boss, 'content-type': 'application/x-ndjson' }, body: `${JSON.stringify(own)}\n{"type":"end","runs":1}\n` })).json.imported, 1);
  theirs = [await complete('boss', secret), await complete('secret-ben', secret), own.id];
  [mine, again] = [await complete('ada', { note: 'my note' }), await complete('ada')];
  for (const id of [theirs[0], theirs[1], mine]) await ask('boss', 'POST', `/runs/${id}/comments`, { text: id === mine ? 'well done' : 'secret-comment' });
  await ask('boss', 'POST', '/marks', { text: 'secret-mark' });
  assert.equal((await ask('boss', 'PATCH', `/runs/${theirs[0]}`, { public: true, pinned: true }, { 'if-match': '*' })).status, 200);
});
after(() => lab.close());

test('participants may call the routes above, and no others', async () => {
  const open = Object.entries(paths).flatMap(([path, methods]) => Object.entries(methods).filter(([, each]) => each['x-participants']).map(([method]) => `${method} ${path}`));
  assert.deepEqual(open, routes);
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, { 'x-role': role }] of Object.entries(methods)) {
      // An unknown parameter makes sure that a request which is allowed does nothing.
      const answer = await ask('ada', method.toUpperCase(), `${path.replace('/api/v1', '').replace(/\{\w+\}/g, 'x')}?nonsense=1`, method === 'get' ? undefined : {});
      if (!path.startsWith('/api/v1')) continue;
      assert.equal(answer.status === 403, role !== 'public' && !routes.includes(`${method} ${path}`), `${method} ${path}: ${answer.status}`);
    }
  }
});

test('on every route, the run of another is like one that does not exist', async () => {
  const unknown = '01234567-89ab-7def-8123-456789abcdef';
  let tried = 0;
  for (const route of routes.filter((each) => each.includes('/runs/{id}'))) {
    const [method, path] = route.split(' ');
    const at = (id) => path.replace('/api/v1', '').replace('{id}', id).replace('{position}', '0').replace('{name}', 'x');
    const send = (id) => ask('ada', method.toUpperCase(), at(id), method === 'get' ? undefined : {});
    const { json: { instance, ...missing }, status } = await send(unknown);
    assert.equal(status, 404, route);
    for (const id of theirs) {
      const { json: { instance: own, ...refused } } = await send(id);
      assert.deepEqual(refused, missing, route);
      tried++;
    }
    if (/repeat|cancel|chart|fields\//.test(path)) continue;
    const known = await send(mine);
    assert.equal(known.status, 200, `${route}: ${known.text}`);
  }
  assert.ok(tried > 50, `${tried} answers`);
  for (const query of [`base=${theirs[0]}&head=${mine}`, `base=${mine}&head=${theirs[1]}`, `base=pinned&head=${mine}`, `run=${theirs[0]}`]) {
    assert.equal((await ask('ada', 'GET', `/compare?${query}`)).status, 404, query);
  }
  assert.equal((await ask('ada', 'GET', `/compare?base=${mine}&head=${again}`)).status, 200);
  for (const run of [theirs[1], unknown]) assert.equal((await ask('ada', 'GET', `/events?run=${run}`)).status, 422);
});

test('no answer to a participant has anything of the runs of others', async () => {
  const secrets = ['secret-tag', 'secret-note', 'secret-ben', 'secret-source', 'secret-comment', 'secret-mark', ...theirs];
  const queries = {
    '/api/v1/runs': ['', 'q=secret', 'tag=secret-tag', `q=${theirs[0].slice(-12)}`, 'pinned=true', 'experiment=kernel', 'latest=result', 'latest=experiment', 'limit=1', 'status=succeeded'],
    '/api/v1/export': ['', 'samples=true', 'format=csv', 'tag=secret-tag'],
    '/api/v1/compare': [`base=${mine}&head=${again}`],
  };
  for (const secret of secrets.slice(0, 6)) assert.ok((await ask('boss', 'GET', '/export')).text.includes(secret), secret);
  let tried = 0;
  for (const route of routes.filter((each) => each.startsWith('get ') && !/events|\{step\}/.test(each))) {
    const path = route.slice(4);
    const at = path.replace('/api/v1', '').replace('/devices/{id}', '/devices/host-0').replace('{id}', mine).replace('{position}', '0').replace('{name}', 'transfer');
    for (const query of queries[path] ?? ['']) {
      // The answers to others, before and between, may be kept.
      for (const person of ['boss', 'ada', 'secret-ben', 'ada']) {
        const { text } = await ask(person, 'GET', `${at}?${query}`);
        if (person !== 'ada') continue;
        for (const secret of secrets) assert.ok(!text.includes(secret), `${route}?${query} has ${secret}`);
        tried++;
      }
    }
  }
  assert.ok(tried > 60, `${tried} answers`);
  const ids = async (person, query) => (await ask(person, 'GET', `/runs?${query}`)).json.runs.map(({ id }) => id);
  assert.deepEqual(await ids('ada', ''), [again, mine]);
  assert.deepEqual(await ids('ada', 'q=note'), [mine]);
  assert.deepEqual(await ids('ada', 'latest=result'), [again]);
  assert.deepEqual((await ids('secret-ben', 'limit=2')).sort(), theirs.slice(1).sort());
  assert.deepEqual((await ids('boss', '')).sort(), [mine, again, ...theirs].sort());
});

test('the event stream of a participant has the own runs alone', async () => {
  const stream = await lab.events({ headers: tokens.ada });
  const before = await complete('secret-ben', { note: 'secret-note' }), own = await complete('ada');
  await stream.find(({ event, json }) => event === 'run.updated' && json.id === own && json.status === 'succeeded', 'the own run');
  assert.ok(stream.events.some(({ event }) => event === 'measurement'));
  assert.deepEqual([...new Set(stream.events.map(({ json }) => json.run ?? json.id))], [own]);
  assert.ok(!JSON.stringify(stream.events).includes(before));
  for (const id of [before, own]) assert.equal((await ask('boss', 'DELETE', `/runs/${id}`)).status, 204);
  await stream.find(({ event, json }) => event === 'run.deleted' && json.id === own, 'the own run was deleted');
  assert.ok(!JSON.stringify(stream.events).includes(before), 'nor that it was deleted');
  stream.close();
});

test('a participant cancels the own runs, changes none, and has a few at a time', async () => {
  const running = (await ask('boss', 'POST', '/runs', { ...request, parameters: endless })).json;
  await lab.until(async () => (await ask('boss', 'GET', '/queue')).json.running === running.id, 'a run of another is in progress');
  assert.deepEqual((await ask('ada', 'GET', '/queue')).json, { length: 0, running: null, runs: [], paused: false, held: null });
  const runs = [];
  for (let i = 0; i < 4; i++) runs.push((await ask('ada', 'POST', '/runs', request)).json.id);
  const refused = await ask('ada', 'POST', '/runs', request);
  assert.deepEqual([refused.status, refused.json.type, refused.headers['retry-after']], [429, '/problems/queue-full', '30']);
  assert.match(refused.json.detail, /as many queued and running runs as a participant may have/);
  assert.equal((await ask('ada', 'POST', `/runs/${mine}/repeat`, {})).status, 429);
  assert.equal((await ask('secret-ben', 'POST', `/runs/${runs[0]}/cancel`)).status, 404);
  for (const id of runs) assert.equal((await ask('ada', 'POST', `/runs/${id}/cancel`)).status, 202);
  assert.equal((await ask('ada', 'POST', `/runs/${running.id}/cancel`)).status, 404);
  assert.equal((await ask('ada', 'PATCH', `/runs/${mine}`, { note: 'x' }, { 'if-match': '*' })).status, 403);
  assert.equal((await ask('ada', 'DELETE', `/runs/${mine}`)).status, 403);
  assert.equal((await ask('boss', 'POST', `/runs/${running.id}/cancel`)).status, 202);
});

test('a run of a participant takes at most two minutes, and executes no program', async () => {
  const pointers = async (json, path = '/runs') => (await ask('ada', 'POST', path, { ...request, ...json })).json.errors?.map(({ pointer }) => pointer);
  assert.deepEqual(await pointers({ time_limit_s: 121 }), ['/time_limit_s']);
  assert.deepEqual(await pointers({ parameters: endless }), ['/parameters']);
  assert.deepEqual(await pointers({ parameters: endless }, '/runs?dry_run=true'), ['/parameters']);
  const program = { files: [{ name: 'main.cu', text: 'int main() {}' }] };
  assert.match((await ask('ada', 'POST', '/runs?dry_run=true', { experiment: 'program', program })).text, /programs-not-allowed/);
  assert.doesNotMatch((await ask('boss', 'POST', '/runs?dry_run=true', { experiment: 'program', program })).text, /programs-not-allowed/);
  const { json: { time_limit_s } } = await ask('ada', 'GET', `/runs/${mine}`);
  assert.equal(time_limit_s, 120);
});

test('an Idempotency-Key is of the person who sends it', async () => {
  const send = async (person) => (await ask(person, 'POST', '/runs', request, { 'idempotency-key': 'same' })).json.id;
  const first = await send('secret-ben'), second = await send('ada');
  assert.ok(first && second && first !== second);
  assert.deepEqual([await send('ada'), await send('secret-ben')], [second, first]);
});

test('why no run is started, which can name machines, users and paths, is for viewers and above', async () => {
  const held = new Lab({ args: ['--worker', '/bin/false'] }), given = { nobody: {} }, why = 'exited with code 1';
  try {
    for (const role of ['viewer', 'participant']) {
      const { stdout } = await execute('gpulab', ['token', 'add', role, '--role', role, '--db', held.database], { folder: held.folder });
      given[role] = { authorization: `Bearer ${stdout.trim()}` };
    }
    await held.start();
    const reason = async (role) => (await held.get('/api/v1/queue', given[role])).json.held;
    await held.until(async () => (await reason('viewer'))?.includes(why), 'the reason is known');
    assert.equal(await reason('participant'), 'No run can be started now; whoever runs this lab can see why.');
    const refused = await held.request('POST', '/api/v1/runs', { headers: given.participant, json: request });
    assert.deepEqual([refused.status, refused.json.detail], [503, await reason('participant')]);
    for (const role of ['nobody', 'participant', 'viewer']) assert.equal((await held.get('/readyz', given[role])).text.includes(why), role === 'viewer', role);
  } finally {
    await held.close();
  }
});
