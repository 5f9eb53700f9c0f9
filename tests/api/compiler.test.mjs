// gpulab-compiler: what a source can include, and what becomes of hostile ones. Needs NVRTC, but no GPU.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { execute } from '../harness/lab.mjs';

/** Compiles a request; resolves with {answer, signal, stderr}; `answer` is undefined if the process was ended by a
 * signal. */
async function ask(request, options = []) {
  const { code, signal, stdout, stderr } = await execute('gpulab-compiler', options, { input: JSON.stringify(request), timeout_s: 120 });
  if (!signal) assert.equal(code, 0, stderr);
  return { answer: stdout ? JSON.parse(stdout) : undefined, signal, stderr };
}

const compile = async (source, more = {}) => (await ask({ source, architecture: 'sm_90', ...more })).answer;

const { answer: { error, compiler } } = await ask({});
const skip = error && `no NVRTC: ${error.detail}`;
const kernel = '__global__ void k(int *p) { p[0] = 1; }\n';

test('without NVRTC the answer says so', { skip: !skip && 'NVRTC is installed' }, () => {
  assert.equal(error.code, 'no-compiler');
  assert.match(error.detail, /^This lab has no NVRTC/);
});

test('without a source the compiler describes itself', { skip }, () => {
  assert.match(compiler.version, /^\d+\.\d+$/);
  assert.ok(compiler.architectures.includes('sm_90'));
  assert.ok(compiler.protection.includes('seccomp'));
});

test('a source is compiled to PTX and machine code, with the resources of its kernels', { skip }, async () => {
  const answer = await compile(`template <int N> __global__ void t(float *p, char c) { __shared__ float s[N]; s[threadIdx.x] = p[c]; __syncthreads(); p[0] = s[1]; }
    template __global__ void t<100>(float *, char);
    extern "C" __global__ void plain() {}\n`);
  assert.equal(answer.status, 'compiled', answer.log);
  assert.deepEqual(answer.messages, []);
  assert.match(answer.ptx, /\.target sm_90/);
  assert.equal(Buffer.from(answer.cubin, 'base64').toString('latin1', 1, 4), 'ELF');
  const [t, plain] = ['_Z1tILi100EEvPfc', 'plain'].map((name) => answer.kernels.find((one) => one.name === name));
  assert.deepEqual([t.shared_bytes, t.local_bytes, t.spill_bytes, t.parameters], [400, 0, 0, [8, 1]]);
  assert.deepEqual([plain.shared_bytes, plain.parameters], [0, []]);
  assert.ok(t.registers > plain.registers && t.registers < 64);
  assert.deepEqual(plain.occupancy[0], { threads: 32, warps: 32, share: 0.5, limit: 'blocks' });
});

test('instances of templates are compiled on request, and a wrong one is named', { skip }, async () => {
  const template = 'template <int N> __global__ void scale(float *x) { x[threadIdx.x] *= N; }\nnamespace lab { __global__ void k() {} }\n';
  const instances = await compile(template, { entries: ['scale<4>', 'lab::k'] });
  assert.deepEqual(instances.entries, { 'scale<4>': '_Z5scaleILi4EEvPf', 'lab::k': '_ZN3lab1kEv' });
  assert.deepEqual(instances.kernels.map(({ name }) => name).sort(), Object.values(instances.entries).sort());
  const wrong = await compile(template, { entries: ['scale<M>'] });
  assert.equal(wrong.status, 'rejected');
  assert.deepEqual(wrong.messages[0], { severity: 'error', text: 'In the name of the entry: identifier "M" is undefined' });
});

test('too much static shared memory is named, which the compiler itself rejects without a message', { skip }, async () => {
  const answer = await compile('extern "C" __global__ void large(int *x) { __shared__ int s[100000]; s[threadIdx.x] = *x; __syncthreads(); *x = s[0]; }\n');
  assert.equal(answer.status, 'rejected');
  assert.match(answer.messages[0].text, /^The kernel large declares 400000 bytes of shared memory; at most 49152/);
});

test('errors and warnings have file, line and column', { skip }, async () => {
  const answer = await compile('__global__ void k() {\n  int é; /* é */ x = 1;\n}\n', { name: 'mine.cu' });
  assert.equal(answer.status, 'rejected');
  const undefinedName = answer.messages.find(({ text }) => text.includes('"x" is undefined'));
  assert.deepEqual(undefinedName, { severity: 'error', file: 'mine.cu', line: 2, column: 18, text: 'identifier "x" is undefined' });
  const warned = await compile('__global__ void k() {\n\tint unused;\n}\n');
  assert.equal(warned.status, 'compiled');
  assert.deepEqual(warned.messages.map(({ severity, line, column }) => [severity, line, column]), [['warning', 2, 6]]);
});

