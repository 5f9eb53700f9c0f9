// Layout, static analysis, scripts, lock files and build information. A tool that is not installed is a skipped test.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { basename, join, relative, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, test } from 'node:test';
import { build, execute, temporaryFolder } from '../harness/lab.mjs';
import { Faultless } from './faultless.mjs';
import { root, run, trackedFiles, unit } from './files.mjs';

const have = (command) => run('sh', ['-c', `command -v ${command}`]).status === 0;

const version = (command) => run(command, ['--version']).stdout;
const contents = (path) => readFileSync(resolve(root, path), 'utf8');

/** Runs a program in the repository; resolves with {status, output}: standard output and error together. */
async function output(command, args) {
  const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (more) => (text += more));
  const [status] = await once(child, 'close');
  return { status, output: text };
}

// Releases of clang-format and clang-tidy differ in their results: the code follows these.
const format = 'clang-format-14';
const tidy = 'clang-tidy-14';

// Suppressed: checks that need more than one file to be right, where the sanitizers decide, and errors of the parser.
const suppressed = ['missingIncludeSystem', 'internalAstError', 'memleak', 'returnDanglingLifetime'].map((id) => `--suppress=${id}`);

/** C files of the build that this machine can compile. */
function compiledFiles() {
  const path = resolve(build, 'compile_commands.json');
  if (!existsSync(path)) return [];
  const listed = JSON.parse(readFileSync(path, 'utf8')).map(({ file }) => relative(root, file));
  return [...new Set(listed)].filter((file) => /^(kernels|server|db)\/.*\.c$/.test(file)).sort();
}

// These three take longest and run side by side.
describe('tools', { concurrency: true }, () => {
  test('clang-format has nothing to change', { skip: !have(format) && `no ${format}` }, async () => {
    const checked = await output(format, ['--dry-run', '--Werror', ...trackedFiles('*.c', '*.h', '*.cu', '*.cuh')]);
    assert.equal(checked.status, 0, checked.output.split('\n').filter((line) => /error:/.test(line)).slice(0, 20).join('\n'));
  });

  test('cppcheck finds nothing', { skip: !have('cppcheck') && 'no cppcheck' }, async () => {
    const macros = 'tests/style/macros.cfg';
    const options = ['--quiet', '--std=c11', '--language=c', '--enable=warning,portability', '--inline-suppr', ...suppressed,
      `--library=${macros}`, '--error-exitcode=1', '-Ikernels', '-Idb', '-Iserver'];
    const faultless = new Faultless(version('cppcheck'), options, contents(macros));
    const files = faultless.others(trackedFiles('kernels/*.c', 'db/*.c', 'server/*.c'));
    if (files.length === 0) return;
    const checked = await output('cppcheck', [...options, `-j${cpus().length}`, ...files]);
    assert.equal(checked.status, 0, checked.output);
    faultless.add(files);
  });

  // The checks are in .clang-tidy.
  test('clang-tidy finds nothing', { skip: !have(tidy) && `no ${tidy}` }, async () => {
    const compiled = compiledFiles();
    assert.ok(compiled.length > 100, `compile_commands.json has ${compiled.length} files`);
    const faultless = new Faultless(version(tidy), contents('.clang-tidy'));
    const files = faultless.others(compiled);
    const errors = [];
    const worker = async () => {
      while (files.length > 0) {
        const some = files.splice(0, 5);
        const { status, output: text } = await output(tidy, ['--quiet', '-p', build, ...some]);
        if (status === 0) faultless.add(some);
        else errors.push(text.replaceAll(`${root}/`, ''));
      }
    };
    await Promise.all(cpus().map(worker));
    assert.deepEqual(errors, []);
  });
});

