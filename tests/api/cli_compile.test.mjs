// gpulab compile: messages as compilers print them, resources, PTX and exit codes. Needs NVRTC, but no GPU.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { FAILED, Place, SUCCESS, USAGE } from '../harness/cli.mjs';
import { execute } from '../harness/lab.mjs';
import { disassembles, nvdisasmIn } from '../harness/nvdisasm.mjs';

const { error } = JSON.parse((await execute('gpulab-compiler', [], { input: '{}' })).stdout);
const skip = error && `no NVRTC: ${error.detail}`;

/** Compiles a text as the file k.cu. */
async function compile(t, text, ...options) {
  const place = new Place(t), file = join(place.folder, 'k.cu');
  writeFileSync(file, text);
  return { file, ...(await place.gpulab(['compile', file, '--runtime', 'host', ...options])) };
}

/** The same for sm_90 and with --sass, where the commands stand for nvdisasm. */
async function compileToSass(t, nvdisasm, ...options) {
  const place = new Place(t), file = join(place.folder, 'k.cu');
  writeFileSync(file, '__global__ void k() {}\n');
  const args = ['compile', file, '--runtime', 'host', '--arch', 'sm_90', '--sass', ...options];
  return { file, ...(await place.gpulab(args, { env: nvdisasmIn(place.folder, nvdisasm) })) };
}

test('the resources of each kernel are printed', { skip }, async (t) => {
  const { code, stdout, stderr } = await compile(t, 'extern "C" __global__ void k(int *p) { __shared__ int s[4]; s[threadIdx.x] = p[0]; p[1] = s[1]; }\n', '--arch', 'sm_90');
  assert.deepEqual([code, stderr], [SUCCESS, '']);
  assert.match(stdout, /^k: \d+ registers, 16 B shared, 0 B local, 0 B spilled\n {2}occupancy by threads of a block: 32: 50 % \(blocks\), 64: 100 %, .*, 1024: 100 % \(warps\)\n$/);
});

test('a rejected source exits with 1, after its messages', { skip }, async (t) => {
  const { code, stdout, stderr, file } = await compile(t, '__global__ void k() {\n  int unused;\n  x = 1;\n}\n', '--arch', 'sm_90');
  assert.deepEqual([code, stdout], [FAILED, '']);
  const lines = stderr.trim().split('\n');
  assert.equal(lines[0], `${file}:3:3: error: identifier "x" is undefined`);
  assert.match(lines[1], /k\.cu:2:7: warning: variable "unused" was declared/);
});

test('kernels are printed with their names in C++, an instance of a template on request', { skip }, async (t) => {
  const template = 'template <class T> __global__ void scale(T *x) { x[threadIdx.x] *= 2; }\n';
  const without = await compile(t, template, '--arch', 'sm_90');
  assert.deepEqual([without.code, without.stdout], [SUCCESS, '']);
  assert.match(without.stderr, /warning: There is no kernel: /);
  const scaled = await compile(t, template, '--arch', 'sm_90', '--entry', 'scale<float>');
  assert.deepEqual([scaled.code, scaled.stderr], [SUCCESS, '']);
  assert.match(scaled.stdout, /^void scale<float>\(float\*\): \d+ registers/);
  const unknown = await compile(t, '__global__ void k(int *p) {}\n', '--arch', 'sm_90', '--entry', 'absent');
  assert.deepEqual([unknown.code, unknown.stdout], [FAILED, '']);
  assert.match(unknown.stderr, /error: The entry must name one kernel of the source, not absent; its kernels are: k\(int\*\)\.\n$/);
  const { kernels: [kernel] } = JSON.parse((await compile(t, '__global__ void k(int *p) {}\n', '--arch', 'sm_90', '--entry', 'k', '--json')).stdout);
  assert.deepEqual([kernel.name, kernel.signature], ['_Z1kPi', 'k(int*)']);
});

test('a source with a byte order mark and carriage returns is compiled, and has the same places', { skip }, async (t) => {
  const good = await compile(t, '\ufeff__global__ void k(int *p) {\r\n  p[0] = 1;\r\n}\r\n', '--arch', 'sm_90');
  assert.deepEqual([good.code, good.stderr], [SUCCESS, '']);
  const bad = await compile(t, '\ufeff__global__ void k(int *p) { x = 1; }\r\n', '--arch', 'sm_90');
  assert.equal(bad.stderr, `${bad.file}:1:29: error: identifier "x" is undefined\n`);
});

test('the PTX and the document of the API are printed on request', { skip }, async (t) => {
  const source = '__global__ void k() {}\n';
  assert.match((await compile(t, source, '--arch', 'sm_80', '--ptx')).stdout, /^\.target sm_80$/m);
  assert.equal(JSON.parse((await compile(t, source, '--arch', 'sm_80', '--json')).stdout).status, 'compiled');
});

test('the SASS is printed on request, or the reason why there is none', { skip }, async (t) => {
  const good = await compileToSass(t, disassembles);
  assert.deepEqual([good.code, good.stdout, good.stderr], [SUCCESS, '/*0000*/ EXIT ; -c -gi\n', '']);
  const failed = await compileToSass(t, 'exit 7');
  assert.deepEqual([failed.code, failed.stdout], [FAILED, '']);
  assert.equal(failed.stderr, `${failed.file}: note: There is no SASS: nvdisasm exited with code 7.\n`);
  assert.equal((await compileToSass(t, disassembles, '--ptx')).code, USAGE);
});

test('what cannot be compiled for is a usage error', { skip }, async (t) => {
  const { code, stderr } = await compile(t, '__global__ void k() {}\n');
  assert.equal(code, USAGE);
  assert.match(stderr, /--arch: must be given, because the lab has no CUDA device/);
  assert.equal((await compile(t, '', '--arch', 'sm_90')).code, USAGE);
  assert.equal((await compile(t, 'x', '--arch', 'sm_90', '--edits', 'transpose/padded')).code, USAGE);
});
