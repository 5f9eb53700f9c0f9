// Exit codes: the same in every command, with a reader that has gone, and without the device that was asked for.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { ERROR, FAILED, NO_DEVICE, Place, quick, SUCCESS, USAGE } from '../harness/cli.mjs';
import { build, environment, withLab } from '../harness/lab.mjs';

const lab = join(build, 'gpulab');

/** Runs a script of bash whose $0 is gpulab and $1 the folder of the place. */
function bash(place, script, env = {}) {
  const { status, stdout, stderr } = spawnSync('bash', ['-c', script, lab, place.folder],
    { env: { ...environment(place.folder, env), TMPDIR: place.temporary }, encoding: 'utf8' });
  return { code: status, stdout, stderr };
}

test('an argument that is not UTF-8 is refused by every command, and named', (t) => {
  const place = new Place(t);
  for (const command of ["run transfer --note $'caf\\xe9'", "run transfer --tag $'t\\xe9g'", "sweep transfer --tag $'\\xe9'", "tag latest $'+t\\xe9g'",
    "cancel $'0123456789\\xe9'", "run transfer --db $'/tmp/\\xe9.db'", "kernel a.cu --arg=$'\\xe9:i32=1'", "$'d\\xe9vices'", "compare latest $'l\\xe9'",
    "export --tag $'\\xe9'", "token add --role $'\\xe9'", "health --device $'\\xe9'", "run transfer --edit $'a=\\xe9.cu'"]) {
    const { code, stdout, stderr } = bash(place, `exec "$0" ${command}`);
    assert.deepEqual([code, stdout], [USAGE, ''], `${command}: ${stderr}`);
    assert.match(stderr, new RegExp(`^gpulab: argument ${command.split(' ').length} is not valid UTF-8: '.*\\?.*'\n$`), command);
  }
  const variable = bash(place, `GPULAB_DB=$'/tmp/\\xe9.db' exec "$0" runs`);
  assert.deepEqual([variable.code, variable.stderr], [USAGE, 'gpulab: GPULAB_DB: The environment variable is not valid UTF-8.\n']);
});

test('a reader that has closed the pipe ends a command quietly, with the code of the command', (t) => {
  const place = new Place(t);
  const closed = 'mkfifo "$1/fifo.$$" && exec 3<>"$1/fifo.$$" 4>"$1/fifo.$$" 3<&- && exec "$0" '; // no reader is left
  const run = place.run(quick, '--no-save').join(' ');
  for (const command of ['experiments', 'experiments --json', '--help', '--version', 'run --help', 'runs', 'runs --json', 'export', 'devices --runtime host', run])
    assert.deepEqual(bash(place, `${closed}${command} >&4`), { code: SUCCESS, stdout: '', stderr: '' }, command);
  const wrong = bash(place, `${closed}${run} >&4`, { GPULAB_HOST_FAULT: 'wrong-result@1' });
  assert.deepEqual([wrong.code, wrong.stderr], [FAILED, '']);
});

test('an output that cannot be written is an error', (t) => {
  const place = new Place(t);
  for (const command of ['experiments', '--help', 'experiments --json', 'runs --json']) {
    const full = bash(place, `exec "$0" ${command} >/dev/full`);
    assert.deepEqual([full.code, full.stderr], [ERROR, 'gpulab: the output cannot be written: No space left on device\n'], command);
  }
});

test('show ends with the code of the run, like the run itself', async (t) => {
  const place = new Place(t);
  const show = () => place.gpulab(['show', 'latest', '--db', place.database]);
  assert.equal((await place.gpulab(place.run(quick))).code, SUCCESS);
  assert.equal((await show()).code, SUCCESS);
  assert.equal((await place.gpulab(place.run(quick), { env: { GPULAB_HOST_FAULT: 'wrong-result@1' } })).code, FAILED);
  const wrong = await show();
  assert.equal(wrong.code, FAILED);
  assert.match(wrong.stdout, /NO, \d+ wrong/);
  assert.equal((await place.gpulab(['show', 'latest', '--json', '--db', place.database])).code, FAILED);
});

