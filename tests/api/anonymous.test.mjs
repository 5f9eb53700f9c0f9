// A lab that is open to everyone (--anonymous): which routes answer without a token, and that no answer has what people wrote. The
// routes come from the OpenAPI document, so that a new one is tried too.
import assert from 'node:assert/strict';
import { hostname } from 'node:os';
import { after, before, test } from 'node:test';
import { execute, Lab, small, withLab } from '../harness/lab.mjs';

/** What people and machines have written, and no answer without a token may have. */
const secrets = ['secret-tag', 'secret-note', 'secret-person', 'secret-value', 'secret-source', 'secret-comment', 'secret-mark', 'secret-device'];
const bearer = (secret) => ({ authorization: `Bearer ${secret}` });

let lab, person, plain, shown, own, queries;

async function addToken(name, role) {
  const { code, stdout, stderr } = await execute('gpulab', ['token', 'add', name, '--role', role, '--db', lab.database], { folder: lab.folder });
  assert.equal(code, 0, stderr);
  return bearer(stdout.trim());
}

/** A run with all that people write. */
async function complete(by = person) {
  const { json } = await lab.post('/api/v1/runs', { experiment: 'transfer', parameters: small, tags: ['secret-tag'], note: 'secret-note' }, by);
  await lab.until(async () => (await lab.get(`/api/v1/runs/${json.id}`, person)).json.status === 'succeeded', 'the run has succeeded');
  await lab.post(`/api/v1/runs/${json.id}/comments`, { text: 'secret-comment' }, person);
  return json.id;
}

/** Imports a run of a person's own kernel, which this machine cannot compile. */
async function importOwn(like) {
  const lines = (await lab.get('/api/v1/export', person)).text.trim().split('\n').map((line) => JSON.parse(line));
  const run = lines.find(({ type, id }) => type === 'run' && id === like);
  const id = `${like.slice(0, -4)}abcd`;
  const kernel = { source: 'secret-source', entry: 'secret_source', arguments: [], block: [1], grid: [1] };
  const text = [{ ...run, id, kernel, measurement_count: 0, headline: null, wrong_count: 0 }, { type: 'end', runs: 1 }].map((line) => JSON.stringify(line)).join('\n');
  const answer = await lab.request('POST', '/api/v1/import', { headers: { ...person, 'content-type': 'application/x-ndjson' }, body: `${text}\n` });
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.json.imported, 1, answer.text);
  return id;
}

before(async () => {
  lab = await Lab.start({ args: ['--anonymous', '--rate-limit', '0'], env: { CUDA_SECRET: 'secret-value' } });
  person = await addToken('secret-person', 'admin');
  plain = await complete();
  shown = await complete(await addToken('open-person', 'operator'));
  const marked = await lab.request('PATCH', `/api/v1/runs/${shown}`, { headers: { ...person, 'if-match': '*' }, json: { public: true, note: 'for everyone', tags: ['open'] } });
  assert.equal(marked.json.public, true, marked.text);
  own = await importOwn(plain);
  await lab.post('/api/v1/marks', { text: 'secret-mark' }, person);
  const { measurements: [{ metric, axes }] } = (await lab.get(`/api/v1/runs/${plain}`, person)).json;
  queries = {
    '/api/v1/compare': [`base=${plain}&head=${shown}`],
    '/api/v1/series': [`experiment=transfer&metric=${metric}&axes=${encodeURIComponent(JSON.stringify(axes))}`],
    '/api/v1/series/points': ['experiment=transfer'],
    '/api/v1/references/measured': ['experiment=transfer'],
    '/api/v1/runs': ['', 'latest=result', 'latest=experiment', 'limit=1'],
  };
});
after(() => lab.close());

test('a route answers without a token if its role is anonymous or less, and no other', async () => {
  const { paths } = (await lab.get('/api/v1/openapi.json')).json;
  let open = 0;
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, { 'x-role': role }] of Object.entries(methods)) {
      const answer = await lab.request(method.toUpperCase(), `${path.replace(/\{\w+\}/g, 'x')}?nonsense=1`, { headers: { 'content-type': 'application/json' } });
      const allowed = ['public', 'anonymous'].includes(role);
      assert.equal(answer.status === 401, !allowed, `${method} ${path}, ${role}: ${answer.status}`);
      if (role === 'anonymous') open++, assert.equal(method, 'get', path);
    }
  }
  assert.ok(open > 15, `${open} routes`);
});

/** The text of an answer without the runs that are marked public, which are shown whole. */
function withoutPublic({ text, json }) {
  return json === undefined ? text : JSON.stringify(json, (key, value) => (value?.public === true ? null : value));
}