test('options change what is compiled', { skip }, async () => {
  const source = '__global__ void k(float *p) { p[0] = sinf(p[1]); }\n';
  assert.doesNotMatch((await compile(source)).ptx, /sin\.approx/);
  assert.match((await compile(source, { options: { fast_math: true } })).ptx, /sin\.approx/);
  assert.doesNotMatch((await compile(source)).ptx, /\.loc\b/);
  assert.match((await compile(source, { options: { line_info: true } })).ptx, /\.loc\b/);
});

test('requests are checked', { skip }, async () => {
  const refused = async (request, pointer) => assert.equal((await ask(request)).answer.error.pointer, pointer, JSON.stringify(request));
  await refused({ source: kernel }, '/architecture');
  await refused({ source: kernel, architecture: 'x' }, '/architecture');
  await refused({ source: kernel, architecture: 'sm_90 --help' }, '/architecture');
  await refused({ source: kernel, architecture: 'sm_11' }, '/architecture');
  await refused({ source: kernel, architecture: 'sm_90', name: '../k.cu' }, '/name');
  await refused({ source: `${kernel}\0`, architecture: 'sm_90' }, '/source');
  await refused({ source: 'x'.repeat(262145), architecture: 'sm_90' }, '/source');
  await refused({ source: 1, architecture: 'sm_90' }, '/source');
  await refused({ source: kernel, architecture: 'sm_90', other: 1 }, '/other');
  await refused({ source: kernel, architecture: 'sm_90', options: { fast_math: 1 } }, '/options/fast_math');
  await refused({ source: kernel, architecture: 'sm_90', entries: ['k', 1] }, '/entries/1');
  assert.equal((await ask([])).answer.error.code, 'invalid-request');
});

