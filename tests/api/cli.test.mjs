// The command line as scripts use it: output, exit codes, signals; with a lab that runs, and with the private lab that
// a command starts when no lab serves the database.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { CANCELLED, ERROR, FAILED, NO_DEVICE, Place, quick, slow, SUCCESS, USAGE } from '../harness/cli.mjs';
import { alive, build, childrenOf, skipLong, until, untilHanging, withLab } from '../harness/lab.mjs';

/** The signals that were sent to a process and that it has not yet taken, as a bit mask. */
function pendingSignals(pid) {
  return BigInt(`0x${/^ShdPnd:\s*([0-9a-f]+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]}`);
}

const ended = (pids, what) => until(() => !pids.some(alive), what);

test('--help prints to standard output and exits with 0', async (t) => {
  const place = new Place(t);
  for (const args of [['--help'], ['serve', '--help'], ['devices', '--help'], ['experiments', '--help'], ['run', '--help'], ['run', 'transfer', '--help']]) {
    const help = await place.gpulab(args);
    assert.equal(help.code, SUCCESS, args.join(' '));
    assert.match(help.stdout, /^(gpulab|Usage)/, args.join(' '));
    assert.equal(help.stderr, '');
  }
  assert.match((await place.gpulab(['run', 'transfer', '--help'])).stdout, /max_bytes/);
  assert.match((await place.gpulab(['serve', '--help'])).stdout, /GPULAB_LISTEN/);
});

test('wrong usage exits with 2 and an error on standard error', async (t) => {
  const place = new Place(t);
  for (const args of [['dance'], ['serve', '--colour', 'red'], ['run'], ['run', 'alchemy'], ['run', 'transfer', '--set', 'colour=red'],
    ['run', 'transfer', '--set', 'min_bytes'], ['serve', '--worker-idle', 'x'], ['serve', '--runtime', 'abacus'], ['devices', 'one', 'two'],
    ['experiments', 'alchemy'], ['run', 'transfer', '--preset', 'slow'], ['run', 'transfer', '--dry-run='],
    ['run', 'transfer', '--quick', '--preset', 'quick']]) {
    const command = await place.gpulab(args, { env: { GPULAB_RUNTIME: 'host' } });
    assert.equal(command.code, USAGE, `${args.join(' ')}: ${command.stderr}`);
    assert.equal(command.stdout, '', args.join(' '));
    assert.match(command.stderr, /^gpulab: /, args.join(' '));
  }
});

test('a name that is nearly right is answered with the right one', async (t) => {
  const place = new Place(t);
  for (const [args, name] of [[['tranfser'], null], [['shwo'], 'show'], [['help', 'shwo'], 'show'], [['serve', '--worker-idel', '5'], '--worker-idle'],
    [['serve', '--listn=:1'], '--listen'], [['serve', '--runtime', 'hots'], 'host'], [['experiments', 'tranfser'], 'transfer'],
    [['run', 'tranfser'], 'transfer'], [['run', 'transfer', '--set', 'max_byte=1'], 'max_bytes'], [['run', 'transfer', '--set', 'memory=pined'], 'pinned'],
    [['run', 'transfer', '--preset', 'quik'], 'quick']]) {
    const { code, stderr } = await place.gpulab(args, { env: { GPULAB_RUNTIME: 'host' } });
    assert.equal(code, USAGE, `${args.join(' ')}: ${stderr}`);
    assert.deepEqual([...stderr.matchAll(/Did you mean '(.*)'\?\n/g)].map((match) => match[1]), name === null ? [] : [name], `${args.join(' ')}: ${stderr}`);
  }
});

test('devices lists the devices as a table and as JSON, and creates no file', async (t) => {
  const place = new Place(t);
  const table = await place.gpulab(['devices', '--runtime', 'host']);
  assert.equal(table.code, SUCCESS, table.stderr);
  assert.match(table.stdout, /host runtime/);
  const json = await place.gpulab(['devices', '--runtime', 'host', '--json']);
  assert.equal(JSON.parse(json.stdout).devices[0].backend, 'host');
  assert.equal(json.stderr, '');
  const one = await place.gpulab(['devices', '0', '--runtime', 'host']);
  assert.match(one.stdout, /total_memory_bytes/);
  assert.deepEqual(readdirSync(place.temporary), []);
  assert.equal(existsSync(join(place.folder, 'state')), false);
});

