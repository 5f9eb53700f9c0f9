// Runs on three nodes at once, by Slurm and by ssh, and what becomes of them when a node, its network, its daemon or
// the server is gone in the middle: each run ends with a reason and keeps its measurements, and no worker goes on
// measuring. Only the daemon of Slurm may go: its steps have processes of their own.
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { endless, Lab, small, temporaryFolder, until } from '../harness/lab.mjs';
import { cutNetwork, joinNetwork, kill, output, powerOff, powerOn, sshConnections, startDaemon, untilIdle, workersOf, writeNodes } from './cluster.mjs';

const nodes = [1, 2, 3];
/** A silent worker is given up after 30 s, and killed 10 s later; a worker waits 30 s for its server; ssh notices a
 * dead network after 15 s. */
const patience_s = 60;

const workers = () => nodes.flatMap(workersOf);
const jobs = () => output('squeue', '--noheader', '--format=%i').split('\n').filter(Boolean);

async function startLab(t, transport) {
  await untilIdle();
  const folder = temporaryFolder();
  writeNodes(join(folder, 'nodes'), transport);
  const lab = new Lab({ folder, args: ['--nodes', join(folder, 'nodes')] });
  t.after(async () => {
    await lab.close();
    assert.deepEqual([workers(), jobs()], [[], []], 'something is left');
    rmSync(folder, { recursive: true });
  });
  await lab.start();
  return lab;
}

const untilReady = (lab) => until(async () => (await lab.get('/api/v1/nodes')).json.nodes.every(({ state }) => state === 'idle'), 'every node is idle', patience_s);

/** Starts a run of minutes on each node; all of them measure. */
async function measureEverywhere(lab) {
  await untilReady(lab);
  const runs = [];
  for (const k of nodes) runs.push((await lab.submit(endless, { node: `node${k}` })).id);
  for (const id of runs) await until(async () => (await lab.run(id)).measurements?.length > 0, 'it measures', patience_s);
  assert.deepEqual(nodes.map((k) => workersOf(k).length), [1, 1, 1]);
  return runs;
}

/** Waits until the run on node K has failed because its worker is gone, and no worker is left there. */
async function loses(t, lab, run, k, what) {
  const began = Date.now();
  const seconds = () => ((Date.now() - began) / 1000).toFixed(1);
  await until(async () => (await lab.run(run)).status === 'failed', `the run of node${k} fails`, patience_s);
  const { error, measurements } = await lab.run(run);
  t.diagnostic(`${what}: the run failed after ${seconds()} s: ${error.detail}`);
  assert.match(error.type, /worker-(died|silent)$/);
  assert.ok(measurements.length > 0, 'its measurements are kept');
  return async () => {
    await until(() => workersOf(k).length === 0, `no worker is left on node${k}`, patience_s);
    t.diagnostic(`${what}: no worker was left after ${seconds()} s`);
  };
}

async function goesOn(lab, run) {
  const { status, measurements } = await lab.run(run);
  assert.equal(status, 'running');
  await until(async () => (await lab.run(run)).measurements.length > measurements.length, 'the other run goes on');
}

async function worksAgain(lab) {
  const runs = [];
  for (const k of nodes) runs.push((await lab.submit(small, { node: `node${k}` })).id);
  for (const id of runs) await until(async () => (await lab.run(id)).status === 'succeeded', 'a run on the node succeeds', 2 * patience_s);
}

for (const [transport, daemon] of [['slurm', 'slurmd'], ['ssh', 'sshd']]) {
  test(`${transport}: a node, a network and a daemon that are gone end the runs of their node only`, async (t) => {
    const lab = await startLab(t, transport);
    const [powered, cut, kept] = await measureEverywhere(lab);
    powerOff(1);
    cutNetwork(2);
    const [, cutWorkerEnds] = await Promise.all([loses(t, lab, powered, 1, 'power cut'), loses(t, lab, cut, 2, 'network cut')]);
    await cutWorkerEnds();
    await goesOn(lab, kept);
    kill(3, daemon);
    if (transport === 'ssh') {
      await (await loses(t, lab, kept, 3, `${daemon} killed`))();
    } else {
      await goesOn(lab, kept);
      await lab.post(`/api/v1/runs/${kept}/cancel`);
      await lab.reach(kept, 'cancelled');
    }
    startDaemon(3, daemon);
    powerOn(1);
    joinNetwork(2);
    await worksAgain(lab);
  });

  test(`${transport}: a server that is killed leaves no worker, and the next one gives the nodes back`, async (t) => {
    const lab = await startLab(t, transport);
    const runs = await measureEverywhere(lab);
    const left = jobs();
    assert.equal(left.length, transport === 'slurm' ? 3 : 0);
    const began = Date.now();
    await lab.kill();
    await until(() => workers().length === 0, 'no worker is left', patience_s);
    t.diagnostic(`no worker was left after ${((Date.now() - began) / 1000).toFixed(1)} s`);
    assert.deepEqual(jobs(), left, 'nobody else cancels them');
    await lab.start();
    await until(() => !jobs().some((job) => left.includes(job)), 'the allocations are cancelled');
    for (const id of runs) {
      const { status, measurements } = await lab.run(id);
      assert.equal(status, 'interrupted');
      assert.ok(measurements.length > 0, 'its measurements are kept');
    }
    await untilReady(lab);
    await worksAgain(lab);
  });
}

test('shared connections of ssh end when nobody uses them', async () => {
  await until(() => sshConnections() === 0, 'no connection is left', 2 * patience_s);
});
