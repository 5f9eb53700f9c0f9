// The commands that list, show, follow and change the runs of a lab.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { CANCELLED, FAILED, Place, quick, SUCCESS, USAGE } from '../harness/cli.mjs';
import { build, endless, environment, small, until, withLab } from '../harness/lab.mjs';

/** Calls `work` with a lab and a function that runs commands against it. */
async function withCommands(t, options, work) {
  const place = new Place(t);
  await withLab(options, (lab) => work(lab, (...args) => place.gpulab([...args, '--server', lab.address]), place));
}

const rows = (text) => text.trimEnd().split('\n').slice(1);

test('runs lists the newest first', (t) => withCommands(t, {}, async (lab, gpulab) => {
  const first = await lab.complete(small, { note: 'one', tags: ['nightly'] });
  const second = await lab.complete(small, { note: 'two' });
  const all = await gpulab('runs');
  assert.equal(all.code, SUCCESS, all.stderr);
  assert.match(all.stdout, /^id +age +experiment +device +status +result\n/);
  assert.deepEqual(rows(all.stdout).map((row) => row.split(' ')[0]), [second.id, first.id]);
  assert.match(rows(all.stdout)[0], / transfer .* succeeded /);
  assert.doesNotMatch(all.stdout, /\u001b/, 'no colours outside a terminal');
}));

