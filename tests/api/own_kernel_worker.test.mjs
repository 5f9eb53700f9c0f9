// What the worker of a CUDA device gets of an own kernel: compiled by NVRTC, for the device. The worker is a script
// that notes it. Needs NVRTC, but no GPU.
import assert from 'node:assert/strict';
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { problem } from '../harness/expect.mjs';
import { idAt, importInto, linesOf } from '../harness/exports.mjs';
import { execute, Lab, protocolVersion, temporaryFolder } from '../harness/lab.mjs';

const { error } = JSON.parse((await execute('gpulab-compiler', [], { input: '{}' })).stdout);
const skip = error && `no NVRTC: ${error.detail}`;

/** Notes the operation's kernels, with the first bytes of the images instead of them. */
const worker = `#!${process.execPath}
const send = (event) => process.stdout.write(JSON.stringify(event) + '\\n');
const device = { id: 'GPU-1', ordinal: 0, backend: 'cuda', name: 'A GPU', properties: { compute_capability: '9.0' }, peers: [] };
const shortened = (name, value) => (name === 'image' ? Buffer.from(value, 'base64').subarray(1, 4).toString() : value);
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { op, run, kernel, compare_with: base } = JSON.parse(line);
  if (op === 'hello') send({ event: 'hello', version: ${protocolVersion}, host: 'here' });
  if (op === 'describe') send({ event: 'description', devices: [device], machine: { name: 'here' }, build: { version: '0' } });
  if (op !== 'run') return;
  send({ event: 'started', run, environment: {} });
  for (const each of [kernel, base?.kernel]) send({ event: 'note', run, text: JSON.stringify(each ?? null, shortened) });
  for (const { name } of (kernel?.arguments ?? []).filter(({ save }) => save))
    send({ event: 'field', run, field: { name, rows: 1, columns: 4, values: 'AACAPwAAAEAAAEBAAACAQA==', element_type: 'fp32', axes: { n: 4 } } });
  const measurement = { axes: {}, metric: 'time', unit: 's', n: 1, median: 1, q1: 1, q3: 1, min: 1, max: 1, mean: 1, samples: [1] };
  for (const side of base ? ['base', 'head'] : [null]) send({ event: 'measurement', run, measurement: { ...measurement, side } });
  send({ event: 'finished', run, status: 'succeeded', contended: false, lost: false, error: null, libraries: {} });
});
`;

/** Stands for compute-sanitizer: reports into the log file and starts the program. */
const sanitizer = `#!/bin/sh
[ "$1 $2 $3" = '--tool memcheck --log-file' ] || exit 9
log=$4
shift 4
echo '========= COMPUTE-SANITIZER' >"$log"
exec "$@"
`;

const folder = temporaryFolder(), path = join(folder, 'worker.cjs');
let lab;
before(async () => {
  writeFileSync(path, worker);
  chmodSync(path, 0o755);
  lab = await Lab.start({ args: ['--worker', path], env: { PATH: folder } });
});
after(async () => {
  await lab.close();
});

async function run(body, status = 'succeeded') {
  const answer = await lab.post('/api/v1/runs', body);
  assert.equal(answer.status, 202, answer.text);
  return lab.reach(answer.json.id, status);
}

test('an edited source is compiled, and the original is its base', { skip }, async () => {
  for (const edits of ['transpose/padded', 'matmul/naive']) {
    const [experiment, step] = edits.split('/');
    const source = (await lab.get(`/api/v1/experiments/${experiment}/sources/${step}?backend=cuda`)).text;
    const { notes, parameters } = await run({ experiment, kernel: { edits, source }, compare_with: {} });
    assert.deepEqual(notes.map((note) => JSON.parse(note)), [{ edits, image: 'ELF' }, null]);
    assert.deepEqual(parameters.step, [step]);
  }
});

const axpy = '__global__ void axpy(int n, float a, const float *x, float *y) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] += a * x[i]; }\n';
const kernel = {
  source: axpy, grid: 'ceil_div(n, 256)', block: 256,
  arguments: [{ name: 'n', kind: 'scalar', type: 'i32', value: [1000, 2000] }, { name: 'a', kind: 'scalar', type: 'fp32', value: 2.5 },
    { name: 'x', kind: 'buffer', type: 'fp32', count: 'n' }, { name: 'y', kind: 'buffer', type: 'fp32', count: 'n', direction: 'inout' }],
};

