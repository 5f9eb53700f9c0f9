// What other processes do to the files of a lab, and limits of open files.
import assert from 'node:assert/strict';
import { existsSync, linkSync, mkdirSync, symlinkSync, unlinkSync } from 'node:fs';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { Lab, execute, small, until, withLab } from '../harness/lab.mjs';

/** Starts a second server on a path, which must refuse to start; returns what it printed. */
async function refused(lab, path) {
  const { code, stderr } = await execute('gpulab', ['serve', '--listen', '127.0.0.1:0', '--runtime', 'host', '--db', path], { folder: lab.folder });
  assert.equal(code, 5, stderr);
  return stderr;
}

test('a second server is refused by each name of the database, and commands find the first one', () => withLab({}, async (lab) => {
  const folder = join(lab.folder, 'elsewhere'), link = join(folder, 'link.db'), hard = join(folder, 'hard.db');
  mkdirSync(folder);
  symlinkSync(lab.database, link);
  assert.match(await refused(lab, link), new RegExp(`in use by process ${lab.pid}`));
  const run = await lab.complete(small);
  const { code, stdout } = await execute('gpulab', ['runs', '--json', '--db', link], { folder: lab.folder });
  assert.equal(code, 0);
  assert.deepEqual(JSON.parse(stdout).runs.map(({ id }) => id), [run.id]);
  assert.ok(!existsSync(`${link}.sock`) && !existsSync(`${link}.lock`));
  linkSync(lab.database, hard);
  assert.match(await refused(lab, hard), /2 names \(hard links\)/);
  unlinkSync(link);
  symlinkSync(join(folder, 'absent.db'), link);
  assert.match(await refused(lab, link), /symbolic link to a file that does not exist/);
}));

test('the write-ahead log is removed: nothing more is acknowledged, and kill -9 loses nothing that was', () => withLab({}, async (lab) => {
  const run = await lab.complete(small);
  unlinkSync(`${lab.database}-wal`);
  const ready = await until(async () => {
    const answer = await lab.get('/readyz');
    return answer.status === 503 && answer;
  }, 'readyz is 503');
  assert.match(ready.text, /write-ahead log .*-wal was removed/);
  const answer = await lab.post('/api/v1/runs', { experiment: 'transfer', parameters: small });
  assert.deepEqual([answer.status, answer.json.type], [503, '/problems/store-unavailable']);
  assert.equal((await lab.run(run.id)).status, 'succeeded');
  await lab.kill();
  await lab.start();
  assert.equal((await lab.run(run.id)).status, 'succeeded');
  await lab.complete(small);
}));

/** Opens connections that ask for events, more than the lab has descriptors, and waits until each has an answer or is
 * closed: while all places have requests in progress, a further connection is refused. */
async function crowd(port, count) {
  const sockets = Array.from({ length: count }, () => connect(port, '127.0.0.1').on('error', () => {}));
  const decided = sockets.map((socket) => new Promise((resolve) => socket.once('data', resolve).once('close', resolve)));
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  for (const socket of sockets) socket.write('GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await Promise.all(decided);
  return sockets;
}

for (const files of [64, 128]) {
  test(`with ${files} open files, 200 connections lock nobody out`, () => withLab({ wrap: ['prlimit', `--nofile=${files}`] }, async (lab) => {
    const sockets = await crowd(lab.port, 200);
    for (let i = 0; i < 10; i++) assert.equal((await lab.get('/healthz')).status, 200);
    await lab.complete(small);
    sockets.forEach((socket) => socket.destroy());
  }));
}

test('too few open files are named as the reason', async () => {
  const lab = new Lab({ wrap: ['prlimit', '--nofile=16'] });
  await assert.rejects(lab.start(), /may open 16 files, of which \d+ are open, and needs \d+ more/);
  await lab.close();
});
