// Layout, static analysis, scripts and lock files: what can be judged without running the lab. A tool that is not there is
// a skipped test, not a passed one.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { build } from '../harness/lab.mjs';

const house = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

function run(command, args) {
  return spawnSync(command, args, { cwd: house, encoding: 'utf8', maxBuffer: 1 << 26 });
}

function have(command) {
  return run('sh', ['-c', `command -v ${command}`]).status === 0;
}

/** Files git would commit. */
function files(...patterns) {
  const listed = run('git', ['-c', 'safe.directory=*', 'ls-files', '--cached', '--others', '--exclude-standard', '--', ...patterns]);
  assert.equal(listed.status, 0, listed.stderr);
  return [...new Set(listed.stdout.split('\n').filter(Boolean))];
}

// Releases of clang-format lay out differently: the house follows this one.
const format = 'clang-format-14';
test('clang-format has nothing to change', { skip: !have(format) && `no ${format}` }, () => {
  const checked = run(format, ['--dry-run', '--Werror', ...files('*.c', '*.h', '*.cu', '*.cuh')]);
  assert.equal(checked.status, 0, checked.stderr.split('\n').filter((line) => /error:/.test(line)).slice(0, 20).join('\n'));
});

// Not asked for: what follows ownership through an interface, where cppcheck guesses (the sanitizers know), and complaints about
// its own parser.
const unasked = ['missingIncludeSystem', 'internalAstError', 'memleak', 'returnDanglingLifetime'].map((id) => `--suppress=${id}`);
test('cppcheck finds nothing', { skip: !have('cppcheck') && 'no cppcheck' }, () => {
  const checked = run('cppcheck', ['--quiet', '--std=c11', '--language=c', '--enable=warning,portability', '--inline-suppr', ...unasked,
    '--library=tests/style/jansson.cfg', '--error-exitcode=1', '-j2', '-Ikernels', '-Idb', '-Iserver',
    ...files('kernels/*.c', 'db/*.c', 'server/*.c')]);
  assert.equal(checked.status, 0, checked.stderr);
});

test('shell scripts parse', () => {
  const scripts = files('*.sh', '.ci/run');
  assert.ok(scripts.length >= 3);
  for (const script of scripts) assert.equal(run('bash', ['-n', script]).status, 0, script);
});

test('the systemd unit is one that systemd understands', { skip: !have('systemd-analyze') && 'no systemd-analyze' }, () => {
  const checked = run('systemd-analyze', ['verify', '--man=no', 'deploy/gpulab.service']);
  const complaints = checked.stderr.split('\n').filter((line) => /gpulab\.service/.test(line) && !/is not executable|No such file/.test(line));
  assert.deepEqual(complaints, []);
});

test('the lock file names no registry and pins every package', () => {
  const lock = JSON.parse(readFileSync(resolve(house, 'tests/package-lock.json'), 'utf8'));
  for (const [name, entry] of Object.entries(lock.packages)) {
    assert.equal(entry.resolved, undefined, name);
    if (name) assert.match(entry.integrity, /^sha512-/, name);
  }
});

test('nothing in the tree names the machine it was written on', () => {
  const wrong = files().filter((path) => /\.(c|h|cu|mjs|js|sh|md|txt|cmake|json|service|html|css)$/.test(path))
    .filter((path) => readFileSync(resolve(house, path), 'utf8').includes(house + '/'));
  assert.deepEqual(wrong, []);
});

test('the programs say version and commit', async () => {
  const commit = /unknown|[0-9a-f]{7,}(-dirty)?/;
  const said = run(resolve(build, 'gpulab'), ['--version']);
  assert.equal(said.status, 0, said.stderr);
  assert.match(said.stdout, new RegExp(`\\d+\\.\\d+\\.\\d+ .*(${commit.source})`));
  const worker = spawn(resolve(build, 'gpulab-worker'), ['--runtime', 'host'], { stdio: ['pipe', 'pipe', 'ignore'] });
  worker.stdin.write('{"op":"describe"}\n'); // it ends when its input does: not before the answer
  const description = JSON.parse((await once(createInterface(worker.stdout), 'line'))[0]);
  worker.stdin.end();
  assert.match(description.build.version, /^\d+\.\d+\.\d+$/);
  assert.match(description.build.commit, commit);
});