test('a saved output is a file of NumPy, with which a later run is compared', { skip }, async () => {
  const source = join(folder, 'axpy.cu'), [file, bytes] = ['y.npy', 'y.bin'].map((name) => join(folder, name));
  writeFileSync(source, axpy);
  const gpulab = (...args) => execute('gpulab', ['kernel', source, '--arg', 'n:i32=4', '--arg', 'a:fp32=2', '--arg', 'x:fp32[n]', '--arg', 'y:fp32[n]:inout', '--server', lab.address, ...args]);
  const { code, stderr } = await gpulab('--save-output', `y=${file}`, '--save-output', `y=${bytes}`);
  assert.equal(code, 0, stderr);
  const saved = readFileSync(file);
  assert.match(saved.toString('latin1'), /^\x93NUMPY\x01\x00v\x00\{'descr': '<f4', 'fortran_order': False, 'shape': \(4,\), \} +\n/);
  assert.deepEqual([...new Float32Array(Uint8Array.from(saved.subarray(128)).buffer)], [1, 2, 3, 4]);
  assert.deepEqual(readFileSync(bytes), saved.subarray(128));
  const [{ id }] = (await lab.get('/api/v1/runs?limit=1')).json.runs;
  const [field] = (await lab.get(`/api/v1/runs/${id}/fields`)).json.fields;
  assert.deepEqual(field, { name: 'y', rows: 1, columns: 4, values: 'AACAPwAAAEAAAEBAAACAQA==', element_type: 'fp32', axes: { n: 4 } });
  const answer = await fetch(`${lab.address}/api/v1/runs/${id}/fields/y`);
  assert.equal(answer.headers.get('content-type'), 'application/octet-stream');
  assert.deepEqual(Buffer.from(await answer.arrayBuffer()), saved);
  problem(await lab.get(`/api/v1/runs/${id}/fields/x`), 404);
  assert.equal((await gpulab('--expect', `y=@${file}`)).code, 0);
  const [later] = (await lab.get('/api/v1/runs?limit=1')).json.runs;
  assert.equal((await lab.get(`/api/v1/runs/${later.id}`)).json.kernel.arguments[3].expected_data, field.values);
  const unwritable = await gpulab('--save-output', `y=${folder}/none/y.npy`);
  assert.deepEqual([unwritable.code, /none\/y\.npy: cannot be written/.test(unwritable.stderr)], [5, true], unwritable.stderr);
});

/** What the worker gets of the compiled kernels of the run. */
const variantsOf = ({ notes }) => JSON.parse(notes[0]).variants;

test('a kernel is compiled with each combination of its macros, and those that are rejected keep the reason', { skip }, async () => {
  const source = `#include "tile.cuh"\n#if TILE > 32\n#error "too large"\n#endif\ntemplate <typename V> ${axpy.replace('axpy', 'tiled').replace('float a', 'V a')}`;
  const files = { 'tile.cuh': '#include "lib/sizes.cuh"\n', 'lib/sizes.cuh': '#include "types.cuh"\n', 'lib/types.cuh': 'using number = float;\n' };
  const options = { defines: ['TILE=16,32,64', 'T=float,double'], fast_math: true, std: 'c++20', max_registers: 32 };
  const tiled = { ...kernel, source, files, options, entry: 'tiled<T>', block: 'TILE' };
  const all = await run({ experiment: 'kernel', kernel: tiled });
  assert.deepEqual(all.parameters.TILE, [16, 32, 64]);
  assert.deepEqual(variantsOf(all).map(({ macros: { TILE, T }, entry, refusal }) => [TILE, T, entry ?? refusal]), [
    [16, 'float', '_Z5tiledIfEviT_PKfPf'], [16, 'double', '_Z5tiledIdEviT_PKfPf'], [32, 'float', '_Z5tiledIfEviT_PKfPf'],
    [32, 'double', '_Z5tiledIdEviT_PKfPf'], [64, 'float', 'Line 3, column 2: #error directive: "too large"'], [64, 'double', 'Line 3, column 2: #error directive: "too large"'],
  ]);
  assert.deepEqual(all.kernel.options, options, 'the record of the run says what it was compiled with');
  assert.deepEqual(all.kernel.files, files);
  assert.deepEqual([JSON.parse(all.notes[0]).files, JSON.parse(all.notes[0]).source], [undefined, undefined]);
  const one = await run({ experiment: 'kernel', kernel: tiled, parameters: { TILE: 8, T: 'double' }, compare_with: { parameters: { TILE: 4 } } });
  assert.deepEqual(variantsOf(one).map(({ macros }) => macros), [{ TILE: 8, T: 'double' }]);
  assert.deepEqual(JSON.parse(one.notes[1]).variants.map(({ macros }) => macros), [{ TILE: 4, T: 'double' }]);
  const none = await run({ experiment: 'kernel', kernel: tiled, parameters: { TILE: [64, 128] } }, 'failed');
  assert.deepEqual([none.error.type, none.error.detail], ['/problems/compile-failed', 'Line 3, column 2: #error directive: "too large"']);
  const many = { ...tiled, options: { defines: [`TILE=${Array.from({ length: 65 }, (_, i) => i + 1)}`] }, entry: 'tiled<float>' };
  problem(await lab.post('/api/v1/runs', { experiment: 'kernel', kernel: many }), 422, '/kernel/options/defines');
  const { runs } = (await lab.get('/api/v1/runs?limit=1')).json;
  assert.deepEqual([runs[0].kernel.source, runs[0].kernel.files], [undefined, undefined]);
});

