// Requests that are answered later: ?wait= of a run and of a sweep.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { problem } from '../harness/expect.mjs';
import { endless, execute, small, until, withLab } from '../harness/lab.mjs';

const LONGEST = 60;
const pause = (lab, paused) => lab.request('PUT', '/api/v1/queue', { json: { paused } });

/** Asks and notes that it was answered. */
function ask(lab, path, headers) {
  const asked = { answered: false };
  asked.answer = lab.get(path, headers).finally(() => (asked.answered = true));
  return asked;
}

/** How many requests wait: each has one of the places of the event streams. */
const waiting = async (lab) => (await lab.get('/metrics')).text.match(/^gpulab_waiting_requests (\d+)$/m)[1];
const wait = (lab, count) => until(async () => Number(await waiting(lab)) === count, `${count} requests wait`);

test('a run that ends answers its waiters, and one that has ended answers at once', () => withLab({}, async (lab) => {
  await pause(lab, true);
  const { id } = await lab.submit(), path = `/api/v1/runs/${id}?wait=${LONGEST}`;
  const asked = [ask(lab, path), ask(lab, path)];
  await wait(lab, 2);
  assert.equal((await lab.run(id)).status, 'queued');
  assert.deepEqual(asked.map(({ answered }) => answered), [false, false]);
  await pause(lab, false);
  for (const { answer } of asked) {
    const { status, json } = await answer;
    assert.equal(status, 200);
    assert.equal(json.status, 'succeeded');
    assert.equal(json.measurements.length, json.measurement_count);
  }
  await wait(lab, 0);
  assert.equal((await lab.get(path)).json.status, 'succeeded');
}));

test('a sweep answers when its last run has ended, not before', () => withLab({}, async (lab) => {
  const { json } = await lab.post('/api/v1/sweeps', { experiment: 'transfer', parameters: { ...small, seed: [1, 2, 3] } });
  const { counts } = (await lab.get(`/api/v1/sweeps/${json.id}?wait=${LONGEST}`)).json;
  assert.equal(counts.succeeded, 3);
  await pause(lab, true);
  const queued = (await lab.post('/api/v1/sweeps', { experiment: 'transfer', parameters: { ...small, seed: [1, 2] } })).json;
  const asked = ask(lab, `/api/v1/sweeps/${queued.id}?wait=${LONGEST}`);
  await wait(lab, 1);
  await lab.post(`/api/v1/sweeps/${queued.id}/cancel`);
  assert.equal((await asked.answer).json.counts.cancelled, 2);
}));

test('without an end the answer comes after the time, each time anew, with the present state', () => withLab({}, async (lab) => {
  await pause(lab, true);
  const { id } = await lab.submit(), path = `/api/v1/runs/${id}?wait=1`;
  for (let i = 0; i < 2; i++) {
    const began = performance.now();
    assert.equal((await lab.get(path)).json.status, 'queued');
    assert.ok(performance.now() - began > 900, 'an answer of the cache does not count');
  }
}));

test('what cannot be waited for is refused', () => withLab({}, async (lab) => {
  const { id } = await lab.submit();
  for (const value of ['61', '-1', 'x', '1.5', '']) problem(await lab.get(`/api/v1/runs/${id}?wait=${value}`), 422, '/query/wait');
  problem(await lab.get('/api/v1/runs?wait=1'), 422, '/query/wait');
  problem(await lab.get(`/api/v1/runs/nothing?wait=${LONGEST}`), 404);
  problem(await lab.get(`/api/v1/sweeps/nothing?wait=${LONGEST}`), 404);
}));

test('many wait, and the lab answers others', () => withLab({}, async (lab) => {
  await pause(lab, true);
  const { id } = await lab.submit(), many = 60; // more than all threads of the server
  const asked = Array.from({ length: many }, () => ask(lab, `/api/v1/runs/${id}?wait=${LONGEST}`));
  await wait(lab, many);
  assert.equal((await lab.get('/api/v1/runs')).json.runs.length, 1);
  await lab.post(`/api/v1/runs/${id}/cancel`);
  for (const { answer } of asked) assert.equal((await answer).json.status, 'cancelled');
}));

test('who has left does not wait, and a revoked token ends its waiting', () => withLab({}, async (lab) => {
  const token = async (...args) => (await execute('gpulab', ['token', ...args, '--db', lab.database], { folder: lab.folder })).stdout;
  const admin = { authorization: `Bearer ${(await token('add', 'admin', '--role', 'admin')).trim()}` };
  const viewer = { authorization: `Bearer ${(await token('add', 'viewer', '--role', 'viewer')).trim()}` };
  const { id } = (await lab.post('/api/v1/runs', { experiment: 'transfer', parameters: endless }, admin)).json;
  const path = `/api/v1/runs/${id}?wait=${LONGEST}`;
  const counted = async (count) => until(async () => (await lab.get('/metrics', admin)).text.includes(`\ngpulab_waiting_requests ${count}\n`), `${count} wait`);
  const leaving = new AbortController();
  const left = fetch(`${lab.address}${path}`, { headers: admin, signal: leaving.signal }).catch(({ name }) => name);
  await counted(1);
  leaving.abort();
  assert.equal(await left, 'AbortError');
  await counted(0);
  const asked = ask(lab, path, viewer);
  await counted(1);
  const { tokens } = (await lab.get('/api/v1/tokens', admin)).json;
  await lab.request('DELETE', `/api/v1/tokens/${tokens.find(({ name }) => name === 'viewer').id}`, { headers: admin });
  problem(await asked.answer, 401);
  await counted(0);
  await lab.post(`/api/v1/runs/${id}/cancel`, {}, admin);
}));

test('a lab that stops does not keep who waits', () => withLab({}, async (lab) => {
  await pause(lab, true);
  const { id } = await lab.submit(), asked = ask(lab, `/api/v1/runs/${id}?wait=${LONGEST}`);
  await wait(lab, 1);
  const stopped = lab.stop();
  problem(await asked.answer, 503);
  assert.equal((await stopped).code, 0);
}));
