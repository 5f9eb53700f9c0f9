// A full disk, and database files that are not usable.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statfsSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { problem } from '../harness/expect.mjs';
import { build, Lab, small, temporaryFolder, until, withLab } from '../harness/lab.mjs';

/** A folder on a disk of 1.5 MiB; undefined when this user may not mount one. */
function smallDisk() {
  const folder = mkdtempSync(join(tmpdir(), 'gpulab-disk-'));
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1536k', 'gpulab-test', folder]).status === 0) return folder;
  rmSync(folder, { recursive: true });
  return undefined;
}

const many = { ...small, max_bytes: 65536, factor: 1.1, direction: ['h2d', 'd2h'], min_samples: 400, max_samples: 400, max_noise: 0 };

async function fill(lab) {
  for (let i = 0; i < 400; i += 1) {
    const answer = await lab.post('/api/v1/runs', { experiment: 'transfer', parameters: many, note: 'x'.repeat(4000) });
    if (answer.status !== 202) return answer;
  }
  assert.fail('the disk is not full after 400 runs');
  return undefined;
}

/** Fills the disk, checks that the lab still answers, calls `free` and checks that runs are accepted again. */
async function checkFullDisk(lab, free) {
  const refused = await fill(lab);
  problem(refused, 503);
  assert.ok(Number(refused.headers['retry-after']) > 0);
  assert.match(refused.json.detail, /full|disk|space|store/i);
  assert.equal((await lab.get('/healthz')).status, 200);
  assert.equal((await lab.get('/api/v1/runs?limit=5')).status, 200, 'lists are still read');
  await until(async () => { // a smaller write of the run in progress may still succeed
    if ((await lab.get('/readyz')).status === 503) return true;
    await fill(lab);
    return false;
  }, 'the lab says that it is not ready');
  await lab.request('PUT', '/api/v1/queue', { json: { paused: true } });
  await free();
  await until(async () => {
    const answer = await lab.post('/api/v1/runs', { experiment: 'transfer', parameters: small });
    return answer.status === 202;
  }, 'runs are accepted again');
  assert.equal((await lab.get('/readyz')).status, 200);
}