test('a kernel that reads a __constant__ without contents is refused, unless they are given', { skip }, async () => {
  const source = `__constant__ float taps[2];\n__constant__ float filled[2] = {1, 2};\n${axpy.replace('a * x[i]', '(taps[i % 2] + filled[0]) * a * x[i]')}`;
  const without = await run({ experiment: 'kernel', kernel: { ...kernel, source } }, 'failed');
  assert.equal(without.error.type, '/problems/invalid-launch');
  assert.match(without.error.detail, /reads the __constant__ variable taps, which has no contents/);
  const variable = { name: 'taps', kind: 'variable', type: 'fp32', values: [0.25, 0.25] };
  await run({ experiment: 'kernel', kernel: { ...kernel, source, arguments: [...kernel.arguments, variable] } });
});

test('a kernel gets a structure', { skip }, async () => {
  const source = `struct pair { float lo, hi; };\n${axpy.replace('(', '(pair p, ').replace('a * x[i]', '(a + p.lo) * x[i]')}`;
  const pair = { name: 'p', kind: 'struct', fields: [{ name: 'lo', type: 'fp32', value: 0.5 }, { name: 'hi', type: 'fp32', value: 'n / 4' }] };
  const recorded = await run({ experiment: 'kernel', kernel: { ...kernel, source, arguments: [pair, ...kernel.arguments] } });
  assert.deepEqual(recorded.kernel.arguments[0], pair);
});

test('a kernel that synchronises its grid needs a cooperative launch', { skip }, async () => {
  const source = `#include <cooperative_groups.h>
    __global__ void both(int n, float a, const float *x, float *y) { if (n > 0) y[0] = a * x[0]; cooperative_groups::this_grid().sync(); y[1] = y[0]; }
    __global__ void ranks(int n, float a, const float *x, float *y) { y[cooperative_groups::this_grid().thread_rank()] = a * x[0]; }`;
  const ordinary = await run({ experiment: 'kernel', kernel: { ...kernel, source, entry: 'both' } }, 'failed');
  assert.equal(ordinary.error.type, '/problems/invalid-launch');
  assert.match(ordinary.error.detail, /^The kernel both\(.*\) synchronises its grid \(grid\.sync\(\)\), which only a cooperative launch can/);
  await run({ experiment: 'kernel', kernel: { ...kernel, source, entry: 'both', cooperative: true, cluster: [1] } });
  await run({ experiment: 'kernel', kernel: { ...kernel, source, entry: 'ranks' } });
});

test('an edited source has options too, but no lists of macros', { skip }, async () => {
  const source = (await lab.get('/api/v1/experiments/transpose/sources/padded?backend=cuda')).text;
  const edited = { edits: 'transpose/padded', source: `${source}\n#ifndef MINE\n#error MINE\n#endif\n`, options: { defines: ['MINE'] } };
  await run({ experiment: 'transpose', kernel: edited });
  problem(await lab.post('/api/v1/runs', { experiment: 'transpose', kernel: { ...edited, options: { defines: ['MINE=1,2'] } } }), 422, '/kernel/options/defines/0');
});

