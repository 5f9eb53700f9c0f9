// The SASS of a compiled source: gpulab-compiler --disassemble, which becomes nvdisasm in a sandbox, and options.sass
// of POST /api/v1/compile. Scripts stand for nvdisasm. The API needs NVRTC; nothing needs a GPU.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { execute, temporaryFolder, withLab } from '../harness/lab.mjs';
import { disassembles, nvdisasmIn } from '../harness/nvdisasm.mjs';

const { error, compiler } = JSON.parse((await execute('gpulab-compiler', [], { input: '{}' })).stdout);
const skip = error && `no NVRTC: ${error.detail}`;
const skipWithoutLandlock = !compiler?.protection.includes('landlock') && 'Landlock is not known to be in effect';
const request = { source: '__global__ void k(int *p) { p[0] = 1; }\n', architecture: 'sm_90' };

/** A folder with an nvdisasm that runs these commands; returns {folder, env}. */
function standIn(commands) {
  const folder = temporaryFolder();
  return { folder, env: nvdisasmIn(folder, commands) };
}

/** What gpulab-compiler makes of a cubin with such an nvdisasm. */
function disassemble(commands, { input = '\x7fELF\n', options = [] } = {}) {
  const { env } = standIn(commands);
  return execute('gpulab-compiler', ['--disassemble', ...options], { env, input });
}

test('nvdisasm gets the whole cubin as a file, and no variables', async () => {
  const { code, stdout, stderr } = await disassemble(`${disassembles}\nread -r line < "$3"; echo "\${#line} [$HOME]"`, { input: `\x7fELF${'x'.repeat(1 << 20)}\n` });
  assert.deepEqual([code, stdout, stderr], [0, `/*0000*/ EXIT ; -c -gi\n${(1 << 20) + 4} []\n`, '']);
});

test('nvdisasm cannot read other files, write any, or start programs', { skip: skipWithoutLandlock }, async () => {
  const outside = temporaryFolder();
  writeFileSync(join(outside, 'secret'), 'secret\n');
  const { folder, env } = standIn('');
  const commands = [`read -r line < ${outside}/secret && echo "$line"`, `echo x > ${outside}/written && echo written`, `echo x > ${folder}/written && echo beside`,
    'true < /proc/$PPID/environ && echo environment', 'exec /bin/true'];
  for (const command of commands) {
    nvdisasmIn(folder, `echo begin\n${command} || exit 9`);
    const free = execFileSync(join(folder, 'nvdisasm'), { encoding: 'utf8' });
    const { code, stdout } = await execute('gpulab-compiler', ['--disassemble'], { env, input: 'x' });
    assert.ok(free.startsWith('begin\n') && (command.startsWith('exec') || free.split('\n').length === 3), free);
    assert.ok(code !== 0 && stdout === 'begin\n', `${command}: ${code}, ${stdout}`);
  }
});

test('nvdisasm cannot start processes, which could outlive it', async () => {
  const { folder, env } = standIn('');
  for (const command of ['( echo child )', 'echo child &', '/bin/true && echo child', 'text=$(echo child) && echo $text']) {
    nvdisasmIn(folder, `echo begin\n${command}\nwait`);
    assert.equal(execFileSync(join(folder, 'nvdisasm'), { encoding: 'utf8' }), 'begin\nchild\n');
    const { code, stdout } = await execute('gpulab-compiler', ['--disassemble'], { env, input: 'x' });
    assert.ok(code !== 0 && stdout === 'begin\n', `${command}: ${code}, ${stdout}`);
  }
});

test('nvdisasm that never ends is ended by the limit of processor time', async () => {
  const { signal } = await disassemble('while :; do :; done', { options: ['--processor-seconds', '1'] });
  assert.match(signal, /^SIG(XCPU|KILL)$/);
});

test('a cubin of more than 16 MiB is refused', async () => {
  const { code, stderr } = await disassemble(disassembles, { input: 'x'.repeat((16 << 20) + 1) });
  assert.deepEqual([code, stderr], [1, 'The cubin is larger than 16 MiB.\n']);
});

/** Compiles in a lab with such an nvdisasm, and returns the answer. */
async function compileWith(commands, options) {
  let answer;
  await withLab({ env: standIn(commands).env }, async (lab) => {
    answer = await lab.post('/api/v1/compile', { ...request, options });
    assert.deepEqual((await lab.get('/api/v1/compiler')).json, answer.json.compiler);
  });
  assert.deepEqual([answer.status, answer.json.status], [200, 'compiled']);
  return answer.json;
}

const notes = ({ messages }) => messages.map(({ severity, text }) => `${severity}: ${text}`);

test('the answer has the SASS on request', { skip }, async () => {
  const answer = await compileWith(disassembles, { sass: true, fast_math: true });
  assert.deepEqual([answer.sass, answer.compiler.sass, answer.cubin, notes(answer)], ['/*0000*/ EXIT ; -c -gi\n', true, undefined, []]);
  assert.equal((await compileWith(disassembles, { sass: false })).sass, undefined);
});

test('a source without SASS is compiled all the same, with a note', { skip }, async () => {
  const answer = await compileWith('echo half; echo broken cubin >&2; exit 7', { sass: true });
  assert.equal(answer.sass, undefined);
  assert.deepEqual(notes(answer), ['note: There is no SASS: nvdisasm exited with code 7. broken cubin']);
  assert.match(answer.ptx, /\.target sm_90/);
});

test('SASS of more than 4 MiB is cut', { skip }, async () => {
  const { sass, messages } = await compileWith(`while :; do echo "${'/*0000*/ EXIT ; é\n'.repeat(2000)}"; done`, { sass: true });
  const lines = sass.split('\n');
  assert.ok(Buffer.byteLength(sass) <= 4 << 20 && Buffer.byteLength(sass) > 2 << 20);
  assert.deepEqual([lines.pop(), lines.pop(), lines.pop()], ['', '// The rest is left out: the SASS is longer than 4 MiB.', '/*0000*/ EXIT ; é']);
  assert.deepEqual(messages, []);
});
