// Packages of the machine that builds: one that is installed only in part is as good as absent.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';

const find = new URL('../../kernels/experiments/multi_gpu/mpi/program/find_mpi.cmake', import.meta.url).pathname;

test('an mpicc without the headers of Open MPI does not end the configuration', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'gpulab-test-'));
  try {
    writeFileSync(join(folder, 'mpicc'), `#!/bin/sh
      case "$1" in
      -showme:compile | --showme:compile) echo -I${folder}/absent/include ;;
      -showme:link | --showme:link) echo -L${folder}/absent/lib -lmpi ;;
      -showme:incdirs) echo ${folder}/absent/include ;;
      -show* | --show*) echo gcc -I${folder}/absent/include -L${folder}/absent/lib -lmpi ;;
      *) exec gcc -I${folder}/absent/include -L${folder}/absent/lib "$@" -lmpi ;;
      esac\n`, { mode: 0o755 });
    mkdirSync(join(folder, 'source'));
    writeFileSync(join(folder, 'source', 'CMakeLists.txt'), `cmake_minimum_required(VERSION 3.22)
      project(part C)
      include(${find})
      message(STATUS "have: \${GPULAB_HAVE_MPI}")\n`);
    const { stdout } = await promisify(execFile)('cmake', ['-S', join(folder, 'source'), '-B', join(folder, 'build')],
      { env: { ...process.env, PATH: `${folder}:${process.env.PATH}` } });
    assert.match(stdout, /no Open MPI .* found; built without gpulab-mpi/);
    assert.match(stdout, /have: OFF/);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