test('the entry is the name in the compiled source, of a reference too', { skip }, async () => {
  const [entry, reference] = ['_Z4axpyifPKfPf', '_Z4slowifPKfPf'];
  const alone = await run({ experiment: 'kernel', kernel });
  assert.deepEqual(variantsOf(alone), [{ macros: {}, entry, image: 'ELF' }]);
  assert.deepEqual(alone.parameters.n, [1000, 2000]);
  const both = axpy + axpy.replace('axpy', 'slow');
  const within = await run({ experiment: 'kernel', kernel: { ...kernel, source: both, entry: 'axpy', reference: { entry: 'slow', grid: 1, block: 1 } } });
  assert.deepEqual(JSON.parse(within.notes[0]).reference, { entry: 'slow', grid: 1, block: 1 });
  assert.deepEqual(variantsOf(within)[0].reference, { entry: reference });
  const apart = await run({ experiment: 'kernel', kernel: { ...kernel, reference: { source: axpy.replace('axpy', 'slow'), grid: 1, block: 1 } } });
  assert.deepEqual(variantsOf(apart), [{ macros: {}, entry, image: 'ELF', reference: { entry: reference, image: 'ELF' } }]);
  assert.equal(JSON.parse(apart.notes[0]).reference.source, undefined);
  const unknown = await run({ experiment: 'kernel', kernel: { ...kernel, source: both } }, 'failed');
  assert.equal(unknown.error.type, '/problems/kernel-not-found');
  assert.match(unknown.error.detail, /its kernels are: .*axpy\(int, float, float const\*, float\*\)/);
});

test('what the outputs must be is compiled as a kernel of its own, with the macros of the point', { skip }, async () => {
  const [n, a, x, y] = kernel.arguments;
  const expecting = (expected, more = []) => ({ ...kernel, arguments: [n, a, x, { ...y, expected }, ...more] });
  const simple = await run({ experiment: 'kernel', kernel: expecting('a * x[i] + y[i] // as before', []) });
  assert.deepEqual(variantsOf(simple)[0].reference, { entry: 'lab_expected', image: 'ELF' });
  assert.equal(simple.kernel.arguments[3].expected, 'a * x[i] + y[i] // as before');
  for (const [std, ...types] of [['c++11', 'fp16', 'bf16', 'fp64', 'i8', 'i16'], ['c++20', 'i64', 'u8', 'u16', 'u32', 'u64']]) {
    const expected = 'largest(k, 0, i + 1, sum(j, k, n, x[j] * TILE)) + (i > 0 ? exp(x[i - 1]) : 0)';
    const outputs = types.map((type) => ({ name: type, kind: 'buffer', type, count: 'n', direction: 'out', expected }));
    const source = axpy.replace('float *y', `float *y, ${types.map((_, at) => `void *p${at}`)}`);
    const many = await run({ experiment: 'kernel', kernel: { ...expecting('min(a, 2.0) * n', outputs), source, options: { defines: ['TILE=16,32'], std } } });
    assert.deepEqual(variantsOf(many).map(({ reference }) => reference), Array(2).fill({ entry: 'lab_expected', image: 'ELF' }));
  }
  const { error } = await run({ experiment: 'kernel', kernel: expecting('a * z[i]') }, 'failed');
  assert.deepEqual([error.type, error.messages[0].file, error.messages[0].line], ['/problems/compile-failed', 'expected of y', 1]);
  assert.match(error.detail, /expected of y.*"z" is undefined/);
});

test('textures and tables are elements in an expression; arguments that do not fit the signature are refused', { skip }, async () => {
  const source = '__global__ void k(cudaTextureObject_t image, const float *const *a, float *y) { y[0] = tex2D<float>(image, 0, 0) + a[0][0]; }';
  const image = { name: 'image', kind: 'texture', type: 'fp32', extent: [8, 4], filter: 'linear' };
  const a = { name: 'a', kind: 'table', type: 'fp32', buffers: 4, count: 8 };
  const y = { name: 'y', kind: 'buffer', type: 'fp32', count: 32, direction: 'out', expected: 'image[i] + a[i / 8][i % 8]' };
  const given = (...args) => ({ experiment: 'kernel', kernel: { source, block: 1, arguments: args } });
  const good = await run(given(image, a, y));
  assert.deepEqual(variantsOf(good)[0].reference, { entry: 'lab_expected', image: 'ELF' });
  const { error } = await run(given(image, { name: 'a', kind: 'buffer', type: 'fp32', count: 8 }, y), 'failed');
  assert.equal(error.type, '/problems/invalid-launch');
  assert.match(error.detail, /^Argument 2 of k\(.*\), 'a', must be a table of buffers, because the parameter is a pointer to pointers \(float const\* const\*\)\.$/);
});

