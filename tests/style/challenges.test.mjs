// The sources of kernels/challenges: they compile, without warnings but for a start that is no solution yet, and a text
// has the signature of its start.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { execute } from '../harness/lab.mjs';
import { root } from './files.mjs';

const folder = join(root, 'kernels/challenges');
const names = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory()).map(({ name }) => name);
const contents = (name, file) => readFileSync(join(folder, name, file), 'utf8');

/** What the compiler says of a source. */
async function compiled(source) {
  const { stdout } = await execute('gpulab-compiler', [], { input: JSON.stringify({ source, architecture: 'sm_90' }), timeout_s: 300 });
  return JSON.parse(stdout);
}

const { error } = await compiled('');

describe('challenges', { concurrency: true, skip: error && `no NVRTC: ${error.detail}` }, () => {
  for (const name of names)
    test(`${name}: reference and start compile`, async () => {
      const reference = await compiled(contents(name, 'reference.cu'));
      assert.deepEqual([reference.status, reference.messages], ['compiled', []]);
      const start = await compiled(contents(name, 'start.cu'));
      assert.equal(start.status, 'compiled', JSON.stringify(start.messages));
      assert.deepEqual(start.messages.map(({ text }) => text), name === 'vector-add' ? ['variable "i" was declared but never referenced'] : []);
    });
});

test('a text shows the signature of the start', () => {
  assert.ok(names.length >= 10);
  for (const name of names) {
    const [signature] = /^__global__ void [^]*?\)$/m.exec(contents(name, 'start.cu'));
    assert.ok(contents(name, `${name}.md`).includes(`\n${signature}\n\`\`\`\n`), name);
  }
});
