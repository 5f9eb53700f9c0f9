// Hostile programs (tests/sandbox/hostile.c) through a whole lab, with bubblewrap and with Landlock and seccomp alone: what each gets, that
// nothing of it is left, and that the next run works. Not tried, for want of a GPU: programs that exhaust or hang one, or crash in the trace.
import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { execute, Lab, temporaryFolder } from '../harness/lab.mjs';
import { root } from '../style/files.mjs';

const source = `#define _GNU_SOURCE\n${readFileSync(join(root, 'tests/sandbox/hostile.c'), 'utf8')}`;
const isRoot = process.getuid() === 0;

/** The attacks that a program of the lab gets nothing from: it exits with 0, and prints nothing. */
const nothing = (place) => [
  ['read', '/etc/shadow'], ['read', place.database], ['read', place.secret], ['read', `/proc/${place.lab.pid}/environ`],
  ['read', '/dev/mem'], ['symlink', place.secret], ['link', place.secret], ['write', place.secret], ['write', join(place.folder, 'left')],
  ['write', '/usr/bin/left'], ['write', '/etc/left'], ['tcp', String(place.lab.port)], ['udp', String(place.lab.port)],
  ['abstract', 'gpulab'], ['unix', `${place.database}.sock`], ['sockets'], ['signal', String(place.lab.pid)], ['signal', String(place.worker)],
  ['trace', String(place.worker)], ['namespace'], ['calls'],
];

/** The attacks that end the program, how, and a time limit that is not the reason unless it shall be. */
const ended = [
  ...['loop', 'output', 'stop', 'close'].map((name) => [name, /longer than its time limit/, 0.5]),
  ['bomb', /more processes and threads than its limit/, 50], ['deep', /wrote more into its folder/, 50],
  ['crash', /SIGSEGV/, 50], ['group', /SIGKILL/, 50],
];

/** The ids of the processes that work in a folder or below. */
const processesIn = (folder) => readdirSync('/proc').filter((id) => {
  try {
    return readlinkSync(`/proc/${id}/cwd`).startsWith(folder);
  } catch {
    return false; // no process, or one that has ended
  }
});

/** Starts a lab that has one way of protection, and gives `attack`, which executes the program with arguments and a time limit,
 * and returns its run. */
async function open(way) {
  const folder = temporaryFolder(), stubs = temporaryFolder();
  const [database, secret, programs] = ['lab.db', 'secret', 'programs'].map((name) => join(folder, name));
  mkdirSync(programs);
  writeFileSync(secret, 'secret\n');
  chmodSync(folder, 0o777); // only the sandbox keeps programs from it
  chmodSync(secret, 0o666);
  writeFileSync(join(stubs, 'bwrap'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  const token = await execute('gpulab', ['token', 'add', 'ana', '--role', 'operator', '--db', database], { folder });
  assert.equal(token.code, 0, token.stderr);
  const headers = { authorization: `Bearer ${token.stdout.trim()}` };
  const lab = await Lab.start({ folder, database, args: ['--allow-programs', ...(isRoot ? ['--program-user', 'nobody'] : [])],
    env: { SECRET: 'of the lab', TMPDIR: programs, ...(way === 'landlock' ? { PATH: `${stubs}:${process.env.PATH}` } : {}) } });
  lab.run = async (id) => (await lab.get(`/api/v1/runs/${id}`, headers)).json;
  const attack = async (passed, limit_s = 50) => {
    const request = { experiment: 'program', parameters: { limit_s }, program: { files: { 'main.c': source }, arguments: passed } };
    const answer = await lab.post('/api/v1/runs', request, headers);
    assert.equal(answer.status, 202, answer.text);
    return lab.reach(answer.json.id);
  };
  return { folder, database, secret, programs, lab, attack };
}

for (const way of ['bubblewrap', 'landlock']) {
  test(`hostile programs get nothing from a lab with ${way}`, async (context) => {
    const place = await open(way);
    try {
      const greeted = await place.attack(['greet', 'you']);
      if (!greeted.notes?.join('\n').includes(`in a sandbox: ${way}`)) return context.skip(`${way} does not work here: ${greeted.error?.detail}`);
      assert.match(greeted.error.detail, /exited with code 7/);
      place.worker = place.lab.worker();
      for (const [name, argument] of nothing(place)) {
        const run = await place.attack([name, argument].filter(Boolean));
        assert.deepEqual({ name, argument, status: run.status, output: run.output ?? '' }, { name, argument, status: 'succeeded', output: '' });
      }
      for (const [name, detail, limit_s] of ended) {
        const run = await place.attack([name], limit_s);
        assert.equal(run.status, 'failed', name);
        assert.match(run.error.detail, detail, name);
        assert.ok(Buffer.byteLength(run.output ?? '') <= 1 << 20, name);
      }
      assert.doesNotMatch((await place.attack(['environment'])).output, /SECRET|GPULAB_LOCK_DIR|XDG_/);
      for (const name of ['daemon', 'run-away', 'thread']) assert.equal((await place.attack([name])).status, 'succeeded', name);
      assert.match((await place.attack(['greet', 'you'])).output, /hello you/);
      assert.equal(readFileSync(place.secret, 'utf8'), 'secret\n');
      assert.equal(existsSync(join(place.folder, 'left')), false);
      assert.deepEqual({ processes: processesIn(place.programs), folders: readdirSync(place.programs) }, { processes: [], folders: [] });
    } finally {
      await place.lab.close();
    }
  });
}
