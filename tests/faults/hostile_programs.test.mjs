// Hostile programs (tests/sandbox/hostile.c), sources, requests and results through a whole lab, with bubblewrap and
// with Landlock and seccomp alone: what each gets, that nothing of it is left, and that the next run works. Those that
// need a GPU are in tests/gpu/programs.sh.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { problem } from '../harness/expect.mjs';
import { execute, Lab, long, temporaryFolder } from '../harness/lab.mjs';
import { root } from '../style/files.mjs';

const source = `#define _GNU_SOURCE\n${readFileSync(join(root, 'tests/sandbox/hostile.c'), 'utf8')}`;
const isRoot = process.getuid() === 0;

/** The attacks that a program of the lab gets nothing from: it exits with 0, and prints nothing. */
const nothing = (place) => [
  ['read', '/etc/shadow'], ['read', place.database], ['read', place.secret], ['read', `/proc/${place.lab.pid}/environ`],
  ['read', place.other], ['write', place.other], ['read', place.artefact()], ['write', place.artefact()], ['write', join(place.cache, 'left')],
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

const SECRET = 'int of_the_lab;\n'; // a source, so that a compiler that could include it would compile it

/** Starts a lab that has one way of protection: `request` sends a program, `execute` executes it with a time limit and
 * returns its run, `attack` does so with hostile.c and arguments; they are of ana, if no other person is named. */
async function open(way) {
  const folder = temporaryFolder(), stubs = temporaryFolder();
  const [database, secret, programs, caches] = ['lab.db', 'secret', 'programs', 'caches'].map((name) => join(folder, name));
  const another = join(programs, 'of-another'), other = join(another, 'file'), cache = join(caches, 'gpulab', 'programs');
  for (const name of [programs, caches, another]) mkdirSync(name);
  writeFileSync(secret, SECRET);
  writeFileSync(other, SECRET);
  chmodSync(folder, 0o777); // only the sandbox keeps programs from it, and from the files
  for (const name of [secret, other, another]) chmodSync(name, 0o777);
  writeFileSync(join(stubs, 'bwrap'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  const people = {};
  for (const person of ['ana', 'bo']) {
    const token = await execute('gpulab', ['token', 'add', person, '--role', 'operator', '--db', database], { folder });
    assert.equal(token.code, 0, token.stderr);
    people[person] = { authorization: `Bearer ${token.stdout.trim()}` };
  }
  const lab = await Lab.start({ folder, database, args: ['--allow-programs', ...(isRoot ? ['--program-user', 'nobody'] : [])],
    env: { SECRET: 'of the lab', TMPDIR: programs, XDG_CACHE_HOME: caches, ...(way === 'landlock' ? { PATH: `${stubs}:${process.env.PATH}` } : {}) } });
  lab.run = async (id) => (await lab.get(`/api/v1/runs/${id}`, people.ana)).json;
  const request = (program, limit_s = 50, person = 'ana') => lab.post('/api/v1/runs', { experiment: 'program', parameters: { limit_s }, program }, people[person]);
  const executeProgram = async (program, limit_s, person) => {
    const answer = await request(program, limit_s, person);
    assert.equal(answer.status, 202, answer.text);
    return lab.reach(answer.json.id);
  };
  const attack = (passed, limit_s) => executeProgram({ files: { 'main.c': source }, arguments: passed }, limit_s);
  /** What was compiled first; only the sandbox keeps programs from it. */
  const artefact = () => {
    const path = join(cache, readdirSync(cache).find((name) => name.endsWith('.out')));
    for (const name of [caches, join(caches, 'gpulab'), cache, path]) chmodSync(name, 0o755);
    return path;
  };
  return { folder, database, secret, programs, other, cache, artefact, lab, request, execute: executeProgram, attack };
}

/** Asserts that the programs have left nothing and changed nothing. */
function assertUntouched(place) {
  for (const name of [place.secret, place.other]) assert.equal(readFileSync(name, 'utf8'), SECRET);
  assert.equal(existsSync(join(place.folder, 'left')), false);
  assert.deepEqual(readdirSync(place.cache).filter((name) => !/^[0-9a-f]{48}\.(out|log|key)$/.test(name)), []);
  assert.deepEqual({ processes: processesIn(place.programs), folders: readdirSync(place.programs) }, { processes: [], folders: ['of-another'] });
}

for (const way of ['bubblewrap', 'landlock']) {
  test(`hostile programs get nothing from a lab with ${way}`, async (context) => {
    const place = await open(way);
    try {
      const greeted = await place.attack(['greet', 'you']);
      if (greeted.environment?.sandbox.protection !== way) return context.skip(`${way} does not work here: ${greeted.error?.detail}`);
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
      assertUntouched(place);
    } finally {
      await place.lab.close();
    }
  });
}

/** Sources that a compiler must reject, because it cannot read what they name. */
const rejected = (place) => [place.secret, place.other, place.database, place.artefact(), '/etc/shadow', `/proc/${place.lab.pid}/environ`]
  .flatMap((path) => [`#include "${path}"\nint main(void) { return 0; }\n`, `__asm__(".incbin \\"${path}\\"");\nint main(void) { return 0; }\n`]);

const empty = 'int main(void) { return 0; }\n';

/** Requests that are refused, and the pointers of their errors. */
const refused = [
  ...['../main.c', '/tmp/main.c', 'a/../main.c', 'a//main.c', '.tmp/main.c', 'a/.main.c', '-fplugin=main.c', '@main.c', 'a\nb.c', 'a b.c', '$(id).c', `${'a'.repeat(95)}.c`, 'a/b/c/d/main.c', '']
    .map((name) => [{ files: { 'main.c': empty, [name]: empty } }, `/program/files/${name.replaceAll('/', '~1')}`]),
  [{ files: Object.fromEntries(Array.from({ length: 33 }, (_, at) => [`main${at}.c`, empty])) }, '/program/files'],
  [{ files: Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`data${at}`, ''])) }, '/program/files'],
  [{ files: { 'main.c': `${empty}//${'x'.repeat(512 * 1024)}` } }, '/program/files'],
  [{ files: { 'main.c': empty }, arguments: Array(65).fill('x') }, '/program/arguments'],
  [{ files: { 'main.c': empty }, arguments: ['x'.repeat(1025)] }, '/program/arguments/0'],
  [{ files: { 'main.c': empty }, stdin: 'x'.repeat(256 * 1024 + 1) }, '/program/stdin'],
  [{ files: { 'main.c': empty }, options: { plugin: 'main.so' } }, '/program/options/plugin'],
  [{ files: { 'main.c': empty }, options: { defines: ['A=1 -fplugin=main.so'] } }, '/program/options/defines/0'],
  [{ files: { 'main.c': empty }, options: { defines: ['@main.txt'] } }, '/program/options/defines/0'],
  [{ files: { 'main.c': empty }, options: { libraries: ['/lib/libc.so.6'] } }, '/program/options/libraries/0'],
  [{ files: { 'main.c': empty }, options: { std: '@main.txt' } }, '/program/options/std'],
];