test('a terminal gets colours, unless NO_COLOR is set', (t) => withCommands(t, {}, async (lab, gpulab, place) => {
  await lab.complete();
  const shown = (env) => execFileSync('script', ['--quiet', '--command', `${join(build, 'gpulab')} runs --server ${lab.address}`, '/dev/null'],
    { env: { ...environment(place.folder), TERM: 'xterm', ...env }, encoding: 'utf8' });
  assert.match(shown({}), /\u001b\[32msucceeded\u001b\[0m/);
  assert.doesNotMatch(shown({ NO_COLOR: '1' }), /\u001b/);
  assert.doesNotMatch(shown({ TERM: 'dumb' }), /\u001b/);
}));

test('runs filters by options and by text, and --json has the documents', (t) => withCommands(t, {}, async (lab, gpulab) => {
  const first = await lab.complete(small, { note: 'baseline of March', tags: ['nightly'] });
  await lab.complete(small, { note: 'other' });
  const ids = async (...args) => JSON.parse((await gpulab('runs', '--json', ...args)).stdout).runs.map((run) => run.id);
  assert.equal((await ids()).length, 2);
  for (const args of [['--tag', 'nightly'], ['March'], ['--tag', 'nightly', '--status', 'succeeded', '--experiment', 'transfer']]) {
    assert.deepEqual(await ids(...args), [first.id], args.join(' '));
  }
  assert.deepEqual(await ids('--tag', 'none'), []);
  assert.equal((await gpulab('pin', first.id)).code, SUCCESS);
  assert.deepEqual([await ids('--pinned'), (await ids('--pinned=no')).includes(first.id), (await ids('--pinned=no')).length], [[first.id], false, 1]);
  assert.equal((await ids('--limit', '1')).length, 1);
  const wrong = await gpulab('runs', '--since', 'yesterday');
  assert.equal(wrong.code, USAGE);
  assert.match(wrong.stderr, /^gpulab: --since: .*RFC 3339/);
}));

test('runs reads more than one page', (t) => withCommands(t, {}, async (lab, gpulab) => {
  await lab.request('PUT', '/api/v1/queue', { json: { paused: true } });
  for (let i = 0; i < 510; i += 30) await Promise.all(Array.from({ length: 30 }, () => lab.submit()));
  const all = await gpulab('runs', '--limit', '505');
  assert.equal(all.code, SUCCESS, all.stderr);
  const shown = rows(all.stdout).map((row) => row.split(' ')[0]);
  assert.equal(new Set(shown).size, 505, 'each id is shown once');
}));

test('show prints a run by its id, by the beginning or the end of it, and the latest one', (t) => withCommands(t, {}, async (lab, gpulab) => {
  const first = await lab.complete();
  const second = await lab.complete();
  for (const [word, run] of [[first.id, first], [first.id.slice(0, 18), first], [first.id.slice(-6), first], ['latest', second]]) {
    const shown = await gpulab('show', word);
    assert.equal(shown.code, SUCCESS, shown.stderr);
    assert.match(shown.stdout, new RegExp(`^transfer on .*\n[^]*GB/s[^]*\n${run.id} succeeded in `), word);
    assert.doesNotMatch(shown.stdout, /machine\.name/);
  }
  const environment = await gpulab('show', 'latest', '--environment');
  assert.match(environment.stdout, /^machine\.name +\S/m);
  assert.equal(JSON.parse((await gpulab('show', 'latest', '--json')).stdout).id, second.id);
}));

test('a word that names no run, or several, is an error that says which words do', (t) => withCommands(t, {}, async (lab, gpulab) => {
  assert.match((await gpulab('show', 'latest')).stderr, /has no run yet/);
  await lab.request('PUT', '/api/v1/queue', { json: { paused: true } });
  const [one, other] = [await lab.submit(), await lab.submit()];
  let shared = 8;
  while (one.id[shared] === other.id[shared]) shared++;
  for (const [word, message] of [['0199', /first 8 or more or last 6 or more characters/], ['ffffffff', /no run .* has this id/],
    [one.id.slice(0, shared), /begins or ends the ids of 2 runs/]]) {
    const command = await gpulab('show', word);
    assert.equal(command.code, USAGE, word);
    assert.equal(command.stdout, '');
    assert.match(command.stderr, message);
  }
}));

test('watch ends with the exit code of the run, and Ctrl-C leaves the run alone', (t) => withCommands(t, {}, async (lab, gpulab, place) => {
  const run = await lab.submit(endless);
  await lab.reach(run.id, 'running');
  const left = place.start(['watch', run.id, '--server', lab.address]);
  await until(async () => /gpulab_event_streams 1/.test((await lab.get('/metrics')).text), 'the command follows the run');
  left.child.kill('SIGINT');
  assert.equal(await left.ended, CANCELLED, left.stderr);
  assert.match(left.stderr, /Stopped waiting/);
  assert.equal((await lab.run(run.id)).status, 'running');
  const watching = place.start(['watch', 'latest', '--server', lab.address]);
  await until(async () => /gpulab_event_streams 1/.test((await lab.get('/metrics')).text), 'the command follows the run');
  assert.equal((await gpulab('cancel', run.id)).stdout, `${run.id} cancelled\n`);
  assert.equal(await watching.ended, CANCELLED, watching.stderr);
  assert.match(watching.stdout, new RegExp(`${run.id} cancelled in`));
}));

test('watch without an id follows the queue until it is empty', (t) => withCommands(t, { env: { GPULAB_HOST_FAULT: 'wrong-result@1' } }, async (lab, gpulab, place) => {
  assert.deepEqual([(await gpulab('watch')).stdout, (await gpulab('watch')).code], ['', SUCCESS], 'nothing is queued');
  await lab.request('PUT', '/api/v1/queue', { json: { paused: true } });
  const runs = [await lab.submit(), await lab.submit()];
  const watching = place.start(['watch', '--server', lab.address]);
  await until(() => /starts no run: it is paused/.test(watching.stderr), 'the command says that the queue is paused');
  await lab.request('PUT', '/api/v1/queue', { json: { paused: false } });
  assert.equal(await watching.ended, FAILED, watching.stderr);
  for (const { id } of runs) assert.match(watching.stdout, new RegExp(`^${id}  transfer +(failed|succeeded)  `, 'm'));
}));

test('cancel and delete take several runs; one that fails does not stop the others', (t) => withCommands(t, {}, async (lab, gpulab) => {
  await lab.request('PUT', '/api/v1/queue', { json: { paused: true } });
  const [one, two] = [await lab.submit(), await lab.submit()];
  const live = await gpulab('delete', one.id);
  assert.equal(live.code, USAGE);
  assert.match(live.stderr, new RegExp(`^gpulab: ${one.id}: `));
  const cancelled = await gpulab('cancel', one.id, 'ffffffff', two.id);
  assert.equal(cancelled.code, USAGE);
  assert.equal(cancelled.stdout, `${one.id} cancelled\n${two.id} cancelled\n`);
  assert.match(cancelled.stderr, /^gpulab: ffffffff: /);
  const deleted = await gpulab('delete', one.id, two.id, '--json');
  assert.equal(deleted.code, SUCCESS, deleted.stderr);
  assert.deepEqual(JSON.parse(deleted.stdout), { deleted: [one.id, two.id] });
  assert.deepEqual((await lab.get('/api/v1/runs')).json.runs, []);
}));

test('tag adds and removes tags, pin and unpin keep a run as a baseline', (t) => withCommands(t, {}, async (lab, gpulab) => {
  const { id } = await lab.complete(small, { tags: ['draft', 'kept'] });
  const tagged = await gpulab('tag', id, '+nightly', '-draft', '+kept', '-absent');
  assert.equal(tagged.code, SUCCESS, tagged.stderr);
  assert.equal(tagged.stdout, `${id} tags: kept, nightly\n`);
  assert.deepEqual((await lab.run(id)).tags, ['kept', 'nightly']);
  const wrong = await gpulab('tag', id, 'nightly');
  assert.equal(wrong.code, USAGE);
  assert.match(wrong.stderr, /^gpulab: nightly: must be \+NAME/);
  assert.equal((await gpulab('pin', 'latest')).stdout, `${id} pinned\n`);
  assert.equal((await lab.run(id)).pinned, true);
  const pinned = await gpulab('delete', id);
  assert.equal(pinned.code, USAGE);
  assert.match(pinned.stderr, /pinned/);
  assert.equal(JSON.parse((await gpulab('unpin', id, '--json')).stdout).pinned, false);
  assert.equal((await gpulab('publish', id)).stdout, `${id} public\n`);
  assert.equal((await lab.run(id)).public, true);
  assert.equal((await gpulab('unpublish', id)).stdout, `${id} not public\n`);
}));

test('tag reads the run again when it was changed meanwhile', async (t) => {
  const place = new Place(t);
  const run = { id: '01993c2f-1a2b-7abc-8000-000000000001', revision: 1, tags: ['a'] };
  const matched = [];
  const server = http.createServer((request, response) => {
    let [status, document] = [200, request.url === `/api/v1/runs/${run.id}` ? run : { name: 'gpulab', runs: [run], next: null }];
    if (request.method === 'PATCH') {
      matched.push(request.headers['if-match']);
      if (matched.length === 1) {
        [status, document] = [412, { detail: 'The run has changed.' }];
        Object.assign(run, { revision: 2, tags: ['b'] });
      }
    }
    request.resume().on('end', () => response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(document)));
  }).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  const tagged = await place.gpulab(['tag', run.id, '+c', '--server', `http://127.0.0.1:${server.address().port}`]);
  assert.deepEqual([tagged.code, tagged.stderr], [SUCCESS, '']);
  assert.deepEqual(matched, ['"1"', '"2"']);
});

test('run --dry-run says what a run would take, and runs nothing', (t) => withCommands(t, {}, async (lab, gpulab) => {
  const one = await gpulab('run', 'transfer', '--set', 'max_bytes=4KiB', '--dry-run');
  assert.equal(one.code, SUCCESS, one.stderr);
  assert.match(one.stdout, /^experiment +points +time +device memory +host memory\ntransfer +\d+ +\d+ (s|min|h) +/);
  const all = JSON.parse((await gpulab('run', 'all', '--quick', '--dry-run', '--json')).stdout);
  assert.ok(all.transfer.points > 0 && all.matmul.points > 0);
  const wrong = await gpulab('run', 'transfer', '--set', 'colour=red', '--dry-run');
  assert.equal(wrong.code, USAGE);
  assert.match(wrong.stderr, /^gpulab: colour: /);
  assert.deepEqual((await lab.get('/api/v1/runs')).json.runs, []);
}));

test('run --priority is the priority of the run', (t) => withCommands(t, {}, async (lab, gpulab) => {
  const command = await gpulab('run', 'transfer', ...quick, '--priority', 'low', '--json');
  assert.equal(command.code, SUCCESS, command.stderr);
  assert.equal(JSON.parse(command.stdout).priority, 'low');
  assert.equal((await gpulab('run', 'transfer', '--priority', 'high')).code, USAGE);
}));

test('the history can be read when no lab serves the database; nothing queued there is started', async (t) => {
  const place = new Place(t);
  const saved = await place.gpulab(place.run(quick, '--note', 'saved'));
  assert.equal(saved.code, SUCCESS, saved.stderr);
  await withLab({ folder: place.folder, database: place.database }, async (lab) => {
    await lab.request('PUT', '/api/v1/queue', { json: { paused: true } });
    await lab.submit(small, { note: 'queued' });
  });
  const options = ['--db', place.database, '--json'];
  const list = () => place.gpulab(['runs', ...options], { env: { GPULAB_WORKER: '/nonexistent' } });
  for (const listed of await Promise.all([list(), list(), list()])) { // they wait for each other, and say so after a second
    assert.equal(listed.code, SUCCESS, listed.stderr);
    assert.match(listed.stderr, /^(gpulab: waiting for the process that uses .*\n)?$/);
    assert.deepEqual(JSON.parse(listed.stdout).runs.map((run) => [run.note, run.status]), [['queued', 'queued'], ['saved', 'succeeded']]);
  }
  assert.equal((await place.gpulab(['cancel', 'latest', ...options])).code, SUCCESS);
  assert.equal((await place.gpulab(['show', 'latest', '--db', place.database])).code, CANCELLED);
});

test('the token of --token-file is sent; a file that others can read is refused', async (t) => {
  const place = new Place(t);
  const seen = [];
  const server = http.createServer((request, response) => {
    seen.push(request.headers.authorization);
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify(request.url === '/api/v1/version' ? { name: 'gpulab' } : { runs: [], next: null }));
  }).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  const file = join(place.folder, 'token');
  writeFileSync(file, 'gpulab_secret\n', { mode: 0o600 });
  const list = (...args) => place.gpulab(['runs', '--server', `http://127.0.0.1:${server.address().port}`, ...args]);
  assert.equal((await list('--token-file', file)).code, SUCCESS);
  assert.deepEqual(seen, ['Bearer gpulab_secret', 'Bearer gpulab_secret']);
  chmodSync(file, 0o640);
  const open = await list('--token-file', file);
  assert.equal(open.code, USAGE);
  assert.match(open.stderr, new RegExp(`^gpulab: --token-file: .*chmod 600 '${file}'`));
  for (const text of ['', 'two\nlines\n', 'x'.repeat(300)]) {
    writeFileSync(file, text);
    chmodSync(file, 0o600);
    const wrong = await list('--token-file', file);
    assert.equal(wrong.code, USAGE);
    assert.match(wrong.stderr, /must contain one line/);
  }
  assert.equal(seen.length, 2, 'nothing was sent with a wrong file');
});