test('no answer without a token has what people wrote or machines are called', async () => {
  const { paths } = (await lab.get('/api/v1/openapi.json')).json;
  const device = (await lab.get('/api/v1/devices')).json.devices[0].id;
  const host = hostname();
  assert.ok((await lab.get(`/api/v1/runs/${plain}`, person)).text.includes(host), 'the name of the machine is in the whole run');
  for (const secret of ['secret-tag', 'secret-note', 'secret-person', 'secret-value']) {
    assert.ok((await lab.get(`/api/v1/runs/${plain}`, person)).text.includes(secret), `${secret} is in the whole run`);
  }
  let tried = 0;
  for (const [path, { get }] of Object.entries(paths)) {
    if (get?.['x-role'] !== 'anonymous' || path.includes('{step}')) continue;
    const at = path.replace('/devices/{id}', `/devices/${device}`).replace('{name}', 'transfer').replace('{id}', plain);
    for (const query of queries[path] ?? ['']) {
      // Twice, as a person between: an answer may be kept.
      for (const headers of [undefined, person, undefined]) {
        const answer = await lab.get(`${at}?${query}`, headers);
        if (!/chart\.svg|fields|timeline/.test(path)) assert.equal(answer.status, 200, `${at}?${query}: ${answer.text}`);
        if (headers) continue;
        const text = withoutPublic(answer);
        for (const secret of secrets) assert.ok(!text.includes(secret), `${at}?${query} has ${secret}`);
        assert.ok(!text.includes(`"${host}"`), `${at}?${query} has the name of the machine`);
        tried++;
      }
    }
  }
  assert.ok(tried > 40, `${tried} answers`);
});

test('a run that is marked public is shown whole, others are not, and those of own code not at all', async () => {
  const whole = (await lab.get(`/api/v1/runs/${shown}`)).json;
  assert.deepEqual([whole.note, whole.tags, whole.requested_by, whole.public], ['for everyone', ['open'], 'open-person', true]);
  assert.equal(whole.environment.variables.CUDA_SECRET, 'secret-value');
  const { note, tags, requested_by, host, error, environment, measurements, parameters } = (await lab.get(`/api/v1/runs/${plain}`)).json;
  assert.deepEqual({ note, tags, requested_by, host, error }, { note: '', tags: [], requested_by: null, host: '', error: null });
  assert.equal(environment.variables, undefined);
  assert.equal(environment.machine.name, null);
  assert.ok(measurements.length > 0 && parameters.min_bytes === 4096);
  for (const path of ['', '/experiment', '/measurements', '/measurements.csv', '/points.csv', '/timeline', '/fields', '/normal', '/chart.svg']) {
    assert.equal((await lab.get(`/api/v1/runs/${own}${path}`)).status, 404, path);
  }
  assert.equal((await lab.get(`/api/v1/compare?base=${own}&head=${plain}`)).status, 404);
  const { runs } = (await lab.get('/api/v1/runs')).json;
  assert.deepEqual(runs.map(({ id }) => id).sort(), [plain, shown].sort());
  assert.ok((await lab.get('/api/v1/runs', person)).json.runs.some(({ id }) => id === own));
});

test('runs are not found by what is withheld', async () => {
  for (const path of ['runs?q=secret-note', 'runs?tag=secret-tag', 'series/points?experiment=kernel', 'series/points?experiment=program']) {
    const answer = await lab.get(`/api/v1/${path}`);
    assert.equal(answer.status, 401, path);
    assert.equal(answer.json.type, '/problems/missing-token');
  }
});

test('without any token nobody is admin over TCP, the Unix socket stays, and a page may read at a lower rate', async () => {
  await withLab({ args: ['--anonymous', '--rate-limit', '8'], listen: '0.0.0.0:0' }, async (own) => {
    assert.deepEqual((await own.get('/api/v1/session')).json, { name: null, role: 'anonymous', tokens_demanded: true });
    assert.equal((await own.post('/api/v1/runs', { experiment: 'transfer', parameters: small })).status, 401);
    assert.equal((await own.get('/api/v1/devices', bearer('x'))).status, 401);
    const { code } = await execute('gpulab', ['devices', '--db', own.database], { folder: own.folder });
    assert.equal(code, 0);
    const answers = await Promise.all(Array.from({ length: 40 }, () => own.get('/api/v1/devices')));
    const allowed = answers.filter(({ status }) => status === 200).length;
    assert.ok(allowed >= 1 && allowed < 20, `${allowed} of 40`);
  });
  const both = new Lab({ args: ['--anonymous', '--insecure'] });
  await assert.rejects(both.start(), /--insecure.*cannot be combined with --anonymous/s);
});
