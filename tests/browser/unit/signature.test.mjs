// The parameters of a kernel, read in its source: of 43 kernels as people write them, and what a form proposes for
// them.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { differsFrom, mergedArguments, signatureOf } from '../../../static/modules/text/signature.js';

const folder = new URL('../../gpu/kernels/', import.meta.url);
// Buffers of which the command line says bytes or packed elements, which their types do not.
const OTHER_ELEMENTS = { 'dp4a-int8.cu': ['x', 'y'], 'type-macro.cu': ['x', 'y'] };

/** An argument of the command line, NAME:TYPE…, as "NAME KIND TYPE". */
function describe([, option, quoted, bare]) {
  const [, name, rest] = /^(\w+):(.*)$/.exec(quoted ?? bare);
  if (/^\{|^\w+=\(/.test(rest)) return `${name} struct`;
  const [, image] = /^(texture|surface)</.exec(rest) ?? [];
  if (image) return `${name} ${image}`;
  if (/^\w+\[[^\]]*\]\[/.test(rest)) return `${name} table ${/^\w+/.exec(rest)[0]}`;
  const kind = option === 'variable' ? 'variable' : /^\w+\[/.test(rest) ? 'buffer' : 'scalar';
  return `${name} ${kind} ${/^\w+/.exec(rest)[0]}`;
}
const inOrder = (list) => [...list.filter((one) => !one.includes('variable')), ...list.filter((one) => one.includes('variable')).sort()];

test('the arguments of kernels as people write them are those that their command lines give', () => {
  const files = readdirSync(folder).filter((name) => name.endsWith('.cu'));
  assert.ok(files.length >= 40);
  for (const file of files) {
    const source = readFileSync(new URL(file, folder), 'utf8');
    const [line] = source.split('\n');
    const [, quoted, bare = ''] = /--entry (?:'([^']*)'|(\S+))/.exec(line) ?? [];
    const given = [...line.matchAll(/--(arg|variable) (?:'([^']*)'|(\S+))/g)].map(describe);
    const found = signatureOf(source, quoted ?? bare).arguments.map(({ name, kind, type }) => [name, kind, !['texture', 'surface'].includes(kind) && type].filter(Boolean).join(' '));
    const compared = (list) => inOrder(list).filter((one) => !OTHER_ELEMENTS[file]?.includes(one.split(' ')[0]));
    assert.deepEqual(compared(found), compared(given), file);
  }
});

const argumentsOf = (source, entry) => signatureOf(source, entry).arguments;

test('buffers are inputs, outputs or both, as the body uses them, with the elements of the size that is passed', () => {
  const list = argumentsOf('__global__ void f(const float *__restrict__ x, double *y, unsigned *bins, int n) { y[threadIdx.x] = x[0]; atomicAdd(&bins[1], 1); }');
  assert.deepEqual(list.map(({ name, type, direction, count }) => [name, type, direction, count]), [['x', 'fp32', 'in', 'n'], ['y', 'fp64', 'out', 'n'], ['bins', 'u32', 'inout', 'n'], ['n', 'i32', 'in', '']]);
  assert.equal(list[3].value, '1048576');
  assert.equal(argumentsOf('__global__ void f(float *y, int n) { y[0] += 1; }')[0].direction, 'inout');
  assert.equal(argumentsOf('__global__ void f(float *y) { if (y[0] == 1) y[1] = 2; }')[0].direction, 'inout');
});

test('members of something else are not the buffers and variables of their names', () => {
  const source = `__device__ unsigned hits, y0;
    struct point { float x, y; };
    __global__ void f(float *x, float *y, const point *p, point q, counters *c) { c -> hits++; y0++; x[threadIdx.x] = q.x + p[0] . x; y[threadIdx.y] = p->y; }`;
  assert.deepEqual(argumentsOf(source).map(({ name, direction }) => `${name} ${direction}`).filter((one) => /^(x|y|hits|y0) /.test(one)), ['x out', 'y out', 'y0 inout']);
  assert.equal(argumentsOf('__global__ void f(float *y) { y[threadIdx.y] = y [0]; }')[0].direction, 'inout');
});

test('a kernel in two dimensions has a matrix and a block of tiles', () => {
  const { arguments: list, grid, block } = signatureOf('__global__ void f(float *a, int rows, int columns) { int i = blockIdx.y * blockDim.y + threadIdx.y; a[i * columns] = 0; }');
  assert.deepEqual([list.map(({ count, value }) => count || value), grid, block], [['rows * columns', '1024', '1024'], 'ceil_div(columns, 16), ceil_div(rows, 16)', '16, 16']);
});

test('textures and surfaces are what the functions say that access them', () => {
  const kernels = ['texture-layers', 'texture-3d', 'texture-fetch', 'surface-invert'].map((name) => readFileSync(new URL(`${name}.cu`, folder), 'utf8'));
  const [[stack], [volume], [table], [image, out, count]] = kernels.map((source) => argumentsOf(source));
  assert.deepEqual([stack.type, stack.channels, stack.extent, stack.layers], ['fp32', '2', 'n, n', '1']);
  assert.deepEqual([volume.type, volume.channels, volume.extent, volume.layers], ['fp32', '1', 'n, n, n', undefined]);
  assert.deepEqual([table.type, table.memory, table.extent], ['u32', 'linear', 'n']);
  assert.deepEqual([image, out, count].map(({ type, channels, direction }) => [type, channels, direction]), [['u8', '4', 'in'], ['fp32', '1', 'out'], ['u32', '1', 'inout']]);
});

test('a table has buffers of elements', () => {
  const [a, , c] = argumentsOf(readFileSync(new URL('batched-product.cu', folder), 'utf8'));
  assert.deepEqual([a, c].map(({ kind, type, direction, buffers, count }) => [kind, type, direction, buffers, count]), [
    ['table', 'fp32', 'in', 'batch', 'n * n'],
    ['table', 'fp32', 'out', 'batch', 'n * n'],
  ]);
});

test('structures have their fields, vectors their coordinates', () => {
  const [p, v, x] = argumentsOf('struct alignas(16) params { float a[2]; int n = 3, m; };\nusing vec = float4;\n__global__ void f(params p, vec v, const float2 *x) {}');
  assert.deepEqual([p.kind, p.align, p.fields.map(({ name, type, value }) => `${name} ${type} ${value}`)], ['struct', '16', ['a_0 fp32 1', 'a_1 fp32 1', 'n i32 3', 'm i32 1']]);
  assert.deepEqual([v.align, v.fields.map(({ name }) => name).join('')], ['16', 'xyzw']);
  assert.deepEqual([x.kind, x.type, x.count], ['buffer', 'fp32', '2 * 1048576']);
});

test('variables without contents have the elements of their dimensions', () => {
  const source = '#define R 2\n__constant__ float taps[2 * R + 1], unused;\n__constant__ float table[R][4];\n__device__ unsigned hits;\n__constant__ int set = 1;\n__global__ void f(float *y) { y[0] = taps[0] + table[0][0]; hits++; }';
  assert.deepEqual(argumentsOf(source).slice(1).map(({ name, kind, type, count, content, direction }) => [name, kind, type, count, content, direction].join(' ')), [
    'taps variable fp32 2 * 2 + 1 random in', 'table variable fp32 2 * 4 random in', 'hits variable u32 1 zero inout',
  ]);
});

test('templates have the types of their instance, and the launch what the source says of it', () => {
  const source = 'template <typename T, int N = 128> __global__ void __launch_bounds__(N, 2) __cluster_dims__(2, 1, 1) f(T *x) { auto grid = cooperative_groups::this_grid(); grid.sync(); }';
  const { arguments: [x], block, cluster, cooperative } = signatureOf(source, 'f<double, 64>');
  assert.deepEqual([x.type, block, cluster, cooperative], ['fp64', '64', '2, 1, 1', true]);
  assert.deepEqual([argumentsOf(source, 'f')[0].type, signatureOf(source).block], ['fp32', '128']);
});

test('comments, strings, declarations and unfinished texts are no kernels', () => {
  assert.equal(signatureOf('// __global__ void f(int n) {}\nconst char *s = "__global__ void g() {";'), null);
  assert.equal(signatureOf('__global__ void f(int n);'), null);
  for (const text of ['__global__', '__global__ void', '__global__ void f(', '__global__ void f(int n', '__global__ void f(int n) ', 'template <', '__global__ void f(int', '(', '__global__ void (']) assert.equal(signatureOf(text), null, text);
  assert.equal(signatureOf('__global__ void f(int n) {}', 'g'), null);
  assert.equal(signatureOf('__global__ void f(int n);\n__global__ void f(int n) {}', 'lib::f').name, 'f');
  assert.deepEqual(argumentsOf('__global__ void f(void) {}'), []);
});

test('what is already said of an argument is kept, and a list in another order differs', () => {
  const signature = signatureOf('__global__ void f(float *x, int n) { x[0] = n; }');
  const [x, n] = signature.arguments;
  const own = { ...x, expected: '2', count: '4 * n' };
  assert.deepEqual(mergedArguments([n, own], signature), [own, n]);
  assert.deepEqual(mergedArguments([{ ...own, count: '4 * old' }, { ...n, name: 'old' }], signature), [{ ...own, count: 'n' }, n], 'an argument that is gone');
  assert.ok(!differsFrom([own, n], signature));
  assert.ok(differsFrom([n, own], signature));
  assert.ok(differsFrom([own, { ...n, type: 'u32' }], signature));
  assert.ok(differsFrom([own, n, { name: 'taps', kind: 'variable' }], signature));
});
