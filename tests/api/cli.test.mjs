// The command line as scripts use it: output, exit codes, with a server and without one.
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { execute, Lab, temporaryFolder } from '../harness/lab.mjs';

let lab, folder;
before(async () => {
  lab = await Lab.start();
  folder = temporaryFolder();
});
after(async () => {
  await lab.close();
  rmSync(folder, { recursive: true, force: true });
});

const gpulab = (args, options) => execute('gpulab', args, { folder, ...options });
const quick = ['--set', 'direction=h2d', '--set', 'memory=pinned', '--set', 'min_bytes=4KiB', '--set', 'max_bytes=4KiB', '--set', 'max_samples=1'];
const local = [...quick, '--runtime', 'host', '--no-save'];

test('--help everywhere, on standard output, with exit code 0', async () => {
  for (const args of [['--help'], ['serve', '--help'], ['devices', '--help'], ['experiments', '--help'], ['run', '--help'], ['run', 'transfer', '--help']]) {
    const said = await gpulab(args);
    assert.equal(said.code, 0, args.join(' '));
    assert.ok(said.stdout.length > 100, args.join(' '));
    assert.equal(said.stderr, '');
  }
  assert.match((await gpulab(['run', 'transfer', '--help'])).stdout, /max_bytes/);
  assert.match((await gpulab(['serve', '--help'])).stdout, /GPULAB_LISTEN/);
});

test('wrong use is exit code 2 and a sentence on standard error', async () => {
  for (const args of [['dance'], ['serve', '--colour', 'red'], ['run'], ['run', 'alchemy'], ['run', 'transfer', '--set', 'colour=red'],
    ['run', 'transfer', '--set', 'min_bytes'], ['serve', '--worker-idle', 'x'], ['serve', '--runtime', 'abacus']]) {
    const said = await gpulab(args);
    assert.equal(said.code, 2, `${args.join(' ')}: ${said.code} ${said.stderr}`);
    assert.equal(said.stdout, '', args.join(' '));
    assert.ok(said.stderr.length > 5, args.join(' '));
  }
});

test('devices, as a table and as JSON', async () => {
  const table = await gpulab(['devices', '--runtime', 'host']);
  assert.equal(table.code, 0, table.stderr);
  assert.match(table.stdout, /host runtime/);
  const json = await gpulab(['devices', '--runtime', 'host', '--json']);
  const [device] = JSON.parse(json.stdout).devices;
  assert.equal(device.backend, 'host');
});

test('experiments, as a table and as JSON', async () => {
  assert.match((await gpulab(['experiments'])).stdout, /transfer/);
  const json = await gpulab(['experiments', '--json']);
  assert.ok(JSON.parse(json.stdout).experiments.some((experiment) => experiment.name === 'transfer'));
});

test('a local run prints a table, and with --json the run alone', async () => {
  const table = await gpulab(['run', 'transfer', ...local]);
  assert.equal(table.code, 0, table.stderr);
  assert.match(table.stdout, /GB\/s/);
  const json = await gpulab(['run', 'transfer', ...local, '--json']);
  assert.equal(json.code, 0, json.stderr);
  const run = JSON.parse(json.stdout);
  assert.equal(run.status, 'succeeded');
  assert.ok(run.measurements.every((measurement) => measurement.verified !== false));
});

test('a run is submitted to the server that is named and is in its history', async () => {
  const said = await gpulab(['run', 'transfer', ...quick, '--server', lab.address, '--json', '--note', 'from the command line', '--tag', 'cli']);
  assert.equal(said.code, 0, said.stderr);
  const run = JSON.parse(said.stdout);
  const kept = await lab.run(run.id);
  assert.equal(kept.status, 'succeeded');
  assert.equal(kept.note, 'from the command line');
  assert.deepEqual(kept.tags, ['cli']);
});

test('bad parameters are said with their names, by server and locally', async () => {
  for (const where of [['--server', lab.address], ['--runtime', 'host', '--no-save']]) {
    const said = await gpulab(['run', 'transfer', ...where, '--set', 'min_bytes=1MiB', '--set', 'max_bytes=1KiB']);
    assert.equal(said.code, 2, said.stderr);
    assert.match(said.stderr, /min_bytes/);
  }
});

test('a run that fails is exit code 1', async () => {
  const said = await gpulab(['run', 'transfer', ...local, '--json'], { env: { GPULAB_HOST_FAULT: 'wrong-result@1' } });
  assert.equal(said.code, 1, said.stderr);
  assert.equal(JSON.parse(said.stdout).status, 'failed');
});

test('a server that is not there is said, and no success', async () => {
  const said = await gpulab(['run', 'transfer', ...quick, '--server', 'http://127.0.0.1:1']);
  assert.ok(said.code > 2, `${said.code}`);
  assert.match(said.stderr, /127\.0\.0\.1:1/);
});

test('a saved local run is in the history that a server then shows', async () => {
  const database = `${folder}/saved.db`;
  const said = await gpulab(['run', 'transfer', ...quick, '--runtime', 'host', '--db', database, '--json', '--note', 'kept']);
  assert.equal(said.code, 0, said.stderr);
  const own = await Lab.start({ folder, database });
  try {
    const { runs } = (await own.get('/api/v1/runs')).json;
    assert.deepEqual(runs.map((run) => [run.note, run.status]), [['kept', 'succeeded']]);
    // With a server of this machine on that database, the same command goes through it.
    const again = await gpulab(['run', 'transfer', ...quick, '--db', database, '--json', '--note', 'through the server']);
    assert.equal(again.code, 0, again.stderr);
    assert.deepEqual((await own.get('/api/v1/runs')).json.runs.map((run) => run.note), ['through the server', 'kept']);
  } finally {
    await own.close();
  }
});

test('run all --quick ends with one table and one verdict', async () => {
  const said = await gpulab(['run', 'all', '--quick', '--runtime', 'host', '--no-save'], { timeout_s: 120 });
  assert.equal(said.code, 0, said.stderr);
  assert.match(said.stdout, /transfer/);
});

test('no address that is not loopback without saying so', async () => {
  const said = await gpulab(['serve', '--listen', '0.0.0.0:0', '--runtime', 'host', '--db', `${folder}/other.db`], { timeout_s: 5 });
  assert.notEqual(said.code, 0);
  assert.notEqual(said.signal, 'SIGKILL', 'it started');
  assert.match(said.stderr, /insecure/);
});
