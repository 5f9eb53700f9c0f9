// kill -9 in the middle of a run, of the worker and of the server: nothing that was acknowledged is lost, nobody is left
// behind measuring, and the next run succeeds.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { alive, endless, small, until, withLab } from '../harness/lab.mjs';
import { killUnderLoad } from './kill_under_load.mjs';

async function running(lab) {
  const run = await lab.submit(endless);
  await until(async () => (await lab.run(run.id)).measurements.length > 3, 'some measurements');
  return run.id;
}

test('the worker is killed: its run fails and names the signal, the lab starts another', () => withLab({}, async (lab) => {
  const id = await running(lab);
  const worker = lab.worker();
  process.kill(worker, 'SIGKILL');
  const over = await lab.reach(id, 'failed');
  assert.match(JSON.stringify(over.error), /SIGKILL|signal 9/);
  assert.ok(over.measurements.length > 3);
  await lab.complete(small);
  assert.notEqual(lab.worker(), worker);
}));

test('an idle worker is killed: nobody notices', () => withLab({}, async (lab) => {
  await lab.complete(small);
  process.kill(lab.worker(), 'SIGKILL');
  await lab.complete(small);
}));

test('the server is killed: no worker stays, the run is interrupted, the queue is run', () => withLab({}, async (lab) => {
  const id = await running(lab);
  const queued = await lab.submit(small);
  const worker = lab.worker();
  const seen = (await lab.run(id)).measurements.length;
  await lab.kill();
  await until(() => !alive(worker), 'the worker follows', 2);
  await lab.start();
  const over = await lab.run(id);
  assert.equal(over.status, 'interrupted');
  assert.ok(over.measurements.length >= seen, `${over.measurements.length} of ${seen}: what was shown was on the disk`);
  await lab.reach(queued.id, 'succeeded');
  assert.equal(execFileSync('sqlite3', [lab.database, 'PRAGMA integrity_check'], { encoding: 'utf8' }).trim(), 'ok');
}));

test('five times kill -9 under load lose nothing that was acknowledged', async () => {
  const result = await killUnderLoad(5);
  assert.equal(result.kills, 5);
  assert.ok(result.acknowledged > 20, `only ${result.acknowledged} runs were acknowledged`);
  assert.deepEqual(result.missing, []);
  assert.deepEqual(result.integrity, Array(5).fill('ok'));
  assert.deepEqual(result.orphans, []);
});
