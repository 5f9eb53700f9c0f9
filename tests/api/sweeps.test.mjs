// Sweeps: a request with lists makes a run for each combination, and they are listed and cancelled together.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { endless, Lab, small, until } from '../harness/lab.mjs';
import { problem } from '../harness/expect.mjs';

let lab;
before(async () => (lab = await Lab.start({ args: ['--host-devices', '2'] })));
after(() => lab.close());

const sweep = (parameters, rest = {}) => lab.post('/api/v1/sweeps', { experiment: 'transfer', parameters: { ...small, ...parameters }, ...rest });

test('a run for each combination of parameters and devices, listed by ?sweep=', async () => {
  const devices = (await lab.get('/api/v1/devices')).json.devices.map(({ id }) => [id]);
  const answer = await sweep({ direction: ['h2d', 'd2h'], max_samples: [1, 2] }, { devices, tags: ['swept'], priority: 'low' });
  assert.equal(answer.status, 202, answer.text);
  assert.equal(answer.headers.location, `/api/v1/sweeps/${answer.json.id}`);
  assert.equal(answer.json.total, 8);
  assert.deepEqual(answer.json.parameters.direction, ['h2d', 'd2h']);
  await until(async () => (await lab.get(answer.headers.location)).json.counts.succeeded === 8, 'all runs have succeeded', 60);
  const { runs } = (await lab.get(answer.json.runs)).json;
  const points = runs.map((run) => [run.devices[0].id, run.parameters.direction, run.parameters.max_samples].join());
  assert.equal(new Set(points).size, 8);
  assert.ok(runs.every((run) => run.sweep === answer.json.id && run.tags[0] === 'swept' && run.priority === 'low'));
});

test('dry_run says what a sweep would take and stores nothing', async () => {
  const count = async () => (await lab.get('/api/v1/runs?limit=500')).json.runs.length;
  const [before_, [{ id }]] = [await count(), (await lab.get('/api/v1/devices')).json.devices];
  const planOf = (path, parameters) => lab.post(`/api/v1/${path}?dry_run=true`, { experiment: 'transfer', devices: [id], parameters: { ...small, ...parameters } });
  const plans = await Promise.all([4096, 8192].map((bytes) => planOf('runs', { max_bytes: bytes })));
  const one = plans.map(({ json }) => json);
  const { status, json } = await planOf('sweeps', { max_bytes: [4096, 8192] });
  assert.equal(status, 200);
  assert.deepEqual([json.runs, json.points, json.device_bytes, json.host_bytes], [2, one[0].points + one[1].points, one[1].device_bytes, one[1].host_bytes]);
  assert.ok(Math.abs(json.seconds - one[0].seconds - one[1].seconds) < 1e-9);
  problem(await planOf('sweeps', { direction: ['h2d', 'sideways'] }), 422, '/parameters/direction');
  assert.equal(await count(), before_);
});

test('the runs of a sweep have a preset, whose lists are not swept', async () => {
  const { presets } = (await lab.get('/api/v1/experiments/transfer')).json;
  const lists = Object.keys(presets.quick).filter((name) => Array.isArray(presets.quick[name]));
  assert.ok(lists.length, 'the preset has lists');
  const { json } = await lab.post('/api/v1/sweeps', { experiment: 'transfer', preset: 'quick', parameters: { seed: [1, 2] } });
  assert.deepEqual([json.total, json.preset, json.parameters], [2, 'quick', { seed: [1, 2] }]);
  await lab.post(`/api/v1/sweeps/${json.id}/cancel`);
  const { runs } = (await lab.get(json.runs)).json;
  for (const name of lists) assert.deepEqual(runs.map(({ parameters }) => parameters[name]), [presets.quick[name], presets.quick[name]]);
});

test('a sweep that is not valid stores nothing', async () => {
  const before_ = (await lab.get('/api/v1/runs?limit=500')).json.runs.length;
  problem(await sweep({ direction: ['h2d', 'sideways'] }), 422, '/parameters/direction');
  problem(await sweep({ direction: [] }), 422, '/parameters/direction');
  problem(await sweep({ seed: Array.from({ length: 1001 }, (_, i) => i) }), 422, '/parameters');
  problem(await sweep({}, { devices: ['nowhere'] }), 422, '/devices/0');
  problem(await lab.get('/api/v1/sweeps/nowhere'), 404);
  assert.equal((await lab.get('/api/v1/runs?limit=500')).json.runs.length, before_);
});

test('a sweep is cancelled as a whole', async () => {
  const { json } = await lab.post('/api/v1/sweeps', { experiment: 'transfer', parameters: { ...endless, direction: [['h2d'], ['d2h']], memory: ['pinned', 'pageable'] } });
  assert.equal(json.total, 4);
  await until(async () => (await lab.get('/api/v1/queue')).json.running, 'the first run is running');
  assert.equal((await lab.post(`/api/v1/sweeps/${json.id}/cancel`)).status, 202);
  await until(async () => (await lab.get(`/api/v1/sweeps/${json.id}`)).json.counts.cancelled === 4, 'all runs are cancelled');
  assert.ok((await lab.get(`/api/v1/sweeps/${json.id}`)).json.cancelled_at);
});