test('headers of this program and of the toolkit can be included', { skip }, async () => {
  const including = (headers) => compile(`${headers.map((header) => `#include ${header}\n`).join('')}${kernel}`);
  const own = await including(['<cstdint>', '<stdint.h>', '<cassert>', '<climits>', '<cfloat>', '<cmath>', '<stdio.h>', '<cuda_runtime.h>', '"stream.h"', '"benchmark/check.h"']);
  assert.equal(own.status, 'compiled', own.log);
  if ((await including(['<cuda_fp16.h>'])).status !== 'compiled') return; // there is no toolkit
  const toolkit = await including(['<cuda_bf16.h>', '<mma.h>', '<cooperative_groups.h>', '<cooperative_groups/reduce.h>', '<cuda_pipeline.h>', '<curand_kernel.h>']);
  assert.equal(toolkit.status, 'compiled', toolkit.log);
});

/** Whether the toolkit's headers are there. */
const hasToolkit = !skip && (await compile(`#include <cuda_fp16.h>\n${kernel}`)).status === 'compiled';
const skipToolkit = skip || (!hasToolkit && 'the headers of the CUDA toolkit are not installed');

const groups = `#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
`;
const marker = `#ifdef _CG_USE_CUDA_STL
extern "C" __global__ void with_libcu() {}
#endif
`;

test('cooperative groups are compiled without libcu++ where they do not need it', { skip: skipToolkit }, async () => {
  const source = `${groups}extern "C" __global__ void k(float *x, int *y) {
    auto grid = cg::this_grid();
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    float sum = cg::reduce(tile, x[grid.thread_rank()], cg::plus<float>());
    int least = cg::reduce(tile, y[grid.thread_rank()], cg::less<int>());
    grid.sync();
    if (sum > 0) y[grid.size()] = cg::coalesced_threads().num_threads();
    x[grid.thread_rank()] = sum + cg::exclusive_scan(tile, least, cg::plus<int>()) + cg::labeled_partition(tile, least).size() + tile.shfl_down(sum, 1);
  }\n${marker}`;
  const names = ({ kernels }) => kernels.map(({ name }) => name).sort();
  const without = await compile(source), whole = await compile(`#undef _CG_LIMIT_INCLUDED_DEPENDENCIES\n${source}`);
  assert.deepEqual([names(without), names(whole)], [['k'], ['k', 'with_libcu']]);
  const code = ({ ptx }) => ptx.slice(ptx.indexOf('.entry k(')).split('.entry with_libcu')[0].match(/^\t\S.*;$/gm);
  assert.ok(code(without).length > 50);
  assert.deepEqual(code(without), code(whole));
});

test('cooperative groups have libcu++ where it is needed, and errors are those with it', { skip: skipToolkit }, async () => {
  const needing = await compile(`${groups}extern "C" __global__ void k(int *x, cuda::std::int32_t n) {
    cuda::atomic_ref<int, cuda::thread_scope_device> sum(*x);
    cg::reduce_update_async(cg::tiled_partition<32>(cg::this_thread_block()), sum, n, cg::plus<int>());
  }\n${marker}`);
  assert.equal(needing.status, 'compiled', needing.log);
  assert.ok(needing.kernels.some(({ name }) => name === 'with_libcu'));
  const wrong = 'extern "C" __global__ void k(cuda::std::int32_t *x) { *x = cg::this_grid().y; }\n';
  const answer = await compile(`\n${groups}${wrong}`), whole = await compile(`#undef _CG_LIMIT_INCLUDED_DEPENDENCIES\n${groups}${wrong}`);
  assert.equal(answer.status, 'rejected');
  assert.deepEqual(answer.messages, whole.messages);
});

test('a header is found, whoever makes its name', { skip: skipToolkit }, async () => {
  const ways = {
    'a macro': '#define H <cuda_fp16.h>\n#include H\n',
    'a macro of a macro': '#define S(x) #x\n#define T(x) S(x)\n#define NAME cuda_fp\n#define JOIN(a, b) a##b\n#define CALL(a, b) JOIN(a, b)\n#include T(CALL(NAME, 16).h)\n',
    'a continued line': '#include \\\n  <cuda_fp16.h>\n',
    'a continued line with a carriage return': '#include \\\r\n  <cuda_fp16.h>\r\n',
    'a name over two lines': '#include <cuda_\\\nfp16.h>\n',
    'comments': '/* a */ # /* b */ include /* c */ <cuda_fp16.h> // d\n',
    'a digraph': '%:include <cuda_fp16.h>\n',
    'code that is switched on': '#define H <cuda_fp16.h>\n#if __has_include(H)\n#include H\n#endif\n',
  };
  for (const [what, text] of Object.entries(ways)) {
    const { status, log } = await compile(`${text}__global__ void k(half *p) { p[0] = p[1]; }\n`);
    assert.equal(status, 'compiled', `${what}: ${log}`);
  }
});

test('headers of the C++ library are those of libcu++, in std', { skip: skipToolkit }, async () => {
  const { status, log } = await compile(`#include <algorithm>\n#include <limits>\n#include <type_traits>\n#include <utility>\n#include <array>\n#include <tuple>
    #include <functional>\n#include <numeric>\n#include <cmath>\n#include <cstring>\n#include <cinttypes>\n#include <time.h>\n#include <cuda.h>
    __global__ void k(int *p, float *x, const __grid_constant__ CUtensorMap map) {
      std::array<int, 3> a{1, 2, 3};
      auto pair = std::make_tuple(p[0], std::max(p[1], 2));
      static_assert(std::is_same_v<decltype(pair), std::tuple<int, int>>);
      p[1] = std::accumulate(a.begin(), a.end(), std::get<1>(pair)) + std::plus<int>()(p[2], 1);
      std::swap(p[3], p[4]);
      x[0] = std::numeric_limits<float>::lowest() + std::sqrt(x[1]) + static_cast<float>(M_PI) + (x[2] < INFINITY);
      std::memcpy(&p[5], &x[3], sizeof(float));
      printf("%" PRIu64, static_cast<std::uint64_t>(p[6]));
      time_t seconds = clock();
      p[7] = static_cast<int>(seconds);
    }\n`);
  assert.equal(status, 'compiled', log);
});

const hostSources = {
  'a whole program': ['#include <stdio.h>\n#include <iostream>\n#include <vector>\n#include "helper_cuda.h"\n__global__ void k() {}\nint main()\n{\n  k<<<1, 2>>>();\n}\n', 2,
    'gpulab takes kernels only: remove the #include of iostream (line 2), the #include of vector (line 3), the #include of helper_cuda.h (line 4), main (line 6).'],
  'host functions and variables': ['int n = 3;\nfloat twice(float x) { return 2 * x; }\n__host__ int half(int x) { return x / 2; }\n__global__ void k() {}\n', 1,
    'gpulab takes kernels only: remove, or declare as __device__: n (line 1), twice (line 2), half (line 3).'],
  'a launch in a kernel': ['__global__ void a() {}\n__global__ void k() { a<<<1, 1>>>(); }\n', 2, 'gpulab takes kernels only: remove the launch <<<…>>> (line 2).'],
  'a launch outside functions': ['__global__ void a() {}\na<<<1, 1>>>();\n', 2, 'gpulab takes kernels only: remove the launch <<<…>>> (line 2).'],
};
for (const [what, [source, line, sentence]] of Object.entries(hostSources)) {
  test(`${what}: the first error says what to remove`, { skip }, async () => {
    const { status, messages: [first, ...others] } = await compile(source);
    assert.deepEqual([status, first.severity, first.file, first.line], ['rejected', 'error', 'kernel.cu', line]);
    assert.ok(first.text.startsWith(sentence), first.text);
    for (const { text } of others) assert.doesNotMatch(text, /default-device/);
  });
}

test('a header that needs host code is named', { skip: skipToolkit }, async (t) => {
  const { status, log, messages: [{ file, text }] } = await compile(`#include <thrust/device_vector.h>\n${kernel}`);
  if (log.includes('"thrust/device_vector.h"')) return t.skip('the toolkit has no Thrust');
  assert.equal(status, 'rejected');
  assert.match(file, /^thrust\//);
  assert.equal(text, `gpulab takes kernels only: remove the #include that leads to ${file}.`);
});

test('a source without a kernel says so, and that templates need an entry', { skip }, async () => {
  const template = 'template <class T> __global__ void scale(T *x) { x[threadIdx.x] *= 2; }\n';
  for (const source of ['__device__ int f() { return 1; }\n', template]) {
    const { status, messages: [{ severity, text }] } = await compile(source);
    assert.deepEqual([status, severity], ['compiled', 'warning']);
    assert.match(text, /^There is no kernel: .* an instance that the entry names, such as scale<float>\.$/);
  }
  assert.deepEqual((await compile(template, { entries: ['scale<float>'] })).messages, []);
});

test('kernels and messages have names of C++ beside the symbols', { skip }, async () => {
  const { kernels, names } = await compile('namespace lab { template <class T> __global__ void scale(T *x, int n) { x[n] = 1; } }\n', { entries: ['lab::scale<float>'] });
  const [{ name, signature }] = kernels;
  assert.deepEqual([name, signature], ['_ZN3lab5scaleIfEEvPT_i', 'void lab::scale<float>(float*, int)']);
  assert.equal(names[name], signature);
  const large = await compile('__global__ void large(int *x) { __shared__ int s[100000]; s[threadIdx.x] = *x; __syncthreads(); *x = s[0]; }\n');
  assert.match(large.messages[0].text, /^The kernel large\(int\*\) declares 400000 bytes/);
});

test('exponentially long names stay symbols', { skip }, async () => {
  const levels = Array.from({ length: 16 }, (_, i) => `typedef P<T${i}, T${i}> T${i + 1};`).join(' ');
  const { status, kernels: [{ name, signature }] } = await compile(`template <class A, class B> struct P {}; typedef int T0; ${levels}\n__global__ void k(T16 *p) {}\n`);
  assert.deepEqual([status, signature], ['compiled', name]);
});

const repeat = (text, count) => text.repeat(count);
const fanOut = (levels, ways, make) => Array.from({ length: levels }, (_, i) => make(i, repeat(`N${i + 1} `, ways))).join('');
const limited = /^SIG(XCPU|ABRT|SEGV|KILL)$/;

/** Sources that try to read files: each is rejected with this message. */
const readers = {
  'an absolute include': ['#include "/etc/passwd"\n', /^gpulab takes kernels only: remove the #include of \/etc\/passwd \(line 1\)/],
  'a relative include': ['#include "../../../../../../../../etc/passwd"\n', /remove the #include of (\.\.\/){8}etc\/passwd/],
  'an include through a folder of the toolkit': ['#include <cuda/std/../../../../../../../../etc/passwd>\n', /remove the #include of cuda\/std\/(\.\.\/){8}etc\/passwd/],
  'an include of the environment': ['#include </proc/self/environ>\n', /remove the #include of \/proc\/self\/environ/],
  'an include named by a macro': ['#define F "/etc/passwd"\n#include F\n', /remove the #include of \/etc\/passwd \(line 2\)/],
  'an include whose name a macro makes': ['#define S(x) #x\n#define T(x) S(x)\n#define E etc\n#include T(/E/passwd)\n', /remove the #include of \/etc\/passwd \(line 4\)/],
  'an include of a folder': ['#include <cuda>\n', /remove the #include of cuda /],
  'an include of itself': ['#include __FILE__\n', /includes itself/],
  'a question whether a file exists': ['#if __has_include("/etc/passwd")\n#error it exists\n#else\n#error unknown\n#endif\n', /unknown/],
  'a question with a macro': ['#define F </etc/passwd>\n#if __has_include(F)\n#error it exists\n#else\n#error unknown\n#endif\n', /unknown/],
  '#embed': ['__device__ const char s[] = {\n#embed "/etc/passwd"\n};\n', /unrecognized preprocessing directive|cannot open/],
  '.incbin in inline PTX': ['__global__ void a() { asm volatile(".incbin \\"/etc/passwd\\""); }\n', /incbin/],
  '.include in inline PTX': ['__global__ void a() { asm volatile(".include \\"/etc/passwd\\""); }\n', /include/],
  '.file in inline PTX': ['__global__ void a() { asm volatile(".file 1 \\"/etc/passwd\\""); }\n', /file/],
};
for (const [what, [source, message]] of Object.entries(readers)) {
  test(`${what} reads nothing`, { skip }, async () => {
    const answer = await compile(source + kernel);
    assert.equal(answer.status, 'rejected');
    assert.match(answer.messages[0].text, message);
    assert.doesNotMatch(JSON.stringify(answer), /root:/);
  });
}

/** Sources that need too much: each is rejected, or its process ended by a limit. */
const greedy = {
  'endless templates': 'template <int N> struct T { static const int v = T<N + 1>::v + T<N + 2>::v; };\n__global__ void a(int *p) { p[0] = T<0>::v; }\n',
  'exponential templates': `template <class A, class B> struct P {}; template <int N, class X> struct W { typedef typename W<N - 1, P<X, X>>::t t; };
    template <class X> struct W<0, X> { typedef X t; };\n__global__ void a(int *p) { W<40, int>::t q; f(q); }\n`,
  'recursive constexpr': '__device__ constexpr long f(long n) { return n < 2 ? 1 : f(n - 1) + f(n - 2); }\n__global__ void a(long *p) { constexpr long v = f(90); p[0] = v; }\n',
  'an endless constexpr loop': '__device__ constexpr long f() { long s = 0; for (;;) s++; return s; }\n__global__ void a(long *p) { constexpr long v = f(); p[0] = v; }\n',
  '100 MB of messages': `#define N9 _Pragma("message(\\"${repeat('x', 100)}\\")")\n${fanOut(9, 10, (i, next) => `#define N${i} ${next}\n`)}N0\n`,
  'macros of 10^15 words': `#define N30 +1\n${fanOut(30, 3, (i, next) => `#define N${i} ${next}\n`)}__global__ void a(int *p) { p[0] = N0; }\n`,
  'an initialised array of 16 GiB': '__device__ int a[1ll << 32] = {1};\n__global__ void b(int *p) { p[0] = a[p[1]]; }\n',
  '256 KiB of (': repeat('(', 262144),
  '100000 nested blocks': `__global__ void a() {${repeat('{', 100000)}`,
  '100000 unary operators': `__global__ void a(int *p) { p[0] = ${repeat('-~', 100000)}1; }\n`,
};
for (const [what, source] of Object.entries(greedy)) {
  test(`${what}: rejected, or ended by a limit`, { skip }, async () => {
    const { answer, signal } = await ask({ source: source, architecture: 'sm_90' }, ['--processor-seconds', '2', '--memory-mib', '1024']);
    if (signal) assert.match(signal, limited);
    else assert.equal(answer.status, 'rejected', answer.log);
  });
}

test('what is only large is compiled', { skip }, async () => {
  for (const source of ['__device__ int a[1ll << 40];\n', '__global__ void b(int *p) { int a[1 << 20]; a[p[0]] = 1; p[1] = a[p[2]]; }\n', '#warning long\n'.repeat(1000)])
    assert.equal((await compile(source + kernel)).status, 'compiled', source.slice(0, 40));
  const { messages, log } = await compile('#warning long\n'.repeat(5000));
  assert.equal(messages.length, 100);
  assert.ok(Buffer.byteLength(log) <= 65536);
});