test('an expression has the fields of structures; a texture has an address mode for each dimension', { skip }, async () => {
  const source = '#include <cuda_fp16.h>\nstruct params { char k; double a; __half h; }; __global__ void k(cudaTextureObject_t image, params p, float4 v, float *y, int n) { y[0] = tex2D<float>(image, 0, 0); }';
  const image = { name: 'image', kind: 'texture', type: 'fp32', extent: [8, 4], coordinates: 'normalized', address: ['wrap', 'clamp'] };
  const field = (name, type, value = 1) => ({ name, type, value });
  const p = { name: 'p', kind: 'struct', fields: [field('k', 'i8'), field('a', 'fp64'), field('h', 'fp16')] };
  const v = { name: 'v', kind: 'struct', align: 16, fields: ['x', 'y', 'z', 'w'].map((name) => field(name, 'fp32', 'n / 2')) };
  const n = { name: 'n', kind: 'scalar', type: 'i32', value: 4 };
  const expected = 'largest(k, 0, p.k, image[i] * v.w + max(p.a, 2.0) * p.h) - (p.k > 0 ? v.x : p.a)';
  const y = { name: 'y', kind: 'buffer', type: 'fp32', count: 'n', direction: 'out', expected };
  const good = await run({ experiment: 'kernel', kernel: { source, block: 1, arguments: [image, p, v, y, n] } });
  assert.deepEqual(variantsOf(good)[0].reference, { entry: 'lab_expected', image: 'ELF' });
  assert.deepEqual(good.kernel.arguments[0].address, ['wrap', 'clamp']);
  const { error } = await run({ experiment: 'kernel', kernel: { source, block: 1, arguments: [image, p, v, { ...y, expected: 'p.b' }, n] } }, 'failed');
  assert.match(error.detail, /expected of y.*"b"/);
});

test('over TCP a lab without --allow-programs refuses a check in C, which is a program', async () => {
  const { errors } = problem(await lab.post('/api/v1/runs', { experiment: 'kernel', kernel: { ...kernel, check: 'void check(int n, float a, const float *x, float *y) {}' } }), 422, '/kernel/check');
  assert.equal(errors[0].code, 'programs-not-allowed');
  const base = { kernel: { ...kernel, check: 'void check() {}' } };
  problem(await lab.post('/api/v1/runs', { experiment: 'kernel', kernel, compare_with: base }), 422, '/compare_with/kernel/check');
});

test('a saved output goes to the worker, needs no kernel, and is not in lists', { skip }, async () => {
  const [n, a, x, y] = kernel.arguments, output = (values) => Buffer.from(new Float32Array(values).buffer).toString('base64');
  const saving = (count, data) => ({ ...kernel, arguments: [n, a, x, { ...y, count, expected_data: data }] });
  const saved = saving(2, output([0.5, 1]));
  const done = await run({ experiment: 'kernel', kernel: saved });
  assert.deepEqual(variantsOf(done)[0].reference, undefined);
  assert.equal(JSON.parse(done.notes[0]).arguments[3].expected_data, 'AAAAPwAAgD8=');
  assert.equal(done.kernel.arguments[3].expected_data, 'AAAAPwAAgD8=');
  const { runs } = (await lab.get('/api/v1/runs?limit=1')).json;
  assert.deepEqual(runs[0].kernel.arguments[3], { ...y, count: 2 });
  const both = { ...saved, arguments: [n, a, x, saved.arguments[3], { ...y, name: 'z', expected: 'y[i]' }], source: axpy.replace('float *y', 'float *y, float *z') };
  assert.deepEqual(variantsOf(await run({ experiment: 'kernel', kernel: both }))[0].reference, { entry: 'lab_expected', image: 'ELF' });
  const refused = async (count, data, detail) => {
    const { errors } = problem(await lab.post('/api/v1/runs', { experiment: 'kernel', kernel: saving(count, data) }), 422, '/kernel/arguments/3/expected_data');
    assert.match(errors[0].detail, detail);
  };
  await refused('n', output(Array(1000).fill(1)), /have 4000 bytes, but 'y' has 2000 elements of 4 bytes for n 2000\. Given elements have one size, which must not vary over an axis/);
  await refused(2, 'AAAAPwAAgD8', /Base64/);
  await refused(2 ** 17 + 1, output(Array(2 ** 17 + 1).fill(1)), /699052/);
});

