// Compiles programs with the headers of kernels/programs/include, for the tests of these headers and of the programs.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { root, run } from './files.mjs';

/** The folder with the headers that programs can include. */
export const include = join(root, 'kernels/programs/include');

/** A folder that exists until the tests of the file have ended. */
export function temporaryFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'gpulab-programs-'));
  after(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** The path of a compiler; nvcc need not be in PATH. "" if there is none. */
const find = (command) => run('sh', ['-c', 'PATH=$PATH:/usr/local/cuda/bin; command -v "$0"', command]).stdout.trim();

/** The option `skip` of a test that needs a compiler. */
export const without = (command) => (find(command) ? false : `no ${command}`);

/** With this option programs can include the headers. */
export const headers = `-I${include}`;

/** The warnings that C and C++ must not have, as errors; compilers with their options. */
export const strict = ['-pedantic', '-Wall', '-Wextra', '-Wconversion', '-Wshadow', '-Werror'];
export const c = ['cc', '-std=c17', ...strict, '-Wstrict-prototypes', '-Wmissing-prototypes'];
export const cpp = ['c++', '-x', 'c++', '-std=c++11', ...strict];
export const nvcc = ['nvcc', '-x', 'cu', '-arch=sm_90', '-Werror', 'all-warnings', '-Xcompiler', '-Wall,-Wextra,-Werror'];

/** Where it is installed, compilers run through ccache, as in build.sh: nvcc takes a second of processor time for a
 * program. It finds what it has compiled by the names of the sources too, which are therefore the same in each run. */
const ccache = [find('ccache')].filter(Boolean);

/** Compiles sources, the texts of files, to a program in `folder` with a compiler and its options; returns the
 * program's path. Characters up to ff are bytes. Expects neither errors nor warnings. */
export function compile(folder, [command, ...options], ...sources) {
  const program = join(folder, 'program');
  const files = sources.map((text, at) => `${at}.c`);
  files.forEach((file, at) => writeFileSync(join(folder, file), Buffer.from(sources[at], 'latin1')));
  const [first, ...rest] = [...ccache, find(command), ...options, ...files, '-o', program, '-lpthread'];
  const { status, stderr } = run(first, rest, folder);
  assert.deepEqual({ status, stderr }, { status: 0, stderr: '' });
  return program;
}
