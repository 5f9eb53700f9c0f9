// What a restart of the server keeps: history, queue, pause and idempotency keys; and how workers are kept and
// replaced.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { endless, Lab, slowdown, small, until } from '../harness/lab.mjs';

let lab;
before(async () => (lab = await Lab.start()));
after(() => lab.close());

async function restart() {
  const over = await lab.stop();
  assert.equal(over.code, 0, lab.log);
  assert.ok(over.seconds < 5 * slowdown, `${over.seconds} s`);
  await lab.start();
}

test('a finished run is the same after a restart, sample for sample', async () => {
  const run = await lab.complete({ ...small, min_samples: 12, max_samples: 12 }, { tags: ['kept'], note: 'kept' });
  const path = `/api/v1/runs/${run.id}/measurements?samples=true`;
  const samples = (await lab.get(path)).json;
  const whole = await lab.run(run.id);
  await restart();
  assert.deepEqual(await lab.run(run.id), whole);
  assert.deepEqual((await lab.get(path)).json, samples);
});

test('queued runs are run after the restart, in their order; the running one is interrupted', async () => {
  const running = await lab.submit(endless);
  const queued = [];
  for (let i = 0; i < 5; i += 1) queued.push((await lab.submit(small)).id);
  await until(async () => (await lab.run(running.id)).measurements.length > 0, 'the first measurement');
  await restart();
  const stopped = await lab.run(running.id);
  assert.equal(stopped.status, 'interrupted');
  assert.ok(stopped.measurements.length > 0);
  const times = [];
  for (const id of queued) times.push(Date.parse((await lab.reach(id, 'succeeded')).started_at));
  assert.deepEqual([...times].sort((a, b) => a - b), times);
});

test('a paused queue stays paused', async () => {
  await lab.request('PUT', '/api/v1/queue', { json: { paused: true } });
  const run = await lab.submit();
  await restart();
  assert.deepEqual((await lab.get('/api/v1/queue')).json, { length: 1, running: null, runs: [], paused: true, held: null });
  assert.equal((await lab.run(run.id)).status, 'queued');
  await lab.request('PUT', '/api/v1/queue', { json: { paused: false } });
  await lab.reach(run.id, 'succeeded');
});

test('an idempotency key is still known', async () => {
  const body = { experiment: 'transfer', parameters: small };
  const key = { 'idempotency-key': 'over the restart' };
  const first = (await lab.post('/api/v1/runs', body, key)).json;
  await restart();
  assert.equal((await lab.post('/api/v1/runs', body, key)).json.id, first.id);
});

test('an event id from before the restart gets a reset', async () => {
  const stream = await lab.events();
  const run = await lab.submit();
  const { id } = await stream.find((event) => event.json.id === run.id, 'an event of the run');
  stream.close();
  await lab.reach(run.id, 'succeeded');
  await restart();
  const again = await lab.events({ last: id });
  assert.equal((await again.find(() => true, 'an event')).event, 'reset');
  again.close();
});

test('a second server on the same database is refused with the pid of the first', async () => {
  const second = new Lab({ folder: lab.folder, database: lab.database });
  await assert.rejects(second.start(), new RegExp(`\\b${lab.pid}\\b`));
});

test('a worker that is idle exits and the next run starts another', async () => {
  const own = await Lab.start({ args: ['--worker-idle', '1'] });
  try {
    await own.complete();
    const first = own.worker();
    await until(() => own.worker() === 0, 'the idle worker exits');
    await own.complete();
    assert.notEqual(own.worker(), first);
  } finally {
    await own.close();
  }
});

test('a warm worker is kept for the next run', async () => {
  await lab.complete();
  const worker = lab.worker();
  assert.ok(worker > 0);
  await lab.complete();
  assert.equal(lab.worker(), worker);
});
