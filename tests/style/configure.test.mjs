// What a build needs, and what configuring says where it is missing or too old.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../harness/lab.mjs';
import { root } from './files.mjs';

const skip = spawnSync('pkg-config', ['--version']).error && 'no pkg-config';

/** Configures a project where pkg-config finds the modules of `modules` alone; returns what spawnSync returns. */
function configure(source, build, modules, ...options) {
  return spawnSync('cmake', ['-G', 'Ninja', '-S', source, '-B', build, ...options], { encoding: 'utf8', env: { ...process.env, PKG_CONFIG_LIBDIR: modules, PKG_CONFIG_PATH: '' } });
}

test('the worker alone needs Jansson and nothing of the lab', { skip }, () => {
  const folder = temporaryFolder(), build = join(folder, 'build');
  const jansson = execFileSync('pkg-config', ['--variable=pcfiledir', 'jansson'], { encoding: 'utf8' }).trim();
  copyFileSync(join(jansson, 'jansson.pc'), join(folder, 'jansson.pc'));
  const { status, stderr } = configure(root, build, folder, '-DGPULAB_SERVER=OFF', '-DGPULAB_TESTS=ON', '-DGPULAB_CUDA=OFF');
  assert.equal(status, 0, stderr);
  const targets = [...execFileSync('ninja', ['-C', build, '-t', 'targets', 'all'], { encoding: 'utf8' }).matchAll(/^(gpulab[\w.-]*): (?!phony)/gm)].map(([, name]) => name);
  assert.deepEqual(targets.filter((name) => name !== 'gpulab-mpi').sort(), ['gpulab-sandbox', 'gpulab-trace.so', 'gpulab-worker']);
  assert.ok(!existsSync(join(build, 'tests')));
});

/** Configures the part of the build that finds SQLite. */
function findSqlite({ system, amalgamation }) {
  const folder = temporaryFolder(), modules = join(folder, 'modules');
  mkdirSync(modules);
  writeFileSync(join(folder, 'CMakeLists.txt'), `cmake_minimum_required(VERSION 3.22)\nproject(sqlite LANGUAGES C)\nfind_package(Threads REQUIRED)\nfind_package(PkgConfig REQUIRED)\ninclude(${root}/db/find_sqlite.cmake)\n`);
  if (system) writeFileSync(join(modules, 'sqlite3.pc'), `Name: SQLite\nDescription: SQLite\nVersion: ${system}\nLibs: -lsqlite3\n`);
  const options = [];
  if (amalgamation !== undefined) {
    options.push(`-DGPULAB_SQLITE_AMALGAMATION=${modules}`);
    writeFileSync(join(modules, 'sqlite3.h'), `#define SQLITE_VERSION        "${amalgamation}"\n#define SQLITE_VERSION_NUMBER 1\n`);
    if (amalgamation) writeFileSync(join(modules, 'sqlite3.c'), '');
  }
  const { status, stdout, stderr } = configure(folder, join(folder, 'build'), modules, ...options);
  return { status, stdout, said: stderr.replace(/\s+/g, ' ') };
}

test('an old SQLite of the system is named, with what to do about it', { skip }, () => {
  const advice = 'Unpack the amalgamation of https://sqlite.org/download.html and configure with -DGPULAB_SQLITE_AMALGAMATION=FOLDER, where its sqlite3.c and sqlite3.h are.';
  for (const [given, found] of [[{ system: '3.34.1' }, 'pkg-config has 3.34.1'], [{}, 'pkg-config finds none'], [{ amalgamation: '3.36.0' }, 'modules has 3.36.0'], [{ amalgamation: '' }, 'modules finds none']]) {
    const { status, said } = findSqlite(given);
    assert.notEqual(status, 0);
    assert.match(said, /gpulab needs SQLite 3\.37 or later; \S+ (finds none|has [\d.]+)\. /);
    assert.ok(said.includes(`${found}. ${advice}`), said);
  }
});

test('a new amalgamation takes the place of an old SQLite of the system', { skip }, () => {
  const { status, stdout, said } = findSqlite({ system: '3.34.1', amalgamation: '3.53.2' });
  assert.equal(status, 0, said);
  assert.match(stdout, /-- SQLite 3\.53\.2 of \S+\/modules\n/);
  assert.equal(findSqlite({ system: '3.37.0' }).status, 0);
});
