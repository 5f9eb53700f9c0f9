// Every kind of fault that the host runtime can inject, through a real server: the run fails with a problem that says what
// happened, what was measured until then is kept, and the next run succeeds.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Lab, patience, small, until, withLab } from '../harness/lab.mjs';

/** Runs long enough that the fault comes after some measurements; the runs before and after are too short to meet it. */
const long = {
  direction: ['h2d', 'd2h'], memory: ['pinned', 'pageable'], engine: ['copy', 'sm'], min_bytes: 4096, max_bytes: 262144, factor: 2,
  min_samples: 20, max_samples: 20, max_noise: 0,
};

const faults = [
  { fault: 'copy@12000', says: /cop(y|ied|ies)/i },
  { fault: 'launch@12000', says: /operation|launch|kernel/i },
  { fault: 'crash@12000', says: /SIG[A-Z]+|signal/ },
  { fault: 'hang@12000', says: /time/i, limit: 6 },
  { fault: 'wrong-result@300', says: /wrong|verif/i, wrong: true },
];
for (const { fault, says, limit, wrong } of faults) {
  test(`${fault} fails the run and nothing else`, () => withLab({ env: { GPULAB_HOST_FAULT: fault } }, async (lab) => {
    const run = await lab.submit(long, limit ? { time_limit_s: limit * patience } : {});
    const over = await lab.reach(run.id, 'failed');
    assert.match(JSON.stringify(over.error), says);
    for (const name of ['type', 'title', 'detail']) assert.equal(typeof over.error[name], 'string', JSON.stringify(over.error));
    assert.ok(over.measurements.length > 0, 'what was measured before the fault is kept');
    assert.equal(over.measurements.some((measurement) => measurement.verified === false), Boolean(wrong));
    if (wrong) assert.ok(over.measurements.some((measurement) => measurement.wrong > 0));
    const next = await lab.complete(small);
    assert.ok(next.measurements.every((measurement) => measurement.verified !== false));
    assert.equal((await lab.get('/readyz')).status, 200);
  }));
}

test('an allocation that fails says so, and the lab goes on', () => withLab({ env: { GPULAB_HOST_FAULT: 'allocation@1' } }, async (lab) => {
  const run = await lab.submit(small);
  const over = await lab.reach(run.id, 'failed');
  assert.match(JSON.stringify(over.error), /memory|allocat/i);
  await lab.complete(small);
}));

test('a worker that crashes in every run costs every run, never the server', () => withLab({ env: { GPULAB_HOST_FAULT: 'crash@1' } }, async (lab) => {
  for (let i = 0; i < 5; i += 1) {
    const run = await lab.submit(small);
    const over = await lab.reach(run.id, 'failed');
    assert.match(JSON.stringify(over.error), /SIG[A-Z]+|signal/);
  }
  assert.equal((await lab.get('/healthz')).status, 200);
  assert.equal((await lab.get('/api/v1/devices')).json.devices.length, 1);
}));

test('a run that hangs can be cancelled', () => withLab({ env: { GPULAB_HOST_FAULT: 'hang@12000' } }, async (lab) => {
  const run = await lab.submit(long);
  await until(async () => (await lab.run(run.id)).measurements.length > 0, 'a measurement');
  await new Promise((done) => setTimeout(done, 2000));
  const worker = lab.worker();
  await lab.post(`/api/v1/runs/${run.id}/cancel`);
  const over = await lab.reach(run.id, 'cancelled', 'failed');
  assert.ok(over.measurements.length > 0);
  await until(() => lab.worker() !== worker, 'the hanging worker is gone');
  await lab.complete(small);
}));

test('a run that hangs does not hold up SIGTERM beyond 5 s', () => withLab({ env: { GPULAB_HOST_FAULT: 'hang@12000' } }, async (lab) => {
  const run = await lab.submit(long);
  await until(async () => (await lab.run(run.id)).measurements.length > 0, 'a measurement');
  await new Promise((done) => setTimeout(done, 2000));
  const worker = lab.worker();
  const over = await lab.stop();
  assert.equal(over.code, 0, lab.log);
  assert.ok(over.seconds < 5 * patience, `${over.seconds} s`);
  assert.ok(worker > 0);
  await lab.start();
  assert.equal((await lab.run(run.id)).status, 'interrupted');
}));

test('a fault that is none is refused at the start', async () => {
  await assert.rejects(Lab.start({ env: { GPULAB_HOST_FAULT: 'dragons@7' } }), /dragons|fault/i);
});