test('the entry can be an instance of a template, of a reference too', { skip }, async () => {
  const source = axpy.replace('__global__ void axpy', 'template <int N> __global__ void scale').replace('a * x', 'N * a * x');
  const { notes } = await run({ experiment: 'kernel', kernel: { ...kernel, source, entry: 'scale<2>', reference: { entry: 'scale<2 + 0>', grid: 1, block: 1 } } });
  const [{ entry, reference }] = JSON.parse(notes[0]).variants;
  assert.deepEqual([entry, reference.entry], ['_Z5scaleILi2EEvifPKfPf', '_Z5scaleILi2EEvifPKfPf']);
  const wrong = await run({ experiment: 'kernel', kernel: { ...kernel, source, entry: 'scale<M>' } }, 'failed');
  assert.equal(wrong.error.detail, 'In the name of the entry: identifier "M" is undefined');
  const without = await run({ experiment: 'kernel', kernel: { ...kernel, source } }, 'failed');
  assert.match(without.error.detail, /its kernels are: none; of a template it names an instance, such as scale<float>\.$/);
});

test('a run can be sanitized where there is compute-sanitizer; the next one is not', { skip }, async () => {
  const program = join(folder, 'compute-sanitizer'), sanitized = { experiment: 'kernel', kernel: { ...kernel, sanitize: true } };
  if (!existsSync('/usr/local/cuda/bin/compute-sanitizer'))
    assert.equal((await lab.post('/api/v1/runs', sanitized)).json.errors?.[0].pointer, '/kernel/sanitize');
  writeFileSync(program, sanitizer);
  chmodSync(program, 0o755);
  const { warnings } = await run(sanitized);
  assert.match(warnings[0], /under compute-sanitizer/);
  const plain = await run({ experiment: 'kernel', kernel });
  assert.deepEqual([plain.warnings, plain.output], [[], null]);
  rmSync(program);
});

test('sources have no byte order mark for the compiler, those of references neither', { skip }, async () => {
  const reference = { source: `\ufeff${axpy.replace('axpy', 'slow')}`, grid: 1, block: 1 };
  const { notes } = await run({ experiment: 'kernel', kernel: { ...kernel, source: `\ufeff${axpy}`, reference } });
  assert.equal(JSON.parse(notes[0]).variants[0].entry, '_Z4axpyifPKfPf');
});

test('a repeated run has the same kernels', { skip }, async () => {
  const first = await run({ experiment: 'kernel', kernel, compare_with: { kernel: { ...kernel, block: 64 } } });
  const again = await lab.reach((await lab.post(`/api/v1/runs/${first.id}/repeat`)).json.id, 'succeeded');
  assert.deepEqual([again.kernel, again.compare_with, again.notes], [first.kernel, first.compare_with, first.notes]);
  assert.equal(JSON.parse(first.notes[1]).block, 64);
});

test('a rejected source fails the run with line and column', { skip }, async () => {
  const { error } = await run({ experiment: 'kernel', kernel: { ...kernel, source: axpy.replace('y[i] +=', 'z[i] +=') } }, 'failed');
  assert.equal(error.type, '/problems/compile-failed');
  assert.match(error.detail, /^Line 1.*"z" is undefined/);
  assert.deepEqual(error.messages.map(({ severity, line }) => [severity, line]), [['error', 1]]);
});

test('a whole program is rejected with the advice to leave out what is not device code', { skip }, async () => {
  const { error } = await run({ experiment: 'kernel', kernel: { ...kernel, source: `${axpy}__host__ void print() {}\nint main() { print(); }\n` } }, 'failed');
  assert.equal(error.detail, 'Line 2: gpulab takes kernels only: remove main (line 3); remove, or declare as __device__: print (line 2).');
});

test('a kernel that is too large for a worker fails the run', { skip }, async () => {
  const source = `__device__ const double table[400000] = { 1 };\n${axpy.replace('a * x[i]', 'table[i]')}`;
  const { error } = await run({ experiment: 'kernel', kernel: { ...kernel, source } }, 'failed');
  assert.equal(error.type, '/problems/kernel-too-large');
});

