// GET /api/v1/openapi.json is valid OpenAPI 3.1, which other tools accept too, and the server does what it says: it
// refuses what the document does not allow, with a pointer to it, and its answers match their schemas.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Validator } from '@seriousme/openapi-schema-validator';
import openapiTS, { astToString } from 'openapi-typescript';
import typescript from 'typescript';
import { Lab, small } from '../harness/lab.mjs';
import { Description } from '../harness/openapi.mjs';

/** A request body for each operation that needs one. */
const bodies = {
  post_runs: { experiment: 'transfer', parameters: small },
  put_queue: { paused: false },
  post_compile: { source: '__global__ void k() {}', architecture: 'sm_90' },
  post_tokens: { name: 'ada', role: 'admin' },
  post_runs_id_comments: { text: 'a comment' },
  post_marks: { text: 'a mark' },
  post_channels: { name: 'a-channel', kind: 'webhook', address: 'https://hooks.example/x' },
  post_watches: { channel: 'nobody', kind: 'slower' },
  post_session: { token: 'unknown' },
  patch_challenges_name: { closes_at: new Date(Date.now() + 3600_000).toISOString() },
  post_challenges_name_submissions: { source: '__global__ void k() {}' },
  post_sweeps: { experiment: 'transfer', parameters: { ...small, direction: ['h2d', 'd2h'] } },
};

/** Parameters of a run whose timeline has spans. */
const traced = { bytes: 262144, chunks: 4, streams: 2, variant: ['sequential', 'depth-first'], weight: 1, min_samples: 1, max_samples: 1 };

/** The queries of the operations that need one. */
const queries = {};

/** Parameters of a run that has a field. */
const SOLVED = { n: 64, variant: ['copy', 'rows'], bound: 1e-2, min_samples: 1, max_samples: 1, min_time_s: 0, settle_s: 0 };

let lab, api, run, checked, solved, sweep, known;
before(async () => {
  lab = await Lab.start();
  api = await Description.of(lab);
  const answer = await lab.post('/api/v1/runs', { experiment: 'overlap', parameters: traced, tags: ['traced'] });
  run = await lab.reach(answer.json.id, 'succeeded');
  checked = await lab.complete({ min_samples: 1, max_samples: 1, min_time_s: 0, settle_s: 0 }, { experiment: 'health' });
  solved = await lab.complete(SOLVED, { experiment: 'laplace' });
  sweep = (await lab.post('/api/v1/sweeps', bodies.post_sweeps)).json;
  const { runs } = (await lab.get(sweep.runs)).json;
  for (const { id } of runs) await lab.reach(id, 'succeeded');
  const { challenges: [ready] } = (await lab.get('/api/v1/ready-challenges')).json;
  bodies.post_challenges = { ...ready, ...bodies.patch_challenges_name, name: 'matmul' };
  assert.equal((await lab.post('/api/v1/challenges', bodies.post_challenges)).status, 201);
  const { id: repeated } = (await lab.post(`/api/v1/runs/${run.id}/repeat`, {})).json;
  const { measurements: [{ metric, axes }] } = await lab.reach(repeated, 'succeeded');
  queries.get_compare = `?base=${run.id}&head=${repeated}`;
  queries.get_series = `?experiment=overlap&metric=${metric}&axes=${encodeURIComponent(JSON.stringify(axes))}`;
  queries.get_series_points = '?experiment=overlap';
  queries.get_references_measured = '?experiment=overlap';
  known = [repeated, ...runs.map(({ id }) => id), solved.id, checked.id, run.id];
});
after(() => lab.close());

/** The operation's path with parts that exist, or with `part` for each of them. */
function pathOf(operation, part) {
  const device = operation.path.includes('/devices/');
  const id = operation.path.includes('/sweeps/') ? sweep.id : device ? run.devices[0].id : operation.path.endsWith('/health') ? checked.id : operation.path.includes('/fields/') ? solved.id : run.id;
  const name = operation.path.includes('/nodes/') ? run.host : operation.path.includes('/fields/') ? 'temperature' : 'matmul';
  const parts = { id, name, step: 'naive', position: 0 };
  return operation.path.replace(/\{(\w+)\}/g, (_, name) => part ?? parts[name]);
}

