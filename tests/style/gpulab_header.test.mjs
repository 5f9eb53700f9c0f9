// gpulab.h: what programs in C and C++ report with it is read back as JSON, whatever they report.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'node:test';
import { c, compile as compileIn, cpp, headers, include, nvcc, strict, temporaryFolder, without } from './compilers.mjs';
import { run } from './files.mjs';

const folder = temporaryFolder();
const compile = (compiler, ...sources) => compileIn(folder, [...compiler, headers], ...sources);

/** A program that reports. */
const main = (statements, before = '') => `${before}\n#include "gpulab.h"\nint main(void)\n{\n${statements}\nreturn 0;\n}\n`;

/** Runs a program with a descriptor for results, or the one that `results` is; resolves with what it wrote: {results,
 * stdout, stderr}. */
async function execute(program, { results = 'pipe', env = { GPULAB_RESULTS_FD: '3' } } = {}) {
  const child = spawn(program, { stdio: ['ignore', 'pipe', 'pipe', results], env });
  const written = child.stdio.slice(1).map((stream) => {
    const parts = [];
    stream?.on('data', (part) => parts.push(part));
    return parts;
  });
  const [status] = await once(child, 'close');
  const texts = written.map((parts) => new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(parts)));
  assert.equal(status, 0, texts[1]);
  return { stdout: texts[0], stderr: texts[1], results: texts[2].split('\n').filter(Boolean).map((line) => JSON.parse(line)) };
}

const reports = main(`
  double times[] = {0.25, 0.125, 3e-300};
  gpulab_result("bandwidth", 25.3e9, "B/s", "bytes=%zu memory=%s pinned=true", (size_t)1 << 20, "pinned");
  gpulab_samples("time", times, 3, "s", NULL);
  if (gpulab_time_s() > gpulab_time_s())
    return 1;`);
const reported = [
  { metric: 'bandwidth', value: 25.3e9, unit: 'B/s', axes: { bytes: 1048576, memory: 'pinned', pinned: true } },
  { metric: 'time', samples: [0.25, 0.125, 3e-300], unit: 's', axes: {} },
];

const compilers = [['cc', '-std=c99', ...strict], c, ['cc', '-std=gnu99', '-Wformat=2', ...strict], cpp, ['c++', '-x', 'c++', '-std=c++20', ...strict], nvcc];
for (const compiler of compilers) {
  test(`compiled by ${compiler.slice(0, 4).join(' ')}, it reports results`, { skip: without(compiler[0]) }, async () => {
    const program = compile(compiler, reports);
    assert.deepEqual(await execute(program), { results: reported, stdout: '', stderr: '' });
  });
}

test('without a lab, results are printed', async () => {
  const program = compile(c, reports);
  const stdout = 'bandwidth = 2.53e+10 B/s (bytes=1048576 memory=pinned pinned=true)\ntime = 0.125 s, median of 3 from 3e-300 to 0.25\n';
  assert.deepEqual(await execute(program, { env: {} }), { results: [], stdout, stderr: '' });
  for (const wrong of ['77', '-1', '3x', '99999999999999999999']) {
    const printed = await execute(program, { env: { GPULAB_RESULTS_FD: wrong } });
    assert.equal(printed.stdout, stdout);
    assert.ok(printed.stderr.startsWith(`gpulab.h: GPULAB_RESULTS_FD must be the number of a descriptor open for writing, not ${wrong}\n`));
  }
});

test('a value is a number, a boolean or text', async () => {
  const axes = {
    a: 0, b: -12.5, c: 1e5, d: 123456789012345678, e: true, f: false, g: 'True', h: '007', i: '1.', j: '.5', k: '0x10', l: '1e999', m: '1e',
    n: 'nan', o: '1234567890123456789', p: '', q: 'x=y', r: '+1', s: '-', t: 1e-999, u: '5%', v: true,
  };
  const written = Object.entries(axes).map(([name, value]) => `${name}=${value}`).join(' ').replace('c=100000', 'c=1e5')
    .replace(/d=\d+/, 'd=123456789012345678').replace('t=0', 't=1e-999').replace('5%', '5%%').replace(/v=true$/, 'v');
  const { results } = await execute(compile(c, main(`gpulab_result("x", 1, "", "${written}");`)));
  assert.deepEqual(results, [{ metric: 'x', value: 1, unit: '', axes }]);
});

