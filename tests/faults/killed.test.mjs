// kill -9 of the worker and of the server during a run: nothing that was acknowledged is lost, no worker keeps running,
// and the next run succeeds.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { alive, endless, skipLong, small, until, withLab } from '../harness/lab.mjs';
import { killUnderLoad } from './kill_under_load.mjs';

async function running(lab) {
  const run = await lab.submit(endless);
  await until(async () => (await lab.run(run.id)).measurements.length > 3, 'some measurements');
  return run.id;
}

test('the worker is killed: its run fails with the name of the signal, and the next run gets a new worker', () => withLab({}, async (lab) => {
  const id = await running(lab);
  const worker = lab.worker();
  process.kill(worker, 'SIGKILL');
  const over = await lab.reach(id, 'failed');
  assert.match(over.error.detail, /SIGKILL/);
  assert.ok(over.measurements.length > 3);
  await lab.complete(small);
  assert.notEqual(lab.worker(), worker);
}));

test('the worker is stopped: its silence ends the run, and the next run gets a new worker', skipLong, () => withLab({}, async (lab) => {
  const id = await running(lab);
  process.kill(lab.worker(), 'SIGSTOP');
  const over = await until(async () => {
    const run = await lab.run(id);
    return run.status === 'failed' && run;
  }, 'the run fails', 60);
  assert.equal(over.error.type, '/problems/worker-silent');
  assert.match(over.error.detail, /sent nothing for 30 s/);
  await lab.complete(small);
}));

test('an idle worker is killed: the next run succeeds', () => withLab({}, async (lab) => {
  await lab.complete(small);
  process.kill(lab.worker(), 'SIGKILL');
  await lab.complete(small);
}));

test('the server is killed: its worker ends, the run is interrupted, queued runs are run', () => withLab({}, async (lab) => {
  const id = await running(lab);
  const queued = await lab.submit(small);
  const worker = lab.worker();
  const seen = (await lab.run(id)).measurements.length;
  await lab.kill();
  await until(() => !alive(worker), 'the worker ends');
  await lab.start();
  const over = await lab.run(id);
  assert.equal(over.status, 'interrupted');
  assert.ok(over.measurements.length >= seen, `${over.measurements.length} of the ${seen} measurements that were served are in the database`);
  await lab.reach(queued.id, 'succeeded');
  assert.equal(execFileSync('sqlite3', [lab.database, 'PRAGMA integrity_check'], { encoding: 'utf8' }).trim(), 'ok');
}));

async function nothingIsLost(kills) {
  const result = await killUnderLoad(kills);
  assert.equal(result.kills, kills);
  assert.ok(result.acknowledged >= 5 * kills, `only ${result.acknowledged} runs were acknowledged`);
  assert.deepEqual(result.missing, []);
  assert.deepEqual(result.integrity, Array(kills).fill('ok'));
  assert.deepEqual(result.orphans, []);
}
test('five times kill -9 under load lose nothing that was acknowledged', () => nothingIsLost(5));
test('fifty times', skipLong, () => nothingIsLost(50));