/** Operations whose body is JSON, or that have none. */
const takesJson = ({ method, requestBody }) => method !== 'GET' && (!requestBody || 'application/json' in requestBody.content);

/** Sends a request and checks that the document describes the answer. */
async function send(operation, { path = pathOf(operation), query = '', body = bodies[operation.operationId], headers } = {}) {
  const required = operation.parameters.filter((parameter) => parameter.in === 'header' && parameter.required).map(({ name }) => [name, '*']);
  const types = takesJson(operation) || operation.method === 'GET' ? [] : [['content-type', Object.keys(operation.requestBody.content)[0]]];
  const json = operation.method === 'GET' ? undefined : body ?? {};
  const answer = await lab.request(operation.method, path + query, { json, headers: { ...Object.fromEntries([...required, ...types]), ...headers } });
  api.check(operation, answer);
  return answer;
}

const pointers = (answer) => (answer.json?.errors ?? []).map((error) => error.pointer);

async function refused(operation, request, pointer) {
  const answer = await send(operation, request);
  assert.equal(answer.status, 422, `${operation.title} ${JSON.stringify(request)}: ${answer.text}`);
  assert.ok(pointers(answer).some((found) => found === pointer || found.startsWith(`${pointer}/`)), `${operation.title} ${JSON.stringify(request)}: ${pointer} is not in ${pointers(answer)}`);
}

test('the document is valid OpenAPI 3.1 and all its references lead somewhere', async () => {
  const result = await new Validator().validate(structuredClone(api.document));
  assert.ok(result.valid, JSON.stringify(result.errors, null, 1));
  for (const [, name] of JSON.stringify(api.document).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)) assert.ok(api.document.components.schemas[name], name);
  for (const name of Object.keys(api.document.components.schemas)) assert.ok(api.ajv.compile({ $ref: `document#/components/schemas/${name}` }), name);
  assert.equal(new Set(api.operations.map(({ operationId }) => operationId)).size, api.operations.length);
});

test('redocly finds nothing in the document, and each operation has one tag', async () => {
  const config = await createConfig({ extends: ['recommended'] });
  const problems = await lintFromString({ source: JSON.stringify(api.document), absoluteRef: 'openapi.json', config });
  assert.deepEqual(problems.map(({ severity, ruleId, message, location }) => [severity, ruleId, message, location[0]?.pointer]), []);
  for (const { title, tags } of api.operations) assert.equal(tags?.length, 1, title);
});

/** What the compiler of TypeScript says of a source without imports. */
function compile(source) {
  const options = { strict: true, noEmit: true, types: [], lib: ['lib.es5.d.ts'] };
  const host = typescript.createCompilerHost(options);
  const read = host.getSourceFile;
  host.getSourceFile = (name, version) => (name === 'api.ts' ? typescript.createSourceFile(name, source, version) : read(name, version));
  const messages = typescript.getPreEmitDiagnostics(typescript.createProgram(['api.ts'], options, host));
  return messages.map(({ messageText }) => typescript.flattenDiagnosticMessageText(messageText, '\n'));
}

test('openapi-typescript makes types of the document that fit its answers', async () => {
  const types = astToString(await openapiTS(structuredClone(api.document)));
  const use = (status) => `
    type Queue = paths['/api/v1/queue']['get']['responses'][200]['content']['application/json'];
    export const running = (queue: Queue): ${status} => queue.running;`;
  assert.deepEqual(compile(types + use('string | null')), []);
  assert.deepEqual(compile(types + use('number')), ["Type 'string | null' is not assignable to type 'number'.\n  Type 'null' is not assignable to type 'number'."]);
});

test('every method of every path is described, and no other', async () => {
  for (const [path, item] of Object.entries(api.document.paths)) {
    const methods = Object.keys(item).map((method) => method.toUpperCase());
    const answer = await lab.request('OPTIONS', path.replace(/\{\w+\}/g, 'x'));
    assert.equal(answer.status, 405, path);
    assert.deepEqual(answer.headers.allow.split(', ').sort(), [...methods, ...(methods.includes('GET') ? ['HEAD'] : [])].sort(), path);
  }
});

