// The seams of the house (README, "Where things are"): who may include whom, and what stays in one room alone.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { build } from '../harness/lab.mjs';

const house = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

function filesBelow(folder, pattern) {
  const here = join(house, folder);
  return existsSync(here)
    ? readdirSync(here, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && pattern.test(entry.name))
        .map((entry) => relative(house, join(entry.parentPath ?? entry.path, entry.name)))
        .filter((path) => !path.includes('node_modules'))
    : [];
}

const rooms = ['kernels', 'db', 'server'];
const code = rooms.flatMap((room) => filesBelow(room, /\.(c|h|cu|cuh)$/));
const text = (path) => readFileSync(join(house, path), 'utf8');
const includes = (path, form) => [...text(path).matchAll(form)].map((match) => match[1]);

/** What each room may include with quotes, besides itself. */
const doors = [
  { room: 'kernels', may: [] },
  { room: 'db', may: [] },
  { room: 'server/http', may: [/^server\/events\.h$/, /^kernels\/core\/errors\.h$/] },
  { room: 'server/events', may: [] },
  { room: 'server/jobs', may: [/^server\/events\.h$/, /^db\/store\.h$/, /^kernels\/(core\/(errors|protocol|build)|facts\/(facts|nvml)|experiment\/(experiment|parameters))\.h$/] },
  { room: 'server/api', may: [/^server\/(events\.h|http\/http\.h|jobs\/)/, /^db\/store\.h$/, /^kernels\/(core\/(errors|build)|facts\/facts|experiment\/(experiment|references|parameters))\.h$/] },
  { room: 'server/cli', also: /^server\/(main|config)\.[ch]$/, may: [/^server\//, /^db\/store\.h$/, /^kernels\/(core\/(errors|protocol|build)|facts\/(facts|nvml)|experiment\/(experiment|parameters))\.h$/] },
];

/** Where an include leads, as a path in the house; files made by the build lead nowhere. */
function target(path, name) {
  const folders = [dirname(path), ...rooms, 'server/http', 'server/jobs', 'server/api', 'server/cli'];
  return folders.map((folder) => relative(house, resolve(house, folder, name))).find((candidate) => existsSync(join(house, candidate)));
}

test('there is code to look at', () => {
  assert.ok(code.length > 20, `found ${code.length} files`);
});

for (const { room, also, may } of doors) {
  test(`${room} includes only what it may`, () => {
    const own = (path) => path.startsWith(`${room}/`) || path === `${room}.h` || path === `${room}.c` || Boolean(also?.test(path));
    const wrong = code.filter(own).flatMap((path) =>
      includes(path, /^\s*#\s*include\s+"([^"]+)"/gm)
        .map((name) => target(path, name))
        .filter((found) => found && !own(found) && !may.some((door) => door.test(found)))
        .map((found) => `${path} includes ${found}`));
    assert.deepEqual(wrong, []);
  });
}

test('includes make no circle', () => {
  const graph = new Map(code.map((path) => [path, includes(path, /^\s*#\s*include\s+"([^"]+)"/gm).map((name) => target(path, name)).filter(Boolean)]));
  const done = new Set();
  const visit = (path, trail) => {
    assert.ok(!trail.includes(path), `circle: ${[...trail, path].join(' -> ')}`);
    if (done.has(path)) return;
    for (const next of graph.get(path) ?? []) visit(next, [...trail, path]);
    done.add(path);
  };
  for (const path of graph.keys()) visit(path, []);
});

const alone = [
  { what: 'SQLite', where: /^db\//, sign: /#\s*include\s+<sqlite3\.h>|\bsqlite3_\w+\s*\(/ },
  { what: 'SQL', where: /^db\//, sign: /"\s*(SELECT\s|INSERT\s+(OR\s+\w+\s+)?INTO|UPDATE\s+\w+\s+SET|DELETE\s+FROM|PRAGMA\s|CREATE\s+TABLE)/ },
  { what: 'libmicrohttpd', where: /^server\/http\//, sign: /#\s*include\s+<microhttpd\.h>|\bMHD_\w+/ },
  { what: 'CUDA', where: /^kernels\/cuda\//, sign: /#\s*include\s+[<"](cuda|cublas|nccl|cupti)\w*\.h|\bcuda[A-Z]\w+\s*\(/ },
];
for (const { what, where, sign } of alone) {
  test(`${what} is in one room alone`, () => {
    const bare = (path) => text(path).replace(/\/\*[\s\S]*?\*\//g, '').replace(/\/\/.*$/gm, '');
    assert.deepEqual(code.filter((path) => !where.test(path) && sign.test(bare(path))), []);
    assert.ok(code.some((path) => where.test(path) && sign.test(bare(path))), `nothing found of ${what} at all: is the sign still right?`);
  });
}

test('every file begins by saying what it is for', () => {
  const files = [...code, ...filesBelow('static', /\.m?js$/).filter((path) => !path.includes('vendor')), ...filesBelow('tests', /\.(c|m?js|sh)$/)];
  assert.deepEqual(files.filter((path) => !/^(#!.*\n)?\s*(\/\*|\/\/|#)/.test(text(path))), []);
});

test('the server links no CUDA', () => {
  const libraries = execFileSync('ldd', [join(build, 'gpulab')], { encoding: 'utf8' });
  assert.match(libraries, /libc\.so/);
  assert.doesNotMatch(libraries, /cuda|nvidia|cublas|nccl/i);
  const symbols = execFileSync('nm', [join(build, 'gpulab')], { encoding: 'utf8' });
  assert.doesNotMatch(symbols, /\bcuda[A-Z]/);
});
