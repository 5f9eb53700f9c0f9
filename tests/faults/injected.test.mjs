// Every kind of fault that the host runtime can inject, through a real server: the run fails with a problem document
// that describes the fault, measurements made before it are kept, and the next run succeeds.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { alive, Lab, slowdown, small, until, untilHanging, withLab } from '../harness/lab.mjs';

/** Parameters of a run that queues enough operations for the faults below to come after some measurements. */
const long = {
  direction: ['h2d', 'd2h'], memory: ['pinned', 'pageable'], engine: ['copy', 'sm'], min_bytes: 4096, max_bytes: 262144, factor: 2,
  min_samples: 20, max_samples: 20, max_noise: 0,
};

// The operations at which the fault happens, tried in turn until a run fails: a slow machine repeats fewer of them.
const late = [12000, 4000, 1500];
const faults = [
  { kind: 'copy', at: late, type: 'device-lost', says: /copy/i },
  { kind: 'launch', at: late, type: 'device-lost', says: /operation|launch|kernel/i },
  { kind: 'crash', at: late, type: 'worker-died', says: /SIGSEGV/ },
  { kind: 'hang', at: late, type: 'time-limit', says: /time limit/i, limit: 3 },
  { kind: 'wrong-result', at: [300], type: 'wrong-result', says: /result/i, wrong: true },
];

// Each test starts its own server and spends most of its time waiting for grace periods, so several run in parallel.
describe('injected faults', { concurrency: 4 }, () => {
  for (const { kind, at, type, says, limit, wrong } of faults) {
    test(`${kind} fails only the run`, async () => {
      let failed = false;
      for (const number of at) {
        if (!failed) await withLab({ env: { GPULAB_HOST_FAULT: `${kind}@${number}` } }, async (lab) => { failed = await fails(lab, { type, says, limit, wrong }); });
      }
      assert.ok(failed, 'every run succeeded');
    });
  }

  /** Whether a run fails; then it does as described, and the next run succeeds. */
  async function fails(lab, { type, says, limit, wrong }) {
    const run = await lab.submit(long, limit ? { time_limit_s: limit } : {});
    const over = await lab.reach(run.id);
    if (over.status === 'succeeded') return false;
    assert.equal(over.status, 'failed');
    assert.equal(over.error.type, `/problems/${type}`);
    assert.match(over.error.detail, says);
    for (const name of ['type', 'title', 'detail']) assert.equal(typeof over.error[name], 'string', JSON.stringify(over.error));
    assert.ok(over.measurements.length > 0, 'what was measured before the fault is kept');
    assert.equal(over.measurements.some((measurement) => measurement.verified === false), Boolean(wrong));
    if (wrong) assert.ok(over.measurements.some((measurement) => measurement.wrong > 0));
    const next = await lab.complete(small);
    assert.ok(next.measurements.every((measurement) => measurement.verified !== false));
    assert.equal((await lab.get('/readyz')).status, 200);
    return true;
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
    await until(() => !alive(worker), 'the hanging worker has ended');
    await lab.start();
    assert.equal((await lab.run(run.id)).status, 'interrupted');
  }));

  test('an unknown fault is named as the reason why no run is started', () => withLab({ env: { GPULAB_HOST_FAULT: 'dragons@7' } }, async (lab) => {
    assert.match((await lab.get('/api/v1/queue')).json.held, /dragons/);
  }));
});