test('every route says who may call it', () => {
  const open = ['/api/v1/session', '/api/v1/openapi.json', '/api/v1/version', '/healthz', '/readyz'];
  for (const { path, method, security, 'x-role': role } of api.operations) {
    assert.ok(['public', 'anonymous', 'viewer', 'operator', 'admin'].includes(role), path);
    assert.equal(role === 'public', open.includes(path), path);
    assert.ok(method === 'GET' || role === 'operator' || role === 'admin' || path === '/api/v1/session', `${method} ${path}`);
    assert.deepEqual(security.map((scheme) => Object.keys(scheme)[0]), role === 'public' ? [] : [undefined, 'bearer', 'cookie'], path);
  }
});

test('an unknown or repeated query parameter is refused', async () => {
  for (const operation of api.operations) {
    await refused(operation, { query: '?nonsense=1' }, '/query/nonsense');
    for (const { name } of operation.parameters.filter((parameter) => parameter.in === 'query')) {
      await refused(operation, { query: `?${name}=1&${name}=1` }, `/query/${name}`);
    }
  }
});

test('a query parameter or header of another type or out of bounds is refused, a missing one too', async () => {
  let count = 0;
  for (const operation of api.operations) {
    for (const { in: where, name, schema, required } of operation.parameters) {
      if (where === 'path') continue;
      for (const text of api.wrongTexts(schema)) {
        const request = where === 'query' ? { query: `?${name}=${encodeURIComponent(text)}` } : { headers: { [name]: text } };
        if (where === 'header' && text === '') continue; // Node omits it
        await refused(operation, request, where === 'query' ? `/query/${name}` : `/headers/${name}`);
        count += 1;
      }
      if (required && where === 'query') await refused(operation, {}, `/query/${name}`);
    }
  }
  assert.ok(count > 20, `only ${count} values were tried`);
});

test('a member of a body that is unknown, missing, of another type or out of bounds is refused', async () => {
  let count = 0;
  for (const operation of api.operations.filter(takesJson)) {
    const body = bodies[operation.operationId] ?? {};
    await refused(operation, { body: { ...body, nonsense: 1, 'a/b~c': 1 } }, '/nonsense');
    await refused(operation, { body: { ...body, 'a/b~c': 1 } }, '/a~1b~0c');
    for (const wrong of [[], 'text', 7, null, true]) assert.equal((await send(operation, { body: wrong ?? 0 })).status, 422, operation.title);
    const schema = operation.requestBody ? api.resolve(operation.requestBody.content['application/json'].schema) : { properties: {}, required: [] };
    for (const name of schema.required) {
      const { [name]: omitted, ...rest } = body;
      assert.notEqual(omitted, undefined, `${operation.title}: the test's body has no ${name}`);
      await refused(operation, { body: rest }, `/${name}`);
    }
    for (const [name, property] of Object.entries(schema.properties)) {
      for (const wrong of api.wrongValues(property)) {
        await refused(operation, { body: { ...body, [name]: wrong } }, `/${name}`);
        count += 1;
      }
    }
  }
  assert.ok(count > 30, `only ${count} values were tried`);
});

test('parameters of each experiment are refused where its schema refuses them', async () => {
  const create = api.operations.find(({ operationId }) => operationId === 'post_runs');
  for (const { properties } of api.document.components.schemas.NewRun.oneOf) {
    const experiment = properties.experiment.const, schema = api.resolve(properties.parameters);
    const wrong = Object.fromEntries(Object.entries(schema.properties).map(([name, property]) => [name, api.wrongValues(property)[0]]));
    const answer = await send(create, { body: { experiment, parameters: { ...wrong, nonsense: 1 } } });
    const expected = [...Object.keys(wrong), 'nonsense'].map((name) => `/parameters/${name}`);
    assert.equal(answer.status, 422, answer.text);
    const found = pointers(answer).filter((pointer) => pointer.startsWith('/parameters/'));
    assert.equal(found.length, Math.min(expected.length, 32 - (pointers(answer).length - found.length)), `${experiment}: ${answer.text}`);
    for (const pointer of found) assert.ok(expected.includes(pointer), `${experiment}: ${pointer}`);
  }
  assert.deepEqual((await lab.get('/api/v1/runs')).json.runs.map(({ id }) => id), known, 'no run was created');
});

test('something that does not exist is a described 404', async () => {
  for (const operation of api.operations.filter(({ path }) => path.includes('{'))) {
    const answer = await send(operation, { path: pathOf(operation, 'nonsense') });
    assert.equal(answer.status, 404, operation.title);
  }
});