test('devices without a worker exits with 3 and the reason', async (t) => {
  const place = new Place(t);
  const command = await place.gpulab(['devices', '--worker', '/nonexistent/worker']);
  assert.equal(command.code, NO_DEVICE);
  assert.equal(command.stdout, '');
  assert.match(command.stderr, /^gpulab: .*\/nonexistent\/worker/);
  assert.deepEqual(readdirSync(place.temporary), []);
});

test('the reason of a worker that does not start is quoted from its beginning, however long it is', async (t) => {
  const place = new Place(t), fault = 'x'.repeat(300);
  const { code, stderr } = await place.gpulab(['devices', '--runtime', 'host'], { env: { GPULAB_HOST_FAULT: fault } });
  assert.equal(code, NO_DEVICE);
  assert.match(stderr, /Its last line of output: gpulab-worker: the host fault "x+/);
});

test('experiments lists the experiments as a table and as JSON, without a worker', async (t) => {
  const place = new Place(t);
  const table = (await place.gpulab(['experiments', '--worker', '/nonexistent'])).stdout;
  assert.match(table, /^transfer +transfer /m);
  const groups = table.trim().split('\n\n').map((group) => new Set(group.split('\n').map((line) => line.split(/ +/)[1])));
  groups[0].delete('subject');
  assert.ok(groups.length > 4 && groups.every((subjects) => subjects.size === 1), 'a group of lines for each subject');
  const json = await place.gpulab(['experiments', '--json']);
  assert.ok(JSON.parse(json.stdout).experiments.some((experiment) => experiment.name === 'transfer'));
  assert.match((await place.gpulab(['experiments', 'transfer'])).stdout, /max_bytes/);
});

test('doctor examines this machine without a lab, and exits with 1 if something keeps gpulab from working', async (t) => {
  const place = new Place(t);
  const found = await place.gpulab(['doctor', '--json']);
  const { works, findings } = JSON.parse(found.stdout);
  assert.equal(found.code, works ? SUCCESS : FAILED, found.stderr);
  assert.equal(findings.find(({ name }) => name === 'database-disk').group, 'works');
  const broken = await place.gpulab(['doctor', '--lock-dir', '/dev/null/locks']);
  assert.equal(broken.code, FAILED);
  assert.match(broken.stdout, /^ {2}locks of devices \(needed\): this user may not write to their folder \(for .*\)\n {6}Create the folder/m);
  assert.match(broken.stdout, /^gpulab does not work here: .*locks of devices.*\.\n$/m);
  const [node, worker] = [await place.gpulab(['doctor', '--node', 'b']), await place.gpulab(['doctor', '--worker', '/dev/null'])];
  assert.deepEqual([node.code, worker.code], [ERROR, NO_DEVICE], worker.stderr);
  assert.match(worker.stderr, /^gpulab: The worker \/dev\/null cannot be started: Permission denied\.$/m);
  assert.ok(!existsSync(place.database));
});

test('run prints a table, and with --json only the run', async (t) => {
  const place = new Place(t);
  const table = await place.gpulab(place.run(quick));
  assert.equal(table.code, SUCCESS, table.stderr);
  assert.match(table.stdout, /GB\/s/);
  assert.equal(table.stderr, '');
  const json = await place.gpulab(place.run(quick, '--json'));
  assert.equal(json.code, SUCCESS, json.stderr);
  assert.equal(json.stderr, '');
  const run = JSON.parse(json.stdout);
  assert.equal(run.status, 'succeeded');
  assert.ok(run.measurements.length > 0 && run.measurements.every((measurement) => measurement.verified === true));
});

test('run --server queues the run there; --no-save deletes it at its end', async (t) => {
  const place = new Place(t);
  await withLab({}, async (lab) => {
    const options = [...quick, '--server', lab.address, '--json', '--tag', 'cli', '--note'];
    const kept = await place.gpulab(['run', 'transfer', ...options, 'kept']);
    assert.equal(kept.code, SUCCESS, kept.stderr);
    const run = await lab.run(JSON.parse(kept.stdout).id);
    assert.deepEqual([run.status, run.note, run.tags], ['succeeded', 'kept', ['cli']]);
    const deleted = await place.gpulab(['run', 'transfer', ...options, 'deleted', '--no-save']);
    assert.equal(deleted.code, SUCCESS, deleted.stderr);
    assert.equal((await lab.run(JSON.parse(deleted.stdout).id)).status, 404);
  });
});

test('invalid parameters exit with 2 and their names, with --server and without', async (t) => {
  const place = new Place(t);
  await withLab({}, async (lab) => {
    for (const where of [['--server', lab.address], ['--runtime', 'host', '--no-save']]) {
      const command = await place.gpulab(['run', 'transfer', ...where, '--set', 'min_bytes=1MiB', '--set', 'max_bytes=1KiB']);
      assert.equal(command.code, USAGE, command.stderr);
      assert.match(command.stderr, /min_bytes/);
    }
  });
});

test('a failed run exits with 1', async (t) => {
  const place = new Place(t);
  const command = await place.gpulab(place.run(quick, '--json'), { env: { GPULAB_HOST_FAULT: 'wrong-result@1' } });
  assert.equal(command.code, FAILED, command.stderr);
  assert.equal(JSON.parse(command.stdout).status, 'failed');
});

test('run without a worker exits with 3', async (t) => {
  const place = new Place(t);
  const command = await place.gpulab(place.run(quick, '--worker', '/nonexistent/worker'));
  assert.equal(command.code, NO_DEVICE);
  assert.match(command.stderr, /\/nonexistent\/worker/);
});

test('a server that does not answer exits with 5 and its address', async (t) => {
  const command = await new Place(t).gpulab(['run', 'transfer', ...quick, '--server', 'http://127.0.0.1:1']);
  assert.equal(command.code, ERROR);
  assert.match(command.stderr, /127\.0\.0\.1:1/);
});

test('a database that cannot be created exits with 5 and its path', async (t) => {
  const place = new Place(t);
  writeFileSync(join(place.folder, 'file'), '');
  place.database = join(place.folder, 'file', 'runs.db');
  const command = await place.gpulab(place.run(quick));
  assert.equal(command.code, ERROR, command.stderr);
  assert.match(command.stderr, new RegExp(`${place.folder}/file`));
});

test('a saved run is in the history of a lab that starts later, and commands use that lab', async (t) => {
  const place = new Place(t);
  const saved = await place.gpulab(place.run(quick, '--note', 'private lab'));
  assert.equal(saved.code, SUCCESS, saved.stderr);
  await withLab({ folder: place.folder, database: place.database }, async (lab) => {
    const command = await place.gpulab(place.run(quick, '--note', 'running lab'));
    assert.equal(command.code, SUCCESS, command.stderr);
    const { runs } = (await lab.get('/api/v1/runs')).json;
    assert.deepEqual(runs.map((run) => [run.note, run.status]), [['running lab', 'succeeded'], ['private lab', 'succeeded']]);
  });
});

test('--no-save leaves no file and no process', async (t) => {
  const place = new Place(t);
  const command = place.start(place.run(slow, '--no-save'));
  const processes = await until(() => place.processes(command).length === 3 && place.processes(command), 'the lab and its worker run', 60);
  const [folder] = readdirSync(place.temporary);
  assert.ok(existsSync(join(place.temporary, folder, 'gpulab.db')));
  command.child.kill('SIGINT');
  assert.equal(await command.ended, CANCELLED, command.stderr);
  await ended(processes, 'lab and worker end');
  assert.deepEqual(readdirSync(place.temporary), []);
  assert.equal(existsSync(place.database), false);
});

test('a database with a path too long for a socket address can be used', async (t) => {
  const place = new Place(t);
  place.database = join(place.folder, 'd'.repeat(100), 'runs.db');
  const command = await place.gpulab(place.run(quick));
  assert.equal(command.code, SUCCESS, command.stderr);
});

test('Ctrl-C cancels the run and prints what was measured', async (t) => {
  const place = new Place(t);
  const command = place.start(place.run(slow, '--note', 'endless'));
  await place.reach('endless', 'running');
  const processes = place.processes(command);
  command.child.kill('SIGINT');
  assert.equal(await command.ended, CANCELLED, command.stderr);
  assert.match(command.stdout, /cancelled in/);
  await ended(processes, 'lab and worker end');
  assert.deepEqual(await place.history(), { endless: 'cancelled' });
});

test('a second Ctrl-C does not wait for the run', async (t) => {
  const place = new Place(t);
  // The worker hangs and so does not honour the cancel, unless it comes before.
  const command = place.start(place.run(slow, '--note', 'endless'), { env: { GPULAB_HOST_FAULT: 'hang' } });
  const run = await place.reach('endless', 'running');
  const processes = place.processes(command);
  await until(async () => (await place.get(`/api/v1/runs/${run.id}`)).environment, 'the worker has begun the run');
  await untilHanging(processes[2]);
  command.child.kill('SIGINT');
  await until(() => pendingSignals(command.pid) === 0n, 'the command has read the first signal');
  command.child.kill('SIGINT');
  assert.equal(await command.ended, CANCELLED, command.stderr);
  assert.equal(command.stdout, '');
  assert.match(command.stderr, new RegExp(`Stopped waiting for the run ${run.id}`));
  await ended(processes, 'lab and worker end');
  assert.match((await place.history()).endless, /^(interrupted|cancelled)$/);
});

test('kill -9 of the command ends its lab and the worker, and the run is interrupted', async (t) => {
  const place = new Place(t);
  const command = place.start(place.run(slow, '--note', 'endless'));
  await place.reach('endless', 'running');
  const processes = place.processes(command);
  assert.equal(processes.length, 3);
  command.child.kill('SIGKILL');
  await ended(processes, 'command, lab and worker end');
  assert.deepEqual(await place.history(), { endless: 'interrupted' });
});

test('kill -9 of the lab ends the command with 5 and leaves no temporary file', async (t) => {
  const place = new Place(t);
  const command = place.start(place.run(slow, '--no-save'));
  const processes = await until(() => place.processes(command).length === 3 && place.processes(command), 'the lab and its worker run', 60);
  const [folder] = readdirSync(place.temporary);
  writeFileSync(join(place.temporary, folder, 'gpulab-backup-123456'), ''); // as a backup that the signal interrupts
  process.kill(processes[1], 'SIGKILL');
  assert.equal(await command.ended, ERROR, command.stderr);
  await ended(processes, 'lab and worker end');
  assert.deepEqual(readdirSync(place.temporary), []);
});

test('commands that start at the same time share one lab', async (t) => {
  const place = new Place(t);
  const notes = ['a', 'b', 'c', 'd'];
  const commands = await Promise.all(notes.map((note) => place.gpulab(place.run(quick, '--note', note))));
  for (const command of commands) {
    assert.equal(command.code, SUCCESS, command.stderr);
    assert.match(command.stderr, /^(gpulab: waiting for the process that uses .*\n)?$/, 'a slow start of the lab may be told');
  }
  assert.deepEqual(await place.history(), { a: 'succeeded', b: 'succeeded', c: 'succeeded', d: 'succeeded' });
});

test('a run and a sweep are followed without an event stream where the lab takes no second connection', async (t) => {
  const place = new Place(t);
  await withLab({}, async (lab) => {
    for (const request of [['run', 'transfer', ...quick], ['sweep', 'transfer', ...quick.map((word) => word.replace('max_bytes=4KiB', 'max_bytes=4KiB,8KiB'))]]) {
      const door = createServer((client) => {
        door.close(); // removes the socket
        const server = connect(lab.port, '127.0.0.1');
        for (const socket of [client.pipe(server), server.pipe(client)]) socket.on('error', () => {});
      }).listen(`${place.database}.sock`);
      t.after(() => door.close());
      await once(door, 'listening');
      const command = await place.gpulab([...request, '--db', place.database]);
      assert.deepEqual([command.code, command.stderr], [SUCCESS, '']);
      assert.match(command.stdout, /GB\/s|succeeded/);
    }
  });
});

test('the run of a killed command does not hold up the next command', async (t) => {
  const place = new Place(t);
  const other = place.start(place.run(slow, '--note', 'other'));
  await place.reach('other', 'running');
  await place.follows();
  other.child.kill('SIGKILL');
  const command = await place.gpulab(place.run(quick, '--note', 'next')); // finds the lab of the other one, or starts its own
  assert.equal(command.code, SUCCESS, command.stderr);
  const history = await place.history();
  assert.equal(history.next, 'succeeded');
  assert.match(history.other, /^(interrupted|cancelled)$/);
});

test('a lab that goes on for a second command cancels the run of the first one', async (t) => {
  const place = new Place(t);
  const first = place.start(place.run(slow, '--note', 'first'));
  await place.reach('first', 'running');
  await place.follows();
  const second = place.start(place.run(quick, '--note', 'second'));
  await place.reach('second', 'queued');
  first.child.kill('SIGKILL');
  assert.equal(await second.ended, SUCCESS, second.stderr);
  assert.deepEqual(await place.history(), { first: 'cancelled', second: 'succeeded' });
});

test('the lab goes on for a second command when the first one ends, and ends after it', async (t) => {
  const place = new Place(t);
  const first = place.start(place.run(slow, '--note', 'first'));
  await place.reach('first', 'running');
  const processes = place.processes(first);
  const second = place.start(place.run(slow, '--note', 'second'));
  await place.reach('second', 'queued');
  assert.deepEqual(childrenOf(second.pid), [], 'the second command started no lab');
  first.child.kill('SIGINT');
  assert.equal(await first.ended, CANCELLED, first.stderr);
  await place.reach('second', 'running');
  second.child.kill('SIGINT');
  assert.equal(await second.ended, CANCELLED, second.stderr);
  assert.match(second.stdout, /cancelled in/);
  await ended(processes, 'lab and worker end');
  assert.deepEqual(await place.history(), { first: 'cancelled', second: 'cancelled' });
});

test('Ctrl-C ends the wait for a database that another process uses', async (t) => {
  const place = new Place(t);
  const owner = spawn('flock', [`${place.database}.lock`, 'cat'], { stdio: ['pipe', 'pipe', 'inherit'] });
  t.after(() => owner.kill('SIGKILL'));
  owner.stdin.write('locked\n');
  await once(owner.stdout, 'data');
  const command = place.start(place.run(quick));
  await until(() => command.stderr.includes('waiting for the process that uses'), 'the command says that it waits');
  command.child.kill('SIGINT');
  assert.equal(await command.ended, CANCELLED, command.stderr);
  assert.match(command.stderr, /is in use by/);
  owner.stdin.end();
});

test('a paused queue without a lab is an error', async (t) => {
  const place = new Place(t);
  await withLab({ folder: place.folder, database: place.database }, (lab) => lab.request('PUT', '/api/v1/queue', { json: { paused: true } }));
  const command = await place.gpulab(place.run(quick));
  assert.equal(command.code, ERROR, command.stderr);
  assert.match(command.stderr, /paused/);
});

test('run all --quick prints one table and one summary', skipLong, async (t) => {
  const command = await new Place(t).gpulab(['run', 'all', '--quick', '--set', 'time_budget_s=2', '--set', 'settle_s=0', '--runtime', 'host', '--no-save']);
  assert.equal(command.code, SUCCESS, command.stderr);
  assert.match(command.stdout, /^experiment +status/);
  assert.match(command.stdout, /^transfer +succeeded/m);
  assert.match(command.stdout, /^PASSED: /m);
});

test('a preset sets parameters, --set replaces some; a wrong name lists the presets', async (t) => {
  const place = new Place(t);
  const wrong = await place.gpulab(place.run(quick, '--preset', 'slow'));
  assert.equal(wrong.code, USAGE);
  assert.equal(wrong.stderr, "gpulab: --preset: transfer has no preset 'slow'; its presets are: quick, source.\n");
  const source = await place.gpulab(place.run(['--set', 'direction=h2d', '--set', 'max_samples=1'], '--preset', 'source', '--json'));
  assert.equal(source.code, SUCCESS, source.stderr);
  const { parameters } = JSON.parse(source.stdout);
  assert.deepEqual([parameters.min_bytes, parameters.max_bytes, parameters.direction], [16777216, 16777216, ['h2d']]);
});

test('the name of a subject runs its experiments; one that lacks the preset is left out', async (t) => {
  const place = new Place(t);
  const listed = JSON.parse((await place.gpulab(['experiments', '--json'])).stdout).experiments;
  const run = async (subject, ...options) => {
    const command = await place.gpulab(['run', subject, ...options, '--runtime', 'host', '--no-save']);
    const rows = command.stdout.split('\n\n')[0].trim().split('\n').slice(1).map((line) => line.split(/ {2,}/));
    assert.deepEqual(rows.map(([name]) => name), listed.filter((one) => one.subject === subject).map(({ name }) => name), command.stderr);
    return { ...command, rows };
  };
  const one = await run('multi-gpu', '--quick');
  assert.equal(one.code, SUCCESS, one.stdout + one.stderr);
  assert.deepEqual(one.rows.map(([name, status]) => `${name} ${status}`),
    ['scaling succeeded', 'peer left out', 'peer-transpose left out', 'collectives left out', existsSync(join(build, 'gpulab-mpi')) ? 'mpi succeeded' : 'mpi no result']);
  const several = await run('multi-gpu', '--preset', 'slow', '--host-devices', '2');
  assert.equal(several.code, USAGE, `nothing was run: ${several.stdout}${several.stderr}`);
  for (const [, status, ...rest] of several.rows) {
    assert.equal(status, 'left out');
    assert.match(rest.at(-1), /^has no preset 'slow'; its presets are: quick/);
  }
});

test('serve refuses an address that other machines can reach without a token', async (t) => {
  const place = new Place(t);
  const command = await place.gpulab(['serve', '--listen', '0.0.0.0:0', '--runtime', 'host', '--db', place.database]);
  assert.equal(command.code, USAGE);
  assert.match(command.stderr, /0\.0\.0\.0:0 is reachable from other machines, and there is no token\. Add one with 'gpulab token add /);
});
