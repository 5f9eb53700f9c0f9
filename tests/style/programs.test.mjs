// The programs of kernels/programs: they compile without warnings, those in C run, and those in CUDA handle errors in
// one way.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { c, compile, headers, nvcc, temporaryFolder, without } from './compilers.mjs';
import { root, trackedFiles } from './files.mjs';

const folder = temporaryFolder();
const programs = trackedFiles('kernels/programs/*.c', 'kernels/programs/*.cu').map((path) => [basename(path), readFileSync(join(root, path), 'utf8')]);
const ofCuda = programs.filter(([name]) => name.endsWith('.cu'));

test('there are programs in C and in CUDA', () => {
  assert.ok(ofCuda.length >= 13);
  assert.ok(programs.length - ofCuda.length >= 2);
});

test('every program in CUDA checks calls by the same macro', () => {
  const macros = ofCuda.map(([, text]) => /#define CHECK[^]*?while \(0\)\n/.exec(text)?.[0]);
  assert.match(macros[0], /cudaGetErrorString/);
  assert.deepEqual(ofCuda.filter((_, at) => macros[at] !== macros[0]).map(([name]) => name), []);
});

test('every call of the CUDA runtime is checked', () => {
  const unchecked = ofCuda.flatMap(([name, text]) => text.split('\n')
    .filter((line) => /^\s*cuda[A-Z]\w+\(/.test(line) && !/cudaGetLastError\(\); \/\*/.test(line))
    .map((line) => `${name}: ${line.trim()}`));
  assert.deepEqual(unchecked, []);
});

/** A program that uses gpulab.h also compiles where it is not: elsewhere students do not have it. */
const ways = (text) => (text.includes('"gpulab.h"') ? [['with gpulab.h', [headers]], ['without gpulab.h', []]] : [['alone', []]]);

for (const [name, text] of programs) {
  const cuda = name.endsWith('.cu');
  for (const [way, options] of ways(text)) {
    test(`${name} compiles ${way}`, { skip: without(cuda ? 'nvcc' : 'cc') }, () => {
      const compiler = cuda ? [...nvcc, '-c'] : [...c, '-std=gnu17', '-O2'];
      const program = compile(folder, [...compiler, ...options], text);
      if (cuda) return;
      const { status, stdout, stderr, output } = spawnSync(program, ['argument'], { encoding: 'utf8', env: { GPULAB_RESULTS_FD: '3' }, stdio: Array(4).fill('pipe') });
      assert.deepEqual({ status, stderr }, { status: 0, stderr: '' });
      assert.ok(stdout.length > 0);
      const results = output[3].split('\n').filter(Boolean).map((line) => JSON.parse(line));
      assert.equal(results.length > 0, options.includes(headers));
    });
  }
}