test('the answer of every GET matches its schema', async () => {
  for (const operation of api.operations.filter(({ method, path }) => method === 'GET' && path !== '/api/v1/events')) {
    const query = queries[operation.operationId] ?? '';
    assert.equal((await send(operation, { query })).status, 200, operation.title);
    for (const { name, schema } of operation.parameters.filter((parameter) => parameter.in === 'query' && parameter.schema.type === 'boolean')) {
      assert.equal((await send(operation, { query: `${query || '?'}&${name}=${!schema.default}`.replace('?&', '?') })).status, 200, operation.title);
    }
  }
  assert.ok((await lab.get(`/api/v1/runs/${run.id}/timeline`)).json.spans.length > 0);
  assert.ok(run.measurements.length > 0);
});

test('an answer with a member that no row describes is found, wherever the member is', () => {
  const undescribed = (path, json) => api.undescribed({ method: 'GET', path, answer: { status: 200, headers: { 'content-type': 'application/json' }, json } }).length;
  const queue = { length: 0, running: null, runs: [], paused: false, held: null };
  assert.equal(undescribed('/api/v1/queue', queue), 0);
  assert.equal(undescribed('/api/v1/queue', { ...queue, colour: 1 }), 1);
  assert.equal(undescribed(`/api/v1/sweeps/${sweep.id}?x=1`, sweep), 0);
  assert.equal(undescribed(`/api/v1/sweeps/${sweep.id}`, { ...sweep, counts: { ...sweep.counts, colour: 1 } }), 1);
  assert.equal(undescribed(`/api/v1/runs/${run.id}`, run), 0);
  assert.equal(undescribed(`/api/v1/runs/${run.id}`, { ...run, measurements: [{ ...run.measurements[0], colour: 1 }] }), 1);
  assert.equal(undescribed('/api/v1/colours', {}), 1);
});

test('a run and the queue match their schemas in every state, events too', async () => {
  const by = (id) => api.operations.find(({ operationId }) => operationId === id);
  const stream = await lab.events();
  assert.equal((await send(by('put_queue'), { body: { paused: true } })).status, 200);
  const queued = await send(by('post_runs'), { headers: { 'idempotency-key': 'key' } });
  assert.equal(queued.status, 202);
  const cancelled = await send(by('post_runs'));
  const cancel = `/api/v1/runs/${cancelled.json.id}/cancel`;
  assert.equal((await send(by('delete_runs_id'), { path: `/api/v1/runs/${cancelled.json.id}` })).status, 409);
  assert.equal((await send(by('post_runs_id_cancel'), { path: cancel })).status, 202);
  assert.equal((await send(by('post_runs_id_cancel'), { path: cancel })).status, 200);
  assert.equal((await send(by('delete_runs_id'), { path: `/api/v1/runs/${cancelled.json.id}` })).status, 204);
  assert.equal((await send(by('get_runs'))).status, 200);
  assert.equal((await send(by('post_runs'), { query: '?dry_run=true' })).status, 200);
  assert.equal((await send(by('patch_runs_id'), { body: { note: 'x' } })).status, 200);
  assert.equal((await send(by('patch_runs_id'), { body: { note: 'x' }, headers: { 'if-match': '"0"' } })).status, 412);
  assert.equal((await send(by('post_runs_id_repeat'))).status, 202);
  await send(by('put_queue'));
  await lab.reach(queued.json.id, 'succeeded');
  assert.equal((await send(by('post_runs_id_cancel'), { path: `/api/v1/runs/${queued.json.id}/cancel` })).status, 409);
  assert.equal((await send(by('post_runs'), { headers: { 'idempotency-key': 'key' }, body: { experiment: 'overlap' } })).json.type, '/problems/idempotency-key-reused');
  await stream.find(({ event, json }) => event === 'run.updated' && json.id === queued.json.id && json.status === 'succeeded', 'the run ends');
  const seen = new Set(stream.events.map(({ event }) => event));
  for (const name of ['run.updated', 'run.progress', 'measurement']) assert.ok(seen.has(name), name);
  for (const { event, json } of stream.events) {
    assert.deepEqual(api.errors({ $ref: '#/components/schemas/Event' }, { event, data: json }), [], `${event} ${JSON.stringify(json)}`);
  }
  stream.close();
});
