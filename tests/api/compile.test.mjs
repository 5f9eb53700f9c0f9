// POST /api/v1/compile and GET /api/v1/compiler. Needs NVRTC, but no GPU; the host runtime's devices are not compiled
// for.
import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { problem } from '../harness/expect.mjs';
import { endless, execute, Lab, temporaryFolder, until, withLab } from '../harness/lab.mjs';

const { error } = JSON.parse((await execute('gpulab-compiler', [], { input: '{}' })).stdout);
const skip = error && `no NVRTC: ${error.detail}`;
const source = '__global__ void k(int *p, int n) { p[n] = 1; }\n';
const architecture = 'sm_90';

let lab;
before(async () => (lab = await Lab.start()));
after(() => lab.close());

const compile = (body) => lab.post('/api/v1/compile', body);

test('without NVRTC the answer is 503 and says so', { skip: !skip && 'NVRTC is installed' }, async () => {
  assert.match(problem(await lab.get('/api/v1/compiler'), 503).detail, /has no NVRTC/);
  assert.match(problem(await compile({ source, architecture }), 503).detail, /has no NVRTC/);
});

test('an instance of a template is compiled', { skip }, async () => {
  const template = 'template <int N> __global__ void scale(float *x) { x[threadIdx.x] *= N; }\n';
  assert.deepEqual((await compile({ source: template, architecture })).json.kernels, []);
  const { json } = await compile({ source: template, architecture, entry: 'scale<4>' });
  assert.deepEqual(json.kernels.map(({ name }) => name), ['_Z5scaleILi4EEvPf']);
  assert.deepEqual([json.entries, json.names], [undefined, undefined]);
});

test('a source is compiled, without its machine code in the answer', { skip }, async () => {
  const { status, json } = await compile({ source, architecture, name: 'mine.cu', options: { line_info: true } });
  assert.equal(status, 200);
  assert.equal(json.status, 'compiled');
  assert.equal(json.cubin, undefined);
  assert.match(json.ptx, /mine\.cu/);
  assert.deepEqual(json.kernels.map(({ name, parameters }) => [name, parameters]), [['_Z1kPii', [8, 4]]]);
  assert.deepEqual((await lab.get('/api/v1/compiler')).json, json.compiler);
});

test('a rejected source is an answer', { skip }, async () => {
  const { status, json } = await compile({ source: 'wrong', architecture });
  assert.deepEqual([status, json.status, json.messages[0].severity, json.messages[0].file], [200, 'rejected', 'error', 'kernel.cu']);
  assert.equal(json.ptx, undefined);
});

test('what cannot be compiled for is 422 with a pointer', { skip }, async () => {
  problem(await compile({ source }), 422, '/architecture');
  problem(await compile({ source, architecture, device: 'x' }), 422, '/architecture');
  problem(await compile({ source, architecture: 'sm_11' }), 422, '/architecture');
  problem(await compile({ source, architecture: 'h200' }), 422, '/architecture');
  problem(await compile({ source, device: 'nothing' }), 422, '/device');
  const { devices: [host] } = (await lab.get('/api/v1/devices')).json;
  assert.match(problem(await compile({ source, device: host.id }), 422, '/device').errors[0].detail, /not a CUDA device/);
  problem(await compile({ source, architecture, name: '../k.cu' }), 422, '/name');
  problem(await compile({ source: 'é'.repeat(262144), architecture }), 422, '/source');
});

test('a source that crashes the compiler is 422, and the next one is compiled', { skip }, async () => {
  const { errors: [{ detail }] } = problem(await compile({ source: '('.repeat(262144), architecture }), 422, '/source');
  assert.match(detail, /crashed NVRTC/);
  assert.equal((await compile({ source, architecture })).json.status, 'compiled');
});

test('requests at the same time are compiled one after the other', { skip }, async () => {
  const answers = await Promise.all(Array.from({ length: 4 }, (_, i) => compile({ source: `__global__ void k${i}() {}`, architecture })));
  assert.deepEqual(answers.map(({ json }) => json.kernels[0].name), ['_Z2k0v', '_Z2k1v', '_Z2k2v', '_Z2k3v']);
});

test('nothing is compiled while a run is measured', { skip }, async () => {
  const { id } = await lab.submit(endless);
  await lab.reach(id, 'running');
  const refused = await compile({ source, architecture });
  assert.equal(problem(refused, 503).type, '/problems/run-in-progress');
  assert.equal(refused.headers['retry-after'], '5');
  const waiting = compile({ source, architecture });
  await lab.post(`/api/v1/runs/${id}/cancel`);
  assert.equal((await waiting).json.status, 'compiled');
});

/** Starts a lab whose compiler is a script: it creates the file `began`, and answers when the file `go` exists. */
async function withSlowCompiler(work) {
  const folder = temporaryFolder();
  const [compiler, began, go] = ['compiler', 'began', 'go'].map((name) => join(folder, name));
  const answer = { status: 'rejected', messages: [], log: '', seconds: 0, compiler: { version: '1.0', architectures: [], protection: [], sass: false } };
  writeFileSync(compiler, `#!/bin/sh\ntouch ${began}\nuntil [ -e ${go} ]; do sleep 0.05; done\necho '${JSON.stringify(answer)}'\n`, { mode: 0o700 });
  await withLab({ args: ['--compiler', compiler] }, async (slow) => {
    const compiling = slow.post('/api/v1/compile', { source, architecture });
    await until(() => existsSync(began), 'the compiler begins');
    await work(slow, compiling, () => writeFileSync(go, ''));
  });
}

test('no run begins while a source is compiled', () => withSlowCompiler(async (slow, compiling, finish) => {
  const { id } = await slow.submit();
  await sleep(300);
  assert.equal((await slow.run(id)).status, 'queued');
  finish();
  assert.equal((await compiling).json.status, 'rejected');
  await slow.reach(id, 'succeeded');
}));

test('a lab can be stopped while it compiles', () => withSlowCompiler(async (slow, compiling) => {
  const [answer, { code }] = await Promise.all([compiling, slow.stop()]);
  assert.equal(code, 0);
  assert.equal(problem(answer, 503).type, '/problems/compiler-failed');
}));
