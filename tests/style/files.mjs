// The files of the repository, for the style tests.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The top folder of the repository. */
export const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

/** Runs a program in the top folder or another; returns what spawnSync returns, with text output. */
export function run(command, args, cwd = root) {
  return spawnSync(command, args, { cwd, encoding: 'utf8', maxBuffer: 1 << 26 });
}

/** Paths, relative to `root`, of the existing files that git tracks or would add, by git's pathspecs; all without
 * any. */
export function trackedFiles(...patterns) {
  const listed = run('git', ['-c', 'safe.directory=*', 'ls-files', '--cached', '--others', '--exclude-standard', '--', ...patterns]);
  if (listed.status !== 0) throw new Error(`git ls-files: ${listed.stderr}`);
  return [...new Set(listed.stdout.split('\n').filter(Boolean))].filter((path) => existsSync(join(root, path)));
}

/** The text of a systemd unit of deploy/, with the folders of an installation to /usr/local. */
export function unit(name) {
  const text = readFileSync(join(root, 'deploy', `${name}.in`), 'utf8');
  return text.replaceAll('@GPULAB_BINDIR@', '/usr/local/bin').replaceAll('@GPULAB_DATADIR@', '/usr/local/share');
}