const halves = { source: axpy, grid: 'n / 64', block: 64, arguments: [{ name: 'n', kind: 'scalar', type: 'i32', value: 100 }] };
const ofBoth = /"n \/ 64" is 1\.5625 for n 100; it must be a whole number from 1 to 4294967295/;

test('what must be whole is computed as in C, and the version of these rules is stored', async () => {
  const answer = await lab.post('/api/v1/runs', { experiment: 'kernel', kernel: halves });
  assert.equal(answer.status, 202, answer.text);
  assert.equal(answer.json.kernel.expressions, 2);
  const { json } = await lab.post('/api/v1/runs?dry_run=true', { experiment: 'kernel', kernel: { ...halves, grid: '2^4', shared: '48KiB', arguments: [{ ...halves.arguments[0], value: ['1K', '1MB'] }] } });
  assert.deepEqual(json.parameters.n, [1024, 1000000]);
  const refused = problem(await lab.post('/api/v1/runs', { experiment: 'kernel', kernel: { ...halves, expressions: 1 } }), 422, '/kernel/grid');
  assert.match(refused.errors[0].detail, ofBoth);
  problem(await lab.post('/api/v1/runs', { experiment: 'kernel', kernel: { ...halves, expressions: 3 } }), 422, '/kernel/expressions');
  problem(await lab.post('/api/v1/runs', { experiment: 'transpose', kernel: { edits: 'transpose/padded', source: axpy, expressions: 2 } }), 422, '/kernel/expressions');
});

test('a definition that was stored without a version keeps real division', async () => {
  const at = new Date(Date.UTC(2026, 0, 1)), devices = [{ id: 'GPU-1', name: 'A GPU', node: 'here' }], old = { ...halves, grid: '(n / 64) * 64' };
  const compare_with = { experiment: 'kernel', devices, parameters: { n: [100] }, kernel: old };
  const lines = [linesOf({ at, experiment: 'kernel', devices, parameters: { n: [100] }, kernel: halves }, []), linesOf({ at, n: 1, experiment: 'kernel', devices, parameters: { n: [100] }, kernel: old, compare_with }, [])].flat();
  assert.equal((await importInto(lab, lines)).json.imported, 2);
  const refused = problem(await lab.post(`/api/v1/runs/${idAt(at)}/repeat`), 422, '/kernel/grid');
  assert.match(refused.errors[0].detail, ofBoth);
  const stored = await lab.run(idAt(at, 1));
  assert.deepEqual([stored.kernel, stored.compare_with.kernel], [{ ...old, expressions: 1 }, { ...old, expressions: 1 }]);
  for (const again of [await lab.post(`/api/v1/runs/${stored.id}/repeat`), await lab.post('/api/v1/runs', { experiment: 'kernel', kernel: stored.kernel, compare_with: { kernel: stored.compare_with.kernel } })]) {
    assert.equal(again.status, 202, again.text);
    assert.deepEqual([again.json.kernel.expressions, again.json.compare_with.kernel.expressions], [1, 1]);
  }
  const mixed = problem(await lab.post('/api/v1/runs', { experiment: 'kernel', kernel: halves, compare_with: { kernel: { ...halves, expressions: 1 } } }), 422, '/compare_with/kernel/grid');
  assert.match(mixed.errors[0].detail, ofBoth);
});

test('without a grid there is a thread for each element of the first buffer', async () => {
  const { grid, ...rest } = kernel;
  const plan = (changes) => lab.post('/api/v1/runs?dry_run=true', { experiment: 'kernel', kernel: { ...rest, ...changes } });
  assert.equal(grid, 'ceil_div(n, 256)');
  assert.equal((await plan({})).status, 200);
  const none = problem(await plan({ arguments: [kernel.arguments[0]] }), 422, '/kernel/grid');
  assert.match(none.errors[0].detail, /^Must be given: there is no buffer/);
  const many = { block: 1, arguments: [{ name: 'x', kind: 'buffer', type: 'i8', count: '8GiB', direction: 'out' }] };
  problem(await plan({ ...many, grid: 1, reference: { block: 1 } }), 422, '/kernel/reference/grid');
  const large = problem(await plan(many), 422, '/kernel/grid');
  assert.match(large.errors[0].detail, /^A thread for each element of 'x', which is the default, needs 8589934592 blocks; at most 4294967295 are possible\. Give 'grid'\.$/);
});