/** Writes its arguments to the descriptor of results. */
const forger = `#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(int count, char **lines)
{
    int results = atoi(getenv("GPULAB_RESULTS_FD"));
    for (int i = 1; i < count; i++)
        if (write(results, lines[i], strlen(lines[i])) < 0)
            return 1;
    return 0;
}
`;

/** Lines of results that are refused, as they claim what cannot be or is not the program's to say. */
const forged = (another) => [
  '{"metric":"time","value":NaN,"unit":"s"}', '{"metric":"time","value":-1,"unit":"s"}', '{"metric":"time","value":1e999,"unit":"s"}',
  '{"metric":"time","samples":[],"unit":"s"}', '{"metric":"time","value":1,"n":1e18}', '{"metric":"time","value":1,"unit":"s","verified":true}',
  '{"metric":"a\\u001b[2Jb","value":1}', '{"metric":"a\\u009bb","value":1}', '{"metric":"t","value":1,"axes":{"a\\nb":1}}', `{"metric":"${'t'.repeat(129)}","value":1}`,
  `{"metric":"time","value":1,"run":"${another}"}`, `{"type":"run","id":"${another}","status":"failed"}`, `${'['.repeat(900)}`, 'no JSON',
];

for (const way of ['bubblewrap', 'landlock']) {
  test(`hostile sources, requests and results get nothing from a lab with ${way}`, async (context) => {
    const place = await open(way);
    try {
      const greeted = await place.attack(['greet', 'you']);
      if (greeted.environment?.sandbox.protection !== way) return context.skip(`${way} does not work here: ${greeted.error?.detail}`);
      for (const text of rejected(place)) {
        const run = await place.execute({ files: { 'main.c': text } });
        assert.deepEqual([run.status, run.error.type], ['failed', '/problems/compile-failed'], text);
        assert.doesNotMatch(run.output, /of_the_lab|SQLite|root:/, text);
      }
      for (const [program, pointer] of refused) problem(await place.request(program), 422, pointer);
      const kept = () => readdirSync(place.cache).filter((name) => name.endsWith('.out')).length;
      const before = kept();
      for (const [person, more] of [['ana', 1], ['bo', 2], ['ana', 2]]) {
        assert.equal((await place.execute({ files: { 'main.c': empty } }, 50, person)).status, 'succeeded');
        assert.equal(kept(), before + more, `what was built for another person is not that of ${person}`);
      }
      const plugin = await place.execute({ files: { 'main.c': `#pragma GCC optimize("-fplugin=./plugin.so")\n${empty}`, 'plugin.so': 'x' } });
      assert.match(plugin.output, /bad option .*-fplugin/);
      const named = await place.execute({ files: { 'main.c': '#include "gpulab.h"\nint main(void) { return puts("mine") < 0; }\n', 'gpulab-program.out': '#!/bin/sh\necho other\n', 'gpulab-0.o': 'x', 'a.out': 'x' } });
      assert.deepEqual([named.status, named.output], ['succeeded', 'mine\n']);
      const many = await place.execute({ files: { 'main.c': '#include <stdio.h>\nint main(int n, char **a) { return printf("%d %s\\n", n, a[64] + 1017) < 0; }\n' }, arguments: Array(64).fill(`${'$(id)`\';\\'.repeat(113)}1234`) });
      assert.deepEqual([many.status, many.output], ['succeeded', '65 1234\n']);
      for (const line of forged(greeted.id)) {
        const run = await place.execute({ files: { 'main.c': forger }, arguments: [line] });
        assert.equal(run.status, 'failed', line);
        assert.match(run.error.detail, /^The results of the program are not of the format gpulab: Line 1: /, line);
      }
      const taken = await place.execute({
        files: { 'main.c': forger }, name: 'mine',
        arguments: ['{"metric":"elapsed","value":1e-9,"unit":"s"}\n', '{"metric":"<img src=x>","value":1,"unit":"<b>","axes":{"program":"theirs","side":"base"}}\n'],
      });
      assert.match(taken.warnings.join(), /'elapsed' is left out, because gpulab measures it itself/);
      assert.deepEqual(taken.measurements.map(({ metric, unit, axes, side }) => [metric, unit, axes, side]), [
        ['elapsed', 's', { program: 'mine' }, null], ['processor', 's', { program: 'mine' }, null],
        ['<img src=x>', '<b>', { program: 'mine', axis_program: 'theirs', side: 'base' }, null],
      ]);
      assert.ok(taken.measurements[0].median > 1e-6);
      assert.deepEqual(await place.lab.run(greeted.id), greeted);
      assert.match((await place.attack(['greet', 'you'])).output, /hello you/);
      assertUntouched(place);
    } finally {
      await place.lab.close();
    }
  });
}

/** Mounts a file system of that size in memory on a folder; false where that is not possible. */
const mount = (folder, size) => spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=777`, 'gpulab-test', folder]).status === 0;

test('on a full disk programs end with the reason, and work again when there is space', async (context) => {
  const place = await open('bubblewrap');
  const mounted = [[place.programs, '64m'], [join(place.folder, 'caches'), '4k']].filter(([folder, size]) => mount(folder, size));
  try {
    if (mounted.length < 2) return context.skip('file systems cannot be mounted here');
    const full = join(place.programs, 'full');
    writeFileSync(full, Buffer.alloc(61 << 20));
    const run = await place.attack(['loop']);
    assert.equal(run.status, 'failed');
    assert.match(run.error.detail, /disk|file system/);
    rmSync(full);
    for (let at = 0; at < 2; at += 1) assert.match((await place.attack(['greet', 'you'])).output, /hello you/);
    assert.deepEqual(readdirSync(place.programs), []);
    assert.deepEqual(existsSync(place.cache) ? readdirSync(place.cache) : [], []);
  } finally {
    await place.lab.close();
    for (const [folder] of mounted) spawnSync('umount', [folder]);
  }
});

test('a source that its compiler reads without end is rejected for its memory', { skip: !long && 'takes 4 GiB of memory' }, async () => {
  const place = await open('bubblewrap');
  try {
    const run = await place.execute({ files: { 'main.c': `#include "/dev/zero"\n${empty}` } });
    assert.equal(run.status, 'failed');
    assert.match(`${run.error.detail}${run.output}`, /out of memory|more memory than its limit/);
    assert.match((await place.attack(['greet', 'you'])).output, /hello you/);
  } finally {
    await place.lab.close();
  }
});