test('texts may contain everything', async () => {
  const { results, stderr } = await execute(compile(c, main(String.raw`
    gpulab_result("a \"b\" \\ \n\t\x01 \xc3\xa4 %d", 1, "\"", "  device=%s  size=%- 4d   left%%=%s %s=%-5s| ", "NVIDIA H100 a=b, %s\n", 5, "", "x y", "z");
    gpulab_result("m", 1, "\xff\xc0\x80\xe2\x82", "a=%s b=%s c=%s", "\xed\xa0\x80", "\xf0\x9f\x98\x80\xf4\x90\x80\x80", "\xe0\x80\x80\xe2\x82\xac");`)));
  const bad = '\ufffd';
  assert.deepEqual(results, [
    { metric: 'a "b" \\ \n\t\x01 ä %d', value: 1, unit: '"', axes: { device: 'NVIDIA H100 a=b, %s\n', size: ' 5  ', 'left%': '', 'x y': 'z    |' } },
    { metric: 'm', value: 1, unit: bad.repeat(5), axes: { a: bad.repeat(3), b: `😀${bad.repeat(4)}`, c: `${bad.repeat(3)}€` } },
  ]);
  assert.equal(stderr, '');
});

test('a value that is not finite is null, and said to be so', async () => {
  const statements = 'double zero = 0, values[] = {1, zero / zero, -1 / zero}; gpulab_samples("s", values, 3, "s", NULL); gpulab_result("v", 1 / zero, "s", NULL);';
  for (const options of [[], ['-O2', '-ffast-math']]) {
    const { results, stderr } = await execute(compile([...c, ...options], main(`volatile ${statements.replace('double zero = 0,', 'double zero = 0; double')}`)));
    assert.deepEqual(results, [{ metric: 's', samples: [1, null, null], unit: 's', axes: {} }, { metric: 'v', value: null, unit: 's', axes: {} }]);
    assert.match(stderr, /^gpulab\.h: the result 's' has a value that is not finite.*\n.*'v' has a value that is not finite/);
  }
});

test('a locale with a decimal comma changes no number', async () => {
  const comma = String.raw`#include <stdarg.h>
    #include <stdio.h>
    #include <string.h>
    static int print(char *text, size_t size, const char *format, double number) {
      int length = snprintf(text, size, format, number);
      char *point = strchr(text, '.');
      if (point != NULL)
        *point = ',';
      return length;
    }`;
  // The header with the one call that writes a number printing as it would in such a locale, which this machine may not
  // have.
  const header = run('sed', ['s/snprintf(text, sizeof text, "%.17g", number)/print(text, sizeof text, "%.17g", number)/', join(include, 'gpulab.h')]).stdout;
  assert.match(header, / print\(text/);
  const { results } = await execute(compile(c, `${comma}\n${header}\nint main(void) { gpulab_result("x", -1.5e-7, "s", NULL); return 0; }\n`));
  assert.deepEqual(results.map(({ value }) => value), [-1.5e-7]);
});

test('what is no result is refused', async () => {
  const { results, stderr } = await execute(compile(c, main('double x = 0; gpulab_samples("none", &x, 0, "s", NULL); gpulab_result("", 1, "s", NULL); gpulab_result(NULL, 1, NULL, NULL); gpulab_result("x", 1, NULL, NULL);')));
  assert.deepEqual(results, [{ metric: 'x', value: 1, unit: '', axes: {} }]);
  assert.equal(stderr, "gpulab.h: the result 'none' has no values\n" + "gpulab.h: the result '' has no metric\n".repeat(2));
});

test('a result that cannot be written is said to be missing', async () => {
  const { stderr } = await execute(compile(c, reports), { results: openSync('/dev/full', 'w') });
  assert.equal(stderr, "gpulab.h: the result 'bandwidth' is not written: No space left on device\ngpulab.h: the result 'time' is not written: No space left on device\n");
});

test('results of several threads and files are whole lines', async () => {
  const threads = 4, each = 20, long = 50000;
  const thread = (name) => `#include <pthread.h>
    #include "gpulab.h"
    void *${name}(void *at);
    void *${name}(void *at)
    {
      static const double values[${long}];
      for (int i = 0; i < ${each}; i++)
        gpulab_samples("${name}", values, ${long}, "s", "thread=%d i=%d", *(int *)at, i);
      return NULL;
    }`;
  const program = compile(c, thread('one'), `${thread('other')}
    void *one(void *at);
    int main(void)
    {
      pthread_t threads[${threads}];
      int numbers[${threads}];
      for (int i = 0; i < ${threads}; i++)
        pthread_create(&threads[i], NULL, i % 2 == 0 ? one : other, (numbers[i] = i, &numbers[i]));
      for (int i = 0; i < ${threads}; i++)
        pthread_join(threads[i], NULL);
      return 0;
    }`);
  const { results } = await execute(program);
  assert.equal(results.length, threads * each);
  assert.equal(new Set(results.map(({ metric, axes }) => `${metric} ${axes.thread} ${axes.i}`)).size, threads * each);
  assert.ok(results.every(({ samples }) => samples.length === long));
});
