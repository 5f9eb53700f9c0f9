// The disk: full while runs are asked for and measured, and files that are not what they should be.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { problem } from '../harness/expect.mjs';
import { Lab, small, temporaryFolder, until, withLab } from '../harness/lab.mjs';

/** A folder that holds 1.5 MiB; undefined where this user may not mount. */
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
  assert.fail('the disk does not fill');
  return undefined;
}

async function goesOn(lab, free) {
  const refused = await fill(lab);
  problem(refused, 503);
  assert.ok(Number(refused.headers['retry-after']) > 0);
  assert.match(refused.text, /disk|full|store/i);
  assert.equal((await lab.get('/healthz')).status, 200);
  assert.equal((await lab.get('/api/v1/runs?limit=5')).status, 200, 'reading goes on');
  problem(await lab.get('/readyz'), 503);
  const { runs } = (await lab.get('/api/v1/runs?limit=500')).json;
  await lab.request('PUT', '/api/v1/queue', { json: { paused: true } });
  await free(runs);
  const run = await until(async () => {
    const answer = await lab.post('/api/v1/runs', { experiment: 'transfer', parameters: small });
    return answer.status === 202 && answer.json;
  }, 'runs are taken again');
  assert.ok(run.id);
  assert.equal((await lab.get('/readyz')).status, 200);
}

test('a full disk: 503, reading goes on, and with room again so does the lab', async (t) => {
  const folder = smallDisk();
  if (!folder) return t.skip('mounting a small disk is not allowed here');
  const lab = new Lab({ database: join(folder, 'lab.db') });
  try {
    await lab.start();
    await goesOn(lab, () => execFileSync('mount', ['-o', 'remount,size=64m', folder]));
    assert.equal(execFileSync('sqlite3', [lab.database, 'PRAGMA integrity_check'], { encoding: 'utf8' }).trim(), 'ok');
    await lab.close();
  } finally {
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

test('a database from the future is refused untouched', async () => {
  const folder = temporaryFolder();
  const database = join(folder, 'lab.db');
  try {
    const lab = await Lab.start({ folder, database });
    await lab.complete(small);
    await lab.close();
    execFileSync('sqlite3', [database, 'PRAGMA user_version = 9999']);
    const before = readFileSync(database);
    const { mtimeMs } = statSync(database);
    await assert.rejects(Lab.start({ folder, database }), /9999|newer|future/);
    assert.ok(before.equals(readFileSync(database)));
    assert.equal(statSync(database).mtimeMs, mtimeMs);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('a file that is no database is refused untouched', async () => {
  const folder = temporaryFolder();
  const database = join(folder, 'lab.db');
  try {
    writeFileSync(database, 'This is a letter, not a database. '.repeat(200));
    const before = readFileSync(database);
    await assert.rejects(Lab.start({ folder, database }), /not a database|database/i);
    assert.ok(before.equals(readFileSync(database)));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('a folder that cannot be made is said in a sentence', async () => {
  const folder = temporaryFolder();
  try {
    writeFileSync(join(folder, 'file'), '');
    await assert.rejects(Lab.start({ folder, database: join(folder, 'file', 'lab.db') }), /lab\.db|file/);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('a worker that is not there is said at once', async () => {
  await assert.rejects(Lab.start({ args: ['--worker', '/nowhere/gpulab-worker'] }), /nowhere/);
});
