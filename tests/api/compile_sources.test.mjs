// The sources of CUDA kernels that people can edit compile as they are shown: one of each file, because the others are
// compiled as the same text (tests/unit/descriptor/test_source_unit.c). Needs NVRTC, but no GPU.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { execute, Lab } from '../harness/lab.mjs';

const { error } = JSON.parse((await execute('gpulab-compiler', [], { input: '{}' })).stdout);
const skip = error && `no NVRTC: ${error.detail}`;

let lab;
before(async () => (lab = await Lab.start()));
after(() => lab.close());

const compile = (source, edits) => lab.post('/api/v1/compile', { source, edits, architecture: 'sm_90' });

test('an editable source of every file compiles, and has kernels', { skip }, async (t) => {
  const { status: headers } = (await compile('#include <cuda_fp16.h>\n')).json;
  const { experiments } = (await lab.get('/api/v1/experiments')).json;
  const compiled = new Set();
  for (const { name } of experiments) {
    const { sources } = (await lab.get(`/api/v1/experiments/${name}`)).json;
    for (const { step, files } of sources.filter(({ editable }) => editable)) {
      const file = files.find((path) => path.endsWith('.cu'));
      if (compiled.has(file)) continue;
      compiled.add(file);
      const edits = `${name}/${step}`;
      const { text } = await lab.get(`/api/v1/experiments/${name}/sources/${step}?backend=cuda`);
      const { status, json } = await compile(text, edits);
      assert.equal(status, 200, `${edits}: ${JSON.stringify(json)}`);
      if (headers === 'rejected' && /could not open source file "cooperative_groups/.test(json.log)) {
        t.diagnostic(`${edits} needs the headers of the CUDA toolkit, which are not installed`);
        continue;
      }
      assert.equal(json.status, 'compiled', `${edits}: ${json.log}`);
      assert.ok(json.kernels.length > 0, `${edits} has no kernels`);
    }
  }
  assert.ok(compiled.size > 20, [...compiled].join(' '));
});

test('an error in an edited text has the place in that text', { skip }, async () => {
  const { text } = await lab.get('/api/v1/experiments/transpose/sources/padded?backend=cuda');
  const lines = text.split('\n'), at = lines.findIndex((line) => line.includes('TILE + 1'));
  lines[at] = lines[at].replace('TILE + 1', 'PITCH_');
  const { json } = await compile(lines.join('\n'), 'transpose/padded');
  assert.deepEqual([json.status, json.messages[0].file, json.messages[0].line], ['rejected', 'kernel.cu', at + 1]);
  assert.match(json.messages[0].text, /"PITCH_" is undefined/);
});

test('a text that lacks a part, and a source that cannot be edited, are 422', { skip }, async () => {
  const refused = async (source, edits, pointer) => {
    const { status, json } = await compile(source, edits);
    assert.deepEqual([status, json.errors?.[0].pointer], [422, pointer]);
  };
  await refused('__global__ void k() {}', 'transpose/padded', '/source');
  await refused('', 'transpose/nothing', '/edits');
  await refused('', 'matmul/cublas', '/edits');
});