test('a full disk: 503 for new runs, lists are still read, and with free space runs are accepted again', async (t) => {
  const folder = smallDisk();
  if (!folder) return t.skip('this user may not mount');
  const lab = new Lab({ database: join(folder, 'lab.db') }), told = [];
  const receiver = http.createServer((request, response) => {
    request.setEncoding('utf8').on('data', (text) => told.push(JSON.parse(text))).on('end', () => response.end());
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  try {
    await lab.start();
    const address = `http://127.0.0.1:${receiver.address().port}/`;
    await lab.post('/api/v1/channels', { name: 'ops', kind: 'webhook', address, private: true });
    await lab.post('/api/v1/watches', { channel: 'ops', kind: 'disk' });
    await checkFullDisk(lab, async () => {
      await until(() => told.length > 0, 'the full disk is told');
      execFileSync('mount', ['-o', 'remount,size=64m', folder]);
    });
    assert.equal((await lab.get('/api/v1/notices')).json.notices[0].state, 'sent');
    assert.deepEqual(told.map(({ kind, title }) => [kind, title]), [['disk', 'The lab cannot store results']]);
    assert.match(told[0].text, /full|disk|space/i);
    assert.equal(execFileSync('sqlite3', [lab.database, 'PRAGMA integrity_check'], { encoding: 'utf8' }).trim(), 'ok');
    await lab.close();
  } finally {
    receiver.close();
    if (lab.child) await lab.stop();
    spawnSync('umount', [folder]);
    rmSync(folder, { recursive: true, force: true });
  }
});

test('a file that may not grow: 503 instead of SIGXFSZ', async () => {
  // prlimit counts bytes: the database, its log and what else the server writes may each reach 1 MiB.
  await withLab({ wrap: ['prlimit', `--fsize=${1 << 20}`] }, async (lab) => {
    problem(await fill(lab), 503);
    assert.equal((await lab.get('/healthz')).status, 200);
    assert.equal((await lab.get('/api/v1/runs?limit=5')).status, 200);
  });
});

test('a database of a newer version is refused and not changed', async () => {
  const folder = temporaryFolder();
  const database = join(folder, 'lab.db');
  try {
    const lab = await Lab.start({ folder, database });
    await lab.complete(small);
    await lab.close();
    execFileSync('sqlite3', [database, 'PRAGMA user_version = 9999']);
    const before = readFileSync(database);
    const { mtimeMs } = statSync(database);
    await assert.rejects(Lab.start({ folder, database }), /9999/);
    assert.ok(before.equals(readFileSync(database)));
    assert.equal(statSync(database).mtimeMs, mtimeMs);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

/** Makes of a database of this version one of schema 10, by undoing the later migrations. */
function makeOld(database) {
  const later = { measurement: ['shape', 'counters'], run: ['program', 'findings', 'public', 'messages', 'secret_until', 'challenge'], span: ['details'] };
  const columns = Object.entries(later).flatMap(([table, names]) => names.map((name) => `ALTER TABLE ${table} DROP COLUMN ${name};`));
  execFileSync('sqlite3', [database, `DROP TABLE comment; DROP TABLE notice; DROP TABLE watch; DROP TABLE channel; DROP INDEX run_id_end; DROP INDEX run_requested_by; DROP INDEX run_challenge; DROP INDEX run_secret_until; ${columns.join(' ')} DROP TABLE challenge; PRAGMA user_version = 10`]);
}

/** The lines of an export, in an order that does not depend on the database. */
async function exported(lab) {
  return (await lab.get('/api/v1/export?samples=true')).text.split('\n').sort();
}

test('an older database is copied before it is migrated, and its export stays the same', async () => {
  const folder = temporaryFolder(), database = join(folder, 'lab.db'), copy = `${database}.schema-10`;
  try {
    const first = await Lab.start({ folder, database });
    await first.complete(small);
    const before = await exported(first);
    assert.ok(before.length > 3);
    await first.close();
    makeOld(database);
    const second = await Lab.start({ folder, database });
    assert.match(second.log, new RegExp(`schema 10 and is migrated; a copy of it as it was is ${copy}\n`));
    assert.deepEqual(await exported(second), before);
    await second.close();
    assert.equal(statSync(copy).mode & 0o777, 0o600);
    assert.equal(execFileSync('sqlite3', [copy, 'PRAGMA user_version; PRAGMA integrity_check'], { encoding: 'utf8' }), '10\nok\n');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('an older database whose copy does not fit on the disk is refused and not changed', async (t) => {
  const folder = smallDisk(), database = folder && join(folder, 'lab.db');
  if (!folder) return t.skip('this user may not mount');
  try {
    const lab = await Lab.start({ database });
    await lab.complete(small);
    await lab.close();
    makeOld(database);
    const { bavail, bsize } = statfsSync(folder);
    writeFileSync(join(folder, 'another file'), Buffer.alloc(bavail * bsize - 64 * 1024));
    const before = readFileSync(database);
    await assert.rejects(Lab.start({ database }), /schema 10 and cannot be copied before it is migrated: it needs \d+ bytes, but \d+ are free; free disk space/);
    assert.ok(before.equals(readFileSync(database)));
    execFileSync('mount', ['-o', 'remount,size=64m', folder]);
    await (await Lab.start({ database })).close();
    assert.ok(existsSync(`${database}.schema-10`));
  } finally {
    spawnSync('umount', [folder]);
    rmSync(folder, { recursive: true, force: true });
  }
});

test('a file that is not a database is refused and not changed', async () => {
  const folder = temporaryFolder();
  const database = join(folder, 'lab.db');
  try {
    writeFileSync(database, 'This is a letter, not a database. '.repeat(200));
    const before = readFileSync(database);
    await assert.rejects(Lab.start({ folder, database }), /not a database/i);
    assert.ok(before.equals(readFileSync(database)));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('a folder that cannot be created is named', async () => {
  const folder = temporaryFolder();
  try {
    writeFileSync(join(folder, 'file'), '');
    await assert.rejects(Lab.start({ folder, database: join(folder, 'file', 'lab.db') }), /file\/lab\.db|Not a directory/);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('without a worker the history is served, runs wait, and a worker that appears is used', async () => {
  const folder = temporaryFolder();
  const worker = join(folder, 'gpulab-worker');
  const missing = new RegExp(worker);
  await withLab({ args: ['--worker', worker] }, async (lab) => {
    assert.match(lab.log, missing);
    assert.deepEqual((await lab.get('/api/v1/devices')).json, { devices: [], machine: null });
    assert.deepEqual((await lab.get('/api/v1/runs')).json, { runs: [], next: null });
    problem(await lab.get('/readyz'), 503);
    const refused = await lab.post('/api/v1/runs', { experiment: 'transfer', parameters: small });
    problem(refused, 503);
    assert.match(refused.json.detail, missing);
    assert.match((await lab.get('/api/v1/queue')).json.held, missing);
    symlinkSync(join(build, 'gpulab-worker'), worker);
    await until(async () => (await lab.get('/readyz')).status === 200, 'the worker is found');
    await lab.complete(small);

    // It disappears again: runs are kept. A run that reaches a worker that is being killed fails, since no other one
    // can be started; so the lab must have read the worker's exit status first, with which its process disappears.
    rmSync(worker);
    const killed = lab.worker();
    process.kill(killed, 'SIGKILL');
    await until(() => !existsSync(`/proc/${killed}`), 'the lab has seen that its worker has ended');
    const runs = [await lab.submit(small), await lab.submit(small)];
    await until(async () => missing.test((await lab.get('/api/v1/queue')).json.held), 'the queue is held');
    for (const { id } of runs) assert.equal((await lab.run(id)).status, 'queued');
    symlinkSync(join(build, 'gpulab-worker'), worker);
    for (const { id } of runs) await lab.reach(id, 'succeeded');
  });
  rmSync(folder, { recursive: true });
});
