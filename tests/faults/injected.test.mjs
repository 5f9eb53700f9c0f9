// Every kind of fault that the host runtime can inject, through a real server: the run fails with a problem document that
// describes the fault, measurements made before it are kept, and the next run succeeds.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { alive, Lab, slowdown, small, until, untilHanging, withLab } from '../harness/lab.mjs';

/** Parameters of a run that queues enough operations for the faults below to come after some measurements. */
const long = {
  direction: ['h2d', 'd2h'], memory: ['pinned', 'pageable'], engine: ['copy', 'sm'], min_bytes: 4096, max_bytes: 262144, factor: 2,
  min_samples: 20, max_samples: 20, max_noise: 0,
};

const faults = [
  { fault: 'copy@12000', type: 'device-lost', says: /copy/i },
  { fault: 'launch@12000', type: 'device-lost', says: /operation|launch|kernel/i },
  { fault: 'crash@12000', type: 'worker-died', says: /SIGSEGV/ },
  { fault: 'hang@12000', type: 'time-limit', says: /time limit/i, limit: 3 },
  { fault: 'wrong-result@300', type: 'wrong-result', says: /result/i, wrong: true },
];

// Each test starts its own server and spends most of its time waiting for grace periods, so several run in parallel.
describe('injected faults', { concurrency: 4 }, () => {
  for (const { fault, type, says, limit, wrong } of faults) {
    test(`${fault} fails only the run`, () => withLab({ env: { GPULAB_HOST_FAULT: fault } }, async (lab) => {
      const run = await lab.submit(long, limit ? { time_limit_s: limit } : {});
      const over = await lab.reach(run.id, 'failed');
      assert.equal(over.error.type, `/problems/${type}`);
      assert.match(over.error.detail, says);
      for (const name of ['type', 'title', 'detail']) assert.equal(typeof over.error[name], 'string', JSON.stringify(over.error));
      assert.ok(over.measurements.length > 0, 'what was measured before the fault is kept');
      assert.equal(over.measurements.some((measurement) => measurement.verified === false), Boolean(wrong));
      if (wrong) assert.ok(over.measurements.some((measurement) => measurement.wrong > 0));
      const next = await lab.complete(small);
      assert.ok(next.measurements.every((measurement) => measurement.verified !== false));
      assert.equal((await lab.get('/readyz')).status, 200);
    }));
  }

  test('a failed allocation fails the run, and the next one succeeds', () => withLab({ env: { GPULAB_HOST_FAULT: 'allocation@1' } }, async (lab) => {
    const run = await lab.submit(small);
    const over = await lab.reach(run.id, 'failed');
    assert.match(over.error.detail, /memory|allocat/i);
    await lab.complete(small);
  }));

  test('a worker that crashes in every run does not affect the server', () => withLab({ env: { GPULAB_HOST_FAULT: 'crash@1' } }, async (lab) => {
    for (let i = 0; i < 5; i += 1) {
      const run = await lab.submit(small);
      const over = await lab.reach(run.id, 'failed');
      assert.match(over.error.detail, /SIGSEGV/);
    }
    assert.equal((await lab.get('/healthz')).status, 200);
    assert.equal((await lab.get('/api/v1/devices')).json.devices.length, 1);
  }));

  test('a run that hangs can be cancelled', () => withLab({ env: { GPULAB_HOST_FAULT: 'hang@12000' } }, async (lab) => {
    const run = await lab.submit(long);
    await until(async () => (await lab.run(run.id)).measurements.length > 0, 'a measurement');
    const worker = lab.worker();
    await untilHanging(worker);
    await lab.post(`/api/v1/runs/${run.id}/cancel`);
    const over = await lab.reach(run.id, 'cancelled');
    assert.ok(over.measurements.length > 0);
    await until(() => lab.worker() !== worker, 'the hanging worker has ended');
    await lab.complete(small);
  }));

  test('SIGTERM ends the server within 5 s while a run hangs', () => withLab({ env: { GPULAB_HOST_FAULT: 'hang@12000' } }, async (lab) => {
    const run = await lab.submit(long);
    await until(async () => (await lab.run(run.id)).measurements.length > 0, 'a measurement');
    const worker = lab.worker();
    await untilHanging(worker);
    const over = await lab.stop();
    assert.equal(over.code, 0, lab.log);
    assert.ok(over.seconds < 5 * slowdown, `${over.seconds} s`);
    await until(() => !alive(worker), 'the hanging worker has ended', 5);
    await lab.start();
    assert.equal((await lab.run(run.id)).status, 'interrupted');
  }));

  test('an unknown fault is named as the reason why no run is started', () => withLab({ env: { GPULAB_HOST_FAULT: 'dragons@7' } }, async (lab) => {
    assert.match((await lab.get('/api/v1/queue')).json.held, /dragons/);
  }));
});
