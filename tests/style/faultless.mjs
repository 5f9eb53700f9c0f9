// Remembers in which C files a tool has found nothing, for all checkouts and runs, as ccache remembers what it has
// compiled: by a hash of the tool, its options and the text of all files that it reads. A file that is not compiled in
// the build is not remembered.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { build } from '../harness/lab.mjs';
import { root, run } from './files.mjs';

/** One hash in hexadecimal digits a line. */
const remembered = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'gpulab-tests', 'faultless');
const KEPT = 100_000; // then it begins anew

const hashOf = (data) => createHash('sha256').update(data).digest('hex');

const texts = new Map();
function text(path) {
  if (!texts.has(path)) texts.set(path, existsSync(path) ? readFileSync(path, 'utf8') : ''); // removed since the build
  return texts.get(path);
}

const hashes = new Map();
function hashOfFile(path) {
  if (!hashes.has(path)) hashes.set(path, hashOf(text(path)));
  return hashes.get(path);
}

/** What the compiler has read for each source file of the build, which is among it: absolute paths by absolute
 * paths. */
function readByCompiler() {
  const read = new Map();
  for (const object of run('ninja', ['-C', build, '-t', 'deps']).stdout.split('\n\n')) {
    const [head, ...paths] = object.trim().split(/\n\s*/).map((line) => resolve(build, line));
    if (!head.endsWith('(VALID)') || paths.length === 0) continue;
    read.set(paths[0], [...(read.get(paths[0]) ?? []), ...paths]);
  }
  return read;
}

/** Adds the files of the repository that the files of a set include under any condition, because cppcheck reads those
 * too. */
function addIncluded(paths) {
  for (const path of paths) { // also what is added here
    if (!path.startsWith(`${root}/`)) continue;
    for (const [, name] of text(path).matchAll(/^\s*#\s*include\s*"([^"]+)"/gm)) {
      const found = [dirname(path), ...['kernels', 'db', 'server'].map((folder) => join(root, folder))].map((folder) => join(folder, name)).find(existsSync);
      if (found) paths.add(found);
    }
  }
  return paths;
}

let inputs; // of each source file of the build, by absolute paths: the files read and the commands that compile it
function inputsOf(file) {
  if (!inputs) {
    inputs = new Map([...readByCompiler()].map(([source, paths]) => [source, { paths: [...addIncluded(new Set(paths))].sort(), commands: [] }]));
    for (const { file: source, command } of JSON.parse(readFileSync(join(build, 'compile_commands.json'), 'utf8'))) inputs.get(source)?.commands.push(command);
  }
  return inputs.get(resolve(root, file));
}

export class Faultless {
  /** `tool`: what its findings depend on besides the files and the commands that compile them: its version, options,
   * configuration. */
  constructor(...tool) {
    this.tool = tool;
    this.known = new Set(existsSync(remembered) ? readFileSync(remembered, 'utf8').split('\n') : []);
  }

  #key(file) {
    const read = inputsOf(file);
    const paths = read?.paths.map((path) => [path, hashOfFile(path)]);
    return paths && hashOf(JSON.stringify([this.tool, read.commands, paths]).replaceAll(`${root}/`, ''));
  }

  /** Those of the files, given by paths relative to `root`, that the tool has to look at. */
  others(files) {
    return files.filter((file) => !this.known.has(this.#key(file)));
  }

  /** Remembers files in which the tool has found nothing; where that cannot be written, the next run looks at them
   * again. */
  add(files) {
    const keys = files.map((file) => this.#key(file)).filter(Boolean);
    try {
      mkdirSync(dirname(remembered), { recursive: true });
      writeFileSync(remembered, keys.map((key) => `${key}\n`).join(''), { flag: this.known.size > KEPT ? 'w' : 'a' });
    } catch (error) {
      console.log(`${remembered}: ${error.message}`);
    }
  }
}