test('mypy finds nothing in the Python client, nor in calls of it', { skip: !have('mypy') && 'no mypy' }, async () => {
  const client = 'static/gpulab.py', checks = [['--strict', client], ['--check-untyped-defs', client, 'tests/api/python_client.py', 'deploy/examples/reframe_gpulab.py']];
  for (const given of checks) {
    const checked = await output('mypy', ['--ignore-missing-imports', '--python-version', '3.9', '--cache-dir', '/dev/null', ...given]);
    assert.equal(checked.status, 0, checked.output);
  }
});

test('shell scripts parse', () => {
  const scripts = trackedFiles('*.sh', '.ci/run');
  assert.ok(scripts.length >= 3);
  for (const script of scripts) assert.equal(run('bash', ['-n', script]).status, 0, script);
});

test('systemd accepts the units', { skip: !have('systemd-analyze') && 'no systemd-analyze' }, () => {
  const folder = temporaryFolder(), services = trackedFiles('deploy/*.service.in').map((path) => basename(path, '.in'));
  const units = [...services.map((name) => join(folder, name)), ...trackedFiles('deploy/*.timer')];
  assert.ok(services.length >= 3);
  for (const name of services) writeFileSync(join(folder, name), unit(name));
  const checked = run('systemd-analyze', ['verify', '--man=no', ...units]);
  const errors = checked.stderr.split('\n').filter((line) => /gpulab[\w-]*\.(service|timer)/.test(line) && !/is not executable|No such file/.test(line));
  assert.deepEqual(errors, []);
});

const systemd = /^systemd (\d+)/.exec(have('systemd-analyze') ? run('systemd-analyze', ['--version']).stdout : '')?.[1];
const exposed = /systemd (\d+) gives the unit an exposure of ([\d.]+) without the drop-in and ([\d.]+) with it/
  .exec(readFileSync(resolve(root, 'deploy/README.md'), 'utf8').replace(/\s+/g, ' '));

test('the document of deploy says how exposed the unit is with the drop-in for programs and without', { skip: systemd !== exposed?.[1] && exposed && 'another systemd' }, () => {
  const path = join(temporaryFolder(), 'gpulab.service');
  const exposure = () => /exposure level for gpulab\.service: ([\d.]+)/.exec(run('systemd-analyze', ['security', '--offline=true', path]).stdout)?.[1];
  writeFileSync(path, unit('gpulab.service'));
  const without = exposure();
  mkdirSync(`${path}.d`);
  cpSync(resolve(root, 'deploy/gpulab-programs.conf'), join(`${path}.d`, 'programs.conf'));
  assert.deepEqual([without, exposure()], exposed?.slice(2));
});

test('the lock file names no registry and pins every package', () => {
  const lock = JSON.parse(readFileSync(resolve(root, 'tests/package-lock.json'), 'utf8'));
  for (const [name, entry] of Object.entries(lock.packages)) {
    assert.equal(entry.resolved, undefined, name);
    if (name) assert.match(entry.integrity, /^sha512-/, name);
  }
});

test('no file contains the path of this checkout', () => {
  const wrong = trackedFiles().filter((path) => readFileSync(resolve(root, path)).includes(`${root}/`));
  assert.deepEqual(wrong, []);
});

test('the programs print version and commit', async () => {
  const commit = /unknown|[0-9a-f]{7,}(-dirty)?/;
  const printed = await execute('gpulab', ['--version']);
  assert.equal(printed.code, 0, printed.stderr);
  assert.match(printed.stdout, new RegExp(`\\d+\\.\\d+\\.\\d+ .*(${commit.source})`));
  // No run, so no device lock. The worker ends when its input ends: the input stays open until the answer is there.
  const worker = spawn(resolve(build, 'gpulab-worker'), ['--runtime', 'host'], { stdio: ['pipe', 'pipe', 'ignore'] });
  worker.stdin.write('{"op":"describe"}\n');
  let description;
  for await (const line of createInterface(worker.stdout)) {
    description = JSON.parse(line);
    if (description.event === 'description') break; // after hello
  }
  worker.stdin.end();
  assert.match(description.build.version, /^\d+\.\d+\.\d+$/);
  assert.match(description.build.commit, commit);
});
