// What `cmake --install` installs: programs that find each other there, units that name the installed programs, manual
// pages and completions that say what the programs' help says.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { quick } from '../harness/cli.mjs';
import { build, environment, temporaryFolder } from '../harness/lab.mjs';
import { root } from '../style/files.mjs';

const folder = temporaryFolder(), prefix = join(folder, 'opt');
before(() => execFileSync('cmake', ['--install', build, '--prefix', prefix], { stdio: ['ignore', 'ignore', 'inherit'] }));

const installed = (...path) => join(prefix, ...path);
const gpulab = (...args) => {
  const { status, stdout, stderr } = spawnSync(installed('bin/gpulab'), args, { encoding: 'utf8', env: environment(folder) });
  assert.equal(status, 0, stderr);
  return stdout;
};
const commands = () => [...gpulab('help').matchAll(/^ {2}([a-z]+) /gm)].map(([, name]) => name);
const page = (name) => gunzipSync(readFileSync(installed('share/man/man1', `${name}.1.gz`))).toString().replaceAll('\\-', '-').replaceAll('\\e', '\\');

test('bin has the program that people start, which finds the others', () => {
  assert.deepEqual(readdirSync(installed('bin')), ['gpulab']);
  const output = gpulab('run', 'transfer', ...quick, '--runtime', 'host', '--db', join(folder, 'runs.db'), '--lock-dir', folder);
  assert.match(output, /succeeded in .*: (\d+) measurements, \1 verified, 0 wrong/);
});

test('an installed worker finds the program that keeps programs of people from the machine', () => {
  const source = join(folder, 'hello.c');
  writeFileSync(source, '#include <stdio.h>\nint main(void) { puts("hello from the sandbox"); }\n');
  const user = process.getuid() === 0 ? ['--program-user', 'nobody'] : [];
  const output = gpulab('program', source, '--runtime', 'host', '--db', join(folder, 'programs.db'), '--lock-dir', folder, ...user);
  assert.match(output, /hello from the sandbox/);
});

test('units start what is installed, and nothing else', () => {
  const text = readdirSync(installed('lib/systemd/system')).map((unit) => readFileSync(installed('lib/systemd/system', unit), 'utf8')).join('\n');
  const started = [...text.matchAll(/^ExecStart=(?:\/bin\/sh -c 'exec )?(\S+)/gm)].map(([, path]) => path);
  assert.equal(started.length, 3);
  for (const path of started)
    assert.ok(path.startsWith(prefix) && existsSync(path), `${path} is not installed`);
  assert.match(readFileSync(installed('lib/sysusers.d/gpulab.conf'), 'utf8'), new RegExp(`^u ${/^User=(.*)$/m.exec(text)[1]} `, 'm'));
});

test('units name the folders that the build was configured for, relative or absolute', () => {
  const units = (...settings) => {
    const made = temporaryFolder();
    execFileSync('cmake', [`-Dunits=${join(root, 'deploy')}`, `-Dmade=${made}`, `-DCMAKE_INSTALL_PREFIX=${join(made, 'opt')}`, ...settings, '-P', join(root, 'deploy/install_units.cmake')],
      { stdio: ['ignore', 'ignore', 'inherit'] });
    const text = readdirSync(join(made, 'opt/lib/systemd/system')).map((unit) => readFileSync(join(made, 'opt/lib/systemd/system', unit), 'utf8')).join('\n');
    assert.doesNotMatch(text, /\/usr\/local|@[A-Z_]+@/);
    return [...text.matchAll(/^ExecStart=(?:\/bin\/sh -c 'exec )?(\S+)/gm)].map(([, path]) => path.replace(made, ''));
  };
  assert.deepEqual(units('-DBINDIR=sbin', '-DDATADIR=data'), ['/opt/sbin/gpulab', '/opt/data/gpulab/examples/nightly.sh', '/opt/sbin/gpulab']);
  assert.deepEqual(units('-DBINDIR=/else/bin', '-DDATADIR=share')[2], '/else/bin/gpulab');
});

test('each command has a manual page with all of its options', () => {
  assert.ok(commands().length > 20);
  assert.deepEqual(readdirSync(installed('share/man/man1')).sort(), ['gpulab.1.gz', ...commands().map((name) => `gpulab-${name}.1.gz`)].sort());
  for (const command of commands()) {
    const text = page(`gpulab-${command}`), options = [...gpulab('help', command).matchAll(/^ {2}(--[a-z-]+)/gm)].map(([, name]) => name);
    assert.ok(options.length > 0);
    for (const option of options)
      assert.match(text, new RegExp(`^\\.TP\\n\\.B ${option}( |$)`, 'm'), `${command} ${option}`);
  }
  assert.match(page('gpulab-run'), /^\.SH SYNOPSIS\n\.nf\ngpulab run NAME /m);
  assert.match(page('gpulab-program'), /^\.nf\n {2}gpulab program main\.cu /m, 'examples stay as they are');
});

test('groff finds nothing wrong with the manual pages', { skip: spawnSync('groff', ['--version']).error && 'no groff' }, () => {
  for (const command of commands()) {
    const { stderr } = spawnSync('groff', ['-man', '-ww', '-Tutf8', '-z'], { input: page(`gpulab-${command}`).replaceAll('-', '\\-'), encoding: 'utf8' });
    assert.equal(stderr, '', command);
  }
});

test('bash completes commands, experiments and options', () => {
  const complete = (...words) => execFileSync('bash', ['-c', `source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _gpulab; echo "\${COMPREPLY[@]}"`,
    'bash', installed('share/bash-completion/completions/gpulab'), 'gpulab', ...words],
  { encoding: 'utf8', env: { ...environment(folder), PATH: `${installed('bin')}:${process.env.PATH}` } }).trim();
  assert.equal(complete('comp'), 'compile compare');
  assert.equal(complete('help', 'sw'), 'sweep');
  assert.equal(complete('run', 'transf'), 'transfer');
  assert.equal(complete('run', 'transfer', '--qui'), '--quick');
  assert.equal(complete('show', ''), '', 'files are offered');
});

// With the debug preset, whose prefix is /usr/local.
test('a package is for /usr whatever the build was configured for', { skip: spawnSync('dpkg-deb', ['--version']).error && 'no dpkg-deb' }, () => {
  execFileSync('cpack', ['-G', 'DEB', '-D', 'CPACK_COMPONENTS_ALL=gpulab', '-D', 'CPACK_DEBIAN_PACKAGE_SHLIBDEPS=OFF', '-D', 'CPACK_STRIP_FILES=OFF',
    '-D', 'CPACK_DEBIAN_COMPRESSION_TYPE=none', '-B', join(folder, 'packages')], { cwd: build, stdio: ['ignore', 'ignore', 'inherit'] });
  const [file] = readdirSync(join(folder, 'packages')).filter((name) => name.endsWith('.deb'));
  execFileSync('dpkg-deb', ['--extract', join(folder, 'packages', file), join(folder, 'root')]);
  assert.deepEqual(readdirSync(join(folder, 'root')), ['usr']);
  const unit = readFileSync(join(folder, 'root/usr/lib/systemd/system/gpulab.service'), 'utf8');
  assert.match(unit, /^ExecStart=\/usr\/bin\/gpulab serve$/m);
  assert.doesNotMatch(unit, /\/usr\/local/);
});
