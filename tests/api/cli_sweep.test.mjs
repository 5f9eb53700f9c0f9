// gpulab sweep: submission, following, Ctrl-C.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CANCELLED, Place, slow, SUCCESS, USAGE } from '../harness/cli.mjs';
import { until, withLab } from '../harness/lab.mjs';

const tiny = ['--set', 'min_bytes=4KiB', '--set', 'max_bytes=4KiB', '--set', 'max_samples=1', '--set', 'settle_s=0'];

/** Calls `work` with a lab of two devices and a function that runs commands against it. */
async function withCommands(t, work) {
  const place = new Place(t);
  await withLab({ args: ['--host-devices', '2'] }, (lab) => work(lab, (...args) => place.gpulab([...args, '--server', lab.address]), place));
}

test('sweep runs every combination and prints a table of them', (t) => withCommands(t, async (lab, gpulab) => {
  const command = await gpulab('sweep', 'transfer', ...tiny, '--set', 'direction=h2d,d2h', '--set', 'memory=pinned,pageable', '--tag', 'swept');
  assert.equal(command.code, SUCCESS, command.stderr);
  const rows = command.stdout.split('\n\n')[0].split('\n');
  assert.match(rows[0], /^id +direction +memory +status +result$/);
  assert.deepEqual(rows.slice(1).map((row) => row.split(/ +/).slice(1, 4).join(' ')),
    ['h2d pinned succeeded', 'h2d pageable succeeded', 'd2h pinned succeeded', 'd2h pageable succeeded']);
  const [, id] = /^sweep (\S+): 4 runs$/m.exec(command.stdout);
  const listed = JSON.parse((await gpulab('runs', '--sweep', id, '--json')).stdout).runs;
  assert.deepEqual(listed.map((run) => run.tags), Array(4).fill(['swept']));
}));

test('sweep runs on each device in turn, and keeps the lists of a preset', (t) => withCommands(t, async (lab, gpulab) => {
  const command = await gpulab('sweep', 'transfer', '--quick', ...tiny, '--device', '0', '--device', '1', '--json');
  assert.equal(command.code, SUCCESS, command.stderr);
  const { runs } = JSON.parse(command.stdout);
  const devices = (await lab.get('/api/v1/devices')).json.devices.map((device) => device.id);
  assert.deepEqual(runs.map((run) => run.devices.map((device) => device.id)).reverse(), devices.map((id) => [id]));
  assert.ok(runs.every((run) => run.parameters.opposing.length === 2), 'both values in each run');
  const table = await gpulab('sweep', 'overlap', '--quick', '--device', devices[1], '--device', '0');
  const [header, ...rows] = table.stdout.split('\n\n')[0].split('\n').map((line) => line.split(/ +/));
  assert.deepEqual(rows.map((row) => row[header.indexOf('device')]), [devices[1], devices[0]], 'ids, because both have one name');
}));

test('what is wrong with a sweep is said before anything is queued', (t) => withCommands(t, async (lab, gpulab) => {
  for (const args of [['sweep', 'transfer', '--set', 'direction=h2d,up'], ['sweep', 'alchemy'], ['sweep', 'transfer', '--device', '0', '--device', '0+1']]) {
    const command = await gpulab(...args);
    assert.equal(command.code, USAGE, `${args.join(' ')}: ${command.stderr}`);
    assert.match(command.stderr, /^gpulab: /);
  }
  assert.deepEqual((await lab.get('/api/v1/runs')).json.runs, []);
}));

test('Ctrl-C cancels the sweep', (t) => withCommands(t, async (lab, gpulab, place) => {
  const command = place.start(['sweep', 'transfer', ...slow.map((word) => word.replace('pinned,pageable', 'pinned')), '--server', lab.address]);
  await until(async () => (await lab.get('/api/v1/runs')).json.runs.some((run) => run.status === 'running'), 'a run is running');
  command.child.kill('SIGINT');
  assert.equal(await command.ended, CANCELLED, command.stderr);
  assert.match(command.stdout, /: 2 runs$/m);
  assert.deepEqual((await lab.get('/api/v1/runs')).json.runs.map((run) => run.status), ['cancelled', 'cancelled']);
}));