test('a run without a single result has failed, and a subject without one has not passed', async (t) => {
  const place = new Place(t);
  const one = await place.gpulab(['run', 'collectives', '--quick', '--host-devices', '2', '--runtime', 'host', '--db', place.database]);
  assert.equal(one.code, FAILED, one.stderr);
  assert.match(one.stdout, /failed without a result in [^:]+: 0 measurements, 0 verified, 0 wrong, [1-9]\d* skipped\nNothing was measured: Every point was skipped, the first for this reason: \w/);
  assert.equal((await place.gpulab(['show', 'latest', '--db', place.database])).code, FAILED);
});

/** A lab that gives the documents; a run that is submitted has ended at once, with the measurements and the status. */
async function withRuns(t, status, measurements, error = null) {
  const id = '01993c2f-1a2b-7abc-8000-000000000001';
  const experiments = [{ name: 'one', subject: 'words', devices: { min: 1 } }, { name: 'other', subject: 'words', devices: { min: 1 } }];
  const documents = { '/version': { name: 'gpulab' }, '/experiments': { experiments }, '/devices': { devices: [{ id: 'a', node: 'n' }] },
    '/experiments/one': experiments[0], '/experiments/other': experiments[1], '/runs': { id }, [`/runs/${id}`]: { id, experiment: 'one', status, measurements, error } };
  const server = createServer(({ url }, response) => {
    const path = url.replace(/^\/api\/v1|\?.*$/g, '');
    if (path === '/events') response.writeHead(200, { 'Content-Type': 'text/event-stream' }).write(':\n\n');
    else response.writeHead(documents[path] ? 200 : 404, { 'Content-Type': 'application/json' }).end(JSON.stringify(documents[path] ?? {}));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.closeAllConnections() ?? server.close());
  return (...args) => new Place(t).gpulab([...args, '--server', `http://127.0.0.1:${server.address().port}`]);
}

test('a subject passes with a result and without a failure', async (t) => {
  const right = { metric: 'time', verified: true }, wrong = { metric: 'time', verified: false }, skipped = { metric: 'time', skipped: 'no such link' };
  for (const [status, measurements, code, verdict, error] of [
    ['succeeded', [right, skipped], SUCCESS, 'PASSED: 2 of 2 experiments succeeded; measurements: 2 verified, 0 wrong; experiments left out: 0, without a result: 0'],
    ['succeeded', [skipped], FAILED, 'FAILED: 0 of 2 experiments succeeded; measurements: 0 verified, 0 wrong; experiments left out: 0, without a result: 2'],
    ['failed', [skipped], FAILED, 'FAILED: 0 of 2 experiments succeeded; measurements: 0 verified, 0 wrong; experiments left out: 0, without a result: 2', { type: '/problems/no-result' }],
    ['failed', [right, wrong], FAILED, 'FAILED: 0 of 2 experiments succeeded; measurements: 2 verified, 2 wrong; experiments left out: 0, without a result: 0', { type: '/problems/wrong-result' }],
    ['failed', [], NO_DEVICE, 'FAILED: 0 of 2 experiments succeeded; measurements: 0 verified, 0 wrong; experiments left out: 0, without a result: 0', { type: '/problems/device-unavailable' }]]) {
    const command = await (await withRuns(t, status, measurements, error))('run', 'words');
    assert.deepEqual([command.code, command.stdout.trim().split('\n').at(-1)], [code, verdict], command.stderr);
  }
});

test('a device that is not there is code 3 in every command', async (t) => {
  const place = new Place(t);
  const source = join(place.folder, 'a.cu');
  writeFileSync(source, 'extern "C" __global__ void a(float *x) { x[0] = 1; }\n');
  for (const args of [place.run(quick, '--device', '7'), ['run', 'peer', '--quick', '--runtime', 'host', '--db', place.database],
    place.run(quick, '--node', 'elsewhere'), ['devices', '7', '--runtime', 'host'], ['sweep', 'transfer', '--device', '7', '--runtime', 'host', '--db', place.database],
    ['run', 'transfer', '--runtime', 'host', '--dry-run', '--device', 'GPU-0', '--db', place.database], ['nodes', 'elsewhere', '--runtime', 'host'],
    ['kernel', source, '--arg', 'x:fp32[1]', '--runtime', 'host', '--db', place.database]]) {
    const command = await place.gpulab(args);
    assert.equal(command.code, NO_DEVICE, `${args.join(' ')}: ${command.stderr}`);
  }
  const both = await place.gpulab(place.run(quick, '--device', '7', '--set', 'max_bytes=-1'));
  assert.equal(both.code, USAGE, 'more is wrong than the device');
});

test('CUDA_VISIBLE_DEVICES with a device that is not there is code 3, never the CPU', async (t) => {
  const place = new Place(t);
  const run = (value, ...rest) => place.gpulab(['run', 'transfer', ...quick, '--no-save', ...rest], { env: { CUDA_VISIBLE_DEVICES: value } });
  for (const value of ['99', 'GPU-00000000-0000-0000-0000-000000000000', 'MIG-0', 'nonsense']) {
    const command = await run(value);
    assert.equal(command.code, NO_DEVICE, command.stdout);
    assert.equal(command.stdout, '');
    assert.match(command.stderr, new RegExp(`^gpulab: [^\n]*CUDA_VISIBLE_DEVICES[^\n]*"${value}"[^\n]*\n$`), 'once');
  }
  assert.equal((await run('99', '--runtime', 'host')).code, SUCCESS, 'the CPU was asked for');
  for (const value of ['', '-1', 'NoDevFiles', 'none']) {
    const command = await run(value);
    assert.equal(command.code, SUCCESS, command.stderr);
    assert.equal(command.stdout.split('\n')[0], `measured on the CPU: no CUDA device: CUDA_VISIBLE_DEVICES is "${value}"`);
  }
  for (const args of [['run', 'multi-gpu', '--quick', '--no-save', '--set', 'time_budget_s=0.1'], ['health', '--quick', '--db', place.database]])
    assert.match((await place.gpulab(args, { env: { CUDA_VISIBLE_DEVICES: '' } })).stdout, /^measured on the CPU: no CUDA device: CUDA_VISIBLE_DEVICES is ""\n/, args[0]);
});

test('a lab whose CUDA_VISIBLE_DEVICES names a device that is not there has no device, over HTTP too', async (t) => {
  await withLab({ runtime: 'auto', env: { CUDA_VISIBLE_DEVICES: '99' } }, async (of) => {
    const refused = await of.post('/api/v1/runs', { experiment: 'transfer' });
    assert.equal(refused.status, 503);
    for (const reason of [refused.json.detail, (await of.get('/api/v1/nodes')).json.nodes[0].state_reason])
      assert.match(reason, /CUDA_VISIBLE_DEVICES.*"99"/);
    const place = new Place(t);
    assert.equal((await place.gpulab(['run', 'transfer', '--quick', '--server', of.address])).code, NO_DEVICE);
  });
});

test('the dry run of a subject says what its run would do', async (t) => {
  const place = new Place(t);
  const plan = (...rest) => place.gpulab(['run', 'multi-gpu', '--dry-run', '--runtime', 'host', '--db', place.database, ...rest]);
  const one = await plan('--quick');
  assert.equal(one.code, SUCCESS, one.stderr);
  assert.match(one.stdout, /^scaling +\d+ .*$/m);
  for (const name of ['peer', 'peer-transpose', 'collectives']) assert.match(one.stdout, new RegExp(`^${name} .*left out: needs at least 2 devices, 1 is available$`, 'm'));
  const json = JSON.parse((await plan('--quick', '--json')).stdout);
  assert.equal(json.peer.left_out, 'needs at least 2 devices, 1 is available');
  assert.equal(typeof json.scaling.points, 'number');
  const none = await plan('--preset', 'slow');
  assert.equal(none.code, USAGE);
  assert.match(none.stdout, /^scaling .*left out: has no preset 'slow'; its presets are: /m);
  assert.equal((await place.gpulab(['run', 'peer', '--dry-run', '--runtime', 'host', '--db', place.database])).code, NO_DEVICE);
});
