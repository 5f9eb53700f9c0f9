// The experiment mpi with two and more ranks that mpirun starts: results, faults, and that no rank stays behind.
import assert from 'node:assert/strict';
import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { test } from 'node:test';
import { CANCELLED, FAILED, Place, SUCCESS } from '../harness/cli.mjs';
import { alive, build, childrenOf, until } from '../harness/lab.mjs';

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

const onPath = process.env.PATH.split(delimiter).some((folder) => isExecutable(join(folder, 'mpirun')));
const skip = (!existsSync(join(build, 'gpulab-mpi')) && 'this build has no gpulab-mpi: Open MPI was not found, or it has sanitizers')
  || (!onPath && 'mpirun was not found on PATH');

const run = (place, parameters, ...rest) => ['run', 'mpi', '--runtime', 'host', '--db', place.database, '--json',
  ...Object.entries(parameters).flatMap(([name, value]) => ['--set', `${name}=${value}`]), ...rest];

/** Few samples, and time for all points on a slow machine. */
const brief = { max_samples: 3, min_time_s: 0, time_budget_s: 300 };

/** A run that takes minutes. */
const endless = { operation: 'all-reduce', memory: 'staged', max_noise: 0, max_samples: 100000, min_time_s: 60, time_budget_s: 600 };

const ended = ({ launcher, ranks }) => until(() => ![launcher, ...ranks].some(alive), 'no rank and no launcher is left');

/** Ids of the worker, the launcher and the two ranks of a command, when they have started: each is a child of the one
 * before, and the worker is one of the lab that the command has started. */
function processesOf(command) {
  return until(() => {
    const [worker] = childrenOf(command.pid).flatMap(childrenOf);
    const [launcher] = worker ? childrenOf(worker) : [];
    const ranks = launcher ? childrenOf(launcher) : [];
    return ranks.length === 2 && { worker, launcher, ranks };
  }, 'the ranks have started');
}

test('every operation between two ranks has the right result, from every memory', { skip }, async (t) => {
  const place = new Place(t);
  const command = await place.gpulab(run(place, { ...brief, memory: 'host,staged,device' }, '--quick'));
  assert.equal(command.code, SUCCESS, command.stderr);
  const { measurements, notes } = JSON.parse(command.stdout);
  const measured = measurements.filter(({ metric, skipped }) => metric === 'time' && !skipped);
  assert.equal(measured.length, 4 * 3 * 2 + 2, 'operations, memories, sizes; the job');
  for (const { axes, verified, wrong, median } of measured) {
    assert.deepEqual({ verified, wrong }, { verified: true, wrong: 0 }, JSON.stringify(axes));
    assert.ok(median > 0);
  }
  assert.deepEqual([...new Set(measurements.map(({ metric }) => metric))].sort(), ['bandwidth', 'busbw', 'time']);
  const skipped = measurements.filter(({ axes }) => axes.operation === 'job' && axes.rank_devices === 2).map((one) => one.skipped);
  assert.deepEqual(skipped, Array(2).fill('a rank needs 2 devices: the run has 1, and the machine of rank 0 has 1'));
  assert.match(JSON.stringify(notes), /Open MPI .*2 ranks by mpirun: 0 on /);
});

test('more ranks and a transport that is chosen give the right results too', { skip }, async (t) => {
  const place = new Place(t);
  const command = await place.gpulab(run(place, { ranks: '3,6', transport: 'shared,tcp', memory: 'host', min_bytes: 65536,
    max_bytes: 65536, ...brief }));
  assert.equal(command.code, SUCCESS, command.stderr);
  const measured = JSON.parse(command.stdout).measurements.filter(({ metric }) => metric === 'time');
  assert.equal(measured.length, 2 * 2 * 4, 'ranks, transports, operations but the job, which has no data at the host');
  assert.ok(measured.every(({ verified }) => verified === true));
});

test('ranks with several devices each divide a job among all of them', { skip }, async (t) => {
  const place = new Place(t);
  const command = await place.gpulab(run(place, { operation: 'job', ranks: '2,3', weight: 2, min_bytes: 4096, max_bytes: 1000000,
    factor: 256, ...brief }, '--host-devices', '4'));
  assert.equal(command.code, SUCCESS, command.stderr);
  const { measurements } = JSON.parse(command.stdout);
  const times = measurements.filter(({ metric }) => metric === 'time');
  assert.equal(times.length, 2 * 2 * 2, 'ranks, devices of a rank, sizes');
  for (const { axes, verified, wrong } of times)
    assert.deepEqual({ verified, wrong }, { verified: true, wrong: 0 }, JSON.stringify(axes));
  const predicted = measurements.filter(({ metric }) => metric === 'predicted_time');
  assert.equal(predicted.length, times.length - 2, 'all but the first of each size');
  const time = ({ ranks, rank_devices, bytes }) => times.find(({ axes }) => axes.ranks === ranks && axes.rank_devices === rank_devices
    && axes.bytes === bytes).median;
  const one = predicted.find(({ axes }) => axes.ranks === 2 && axes.rank_devices === 2 && axes.bytes === 4096);
  assert.ok(Math.abs(one.median / (time({ ranks: 2, rank_devices: 1, bytes: 4096 }) / 2) - 1) < 1e-9);
});

test('a wrong result in a rank is found', { skip }, async (t) => {
  const place = new Place(t);
  const command = await place.gpulab(run(place, { operation: 'transpose', memory: 'staged', min_bytes: 65536, max_bytes: 65536, ...brief }),
    { env: { GPULAB_HOST_FAULT: 'wrong-result@20' } });
  assert.equal(command.code, FAILED, command.stderr);
  const [{ verified, wrong }] = JSON.parse(command.stdout).measurements;
  assert.equal(verified, false);
  assert.ok(wrong > 0);
});

test('a rank that is killed fails the run, which says so', { skip }, async (t) => {
  const place = new Place(t);
  const command = place.start(run(place, endless));
  const processes = await processesOf(command);
  process.kill(processes.ranks[1], 'SIGKILL');
  assert.equal(await command.ended, FAILED);
  assert.match(JSON.parse(command.stdout).error.detail, /the launcher of the ranks exited with code \d+; it printed: .*signal 9/);
  await ended(processes);
});

test('a cancel leaves no rank', { skip }, async (t) => {
  const place = new Place(t);
  const command = place.start(run(place, endless));
  const processes = await processesOf(command);
  command.child.kill('SIGINT');
  assert.equal(await command.ended, CANCELLED);
  await ended(processes);
});

test('a worker or a launcher that is killed leaves no rank', { skip }, async (t) => {
  for (const victim of ['worker', 'launcher']) {
    const place = new Place(t);
    const command = place.start(run(place, endless));
    const processes = await processesOf(command);
    process.kill(processes[victim], 'SIGKILL');
    assert.equal(await command.ended, FAILED);
    await ended(processes);
  }
});

test('where mpirun is missing, every point is skipped and says so', { skip }, async (t) => {
  const place = new Place(t);
  const command = await place.gpulab(run(place, {}, '--quick'), { env: { PATH: place.folder } });
  assert.equal(command.code, FAILED, command.stderr);
  const { measurements } = JSON.parse(command.stdout);
  assert.equal(measurements.length, 4 * 2 * 2 + 2 * 2, 'operations, memories, sizes; the job by devices of a rank');
  for (const { skipped } of measurements)
    assert.equal(skipped, 'mpirun was not found in the folders of PATH');
});
