// The SASS of a compiled source: gpulab-compiler --disassemble, which becomes nvdisasm in a sandbox. Scripts stand for nvdisasm.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { execute, temporaryFolder } from '../harness/lab.mjs';
import { disassembles, nvdisasmIn } from '../harness/nvdisasm.mjs';

const { compiler } = JSON.parse((await execute('gpulab-compiler', [], { input: '{}' })).stdout);
const skipWithoutLandlock = !compiler?.protection.includes('landlock') && 'Landlock is not known to be in effect';
/** A folder with an nvdisasm that runs these commands, removed after the test; returns {folder, env}. */
function standIn(t, commands) {
  const folder = temporaryFolder();
  t.after(() => rmSync(folder, { recursive: true }));
  return { folder, env: nvdisasmIn(folder, commands) };
}

/** What gpulab-compiler makes of a cubin with such an nvdisasm. */
function disassemble(t, commands, { input = '\x7fELF\n', options = [] } = {}) {
  const { env } = standIn(t, commands);
  return execute('gpulab-compiler', ['--disassemble', ...options], { env, input });
}

test('nvdisasm gets the whole cubin as a file, and no variables', async (t) => {
  const { code, stdout, stderr } = await disassemble(t, `${disassembles}\nread -r line < "$2"; echo "\${#line} [$HOME]"`, { input: `\x7fELF${'x'.repeat(1 << 20)}\n` });
  assert.deepEqual([code, stdout, stderr], [0, `/*0000*/ EXIT ; -c\n${(1 << 20) + 4} []\n`, '']);
});

test('nvdisasm cannot read other files, write any, or start programs', { skip: skipWithoutLandlock }, async (t) => {
  const outside = temporaryFolder();
  t.after(() => rmSync(outside, { recursive: true }));
  writeFileSync(join(outside, 'secret'), 'secret\n');
  const { folder, env } = standIn(t, '');
  const commands = [`read -r line < ${outside}/secret && echo "$line"`, `echo x > ${outside}/written && echo written`, `echo x > ${folder}/written && echo beside`,
    ': < /proc/$PPID/environ && echo environment', '/bin/true && echo started'];
  nvdisasmIn(folder, `${commands.map((command) => `( ${command} )`).join('\n')}\necho end`);
  assert.equal(execFileSync(join(folder, 'nvdisasm'), { encoding: 'utf8' }), 'secret\nwritten\nbeside\nenvironment\nstarted\nend\n');
  const { code, stdout } = await execute('gpulab-compiler', ['--disassemble'], { env, input: 'x' });
  assert.deepEqual([code, stdout], [0, 'end\n']);
});

test('nvdisasm that never ends is ended by the limit of processor time', async (t) => {
  const { signal } = await disassemble(t, 'while :; do :; done', { options: ['--processor-seconds', '1'] });
  assert.match(signal, /^SIG(XCPU|KILL)$/);
});

test('a cubin of more than 16 MiB is refused', async (t) => {
  const { code, stderr } = await disassemble(t, disassembles, { input: 'x'.repeat((16 << 20) + 1) });
  assert.deepEqual([code, stderr], [1, 'The cubin is larger than 16 MiB.\n']);
});
