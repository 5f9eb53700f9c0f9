// Which folder may include headers of which other folder, and which library is used in one folder only.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { test } from 'node:test';
import { build } from '../harness/lab.mjs';
import { root, trackedFiles } from './files.mjs';

const code = trackedFiles('kernels/*', 'db/*', 'server/*').filter((path) => /\.(c|h|cu|cuh)$/.test(path));
const text = (path) => readFileSync(join(root, path), 'utf8');
const includes = (path) => [...text(path).matchAll(/^\s*#\s*include\s+"([^"]+)"/gm)].map((match) => match[1]);

/** Folders that the compiler searches for quoted includes, beside the including file's own. */
const searched = ['kernels', 'db', 'server', 'server/http', 'server/jobs', 'server/workers', 'server/api', 'server/client'];

/** The file that an include names, relative to the repository; undefined for files that the build generates. */
function target(path, name) {
  return [dirname(path), ...searched].map((folder) => relative(root, resolve(root, folder, name))).find((candidate) => existsSync(join(root, candidate)));
}

/** `folder`, or the files of that name beside one another, may include their own headers and those of `may`: a folder
 * with a trailing slash, or a file. */
const folders = [
  { folder: 'kernels/core', may: [] },
  { folder: 'kernels/facts', may: ['kernels/core/'] },
  { folder: 'kernels/descriptor', may: ['kernels/core/', 'kernels/facts/'] },
  { folder: 'kernels/runtime', may: ['kernels/core/', 'kernels/facts/'] },
  { folder: 'kernels/measure', may: ['kernels/core/', 'kernels/facts/', 'kernels/descriptor/', 'kernels/runtime/'] },
  {
    folder: 'kernels/benchmark',
    may: ['kernels/core/', 'kernels/facts/', 'kernels/descriptor/', 'kernels/runtime/', 'kernels/measure/'],
  },
  {
    folder: 'kernels/experiments',
    may: ['kernels/core/', 'kernels/facts/', 'kernels/descriptor/', 'kernels/runtime/', 'kernels/measure/', 'kernels/benchmark/'],
  },
  {
    folder: 'kernels/experiments/program',
    may: ['kernels/core/', 'kernels/facts/', 'kernels/descriptor/', 'kernels/runtime/', 'kernels/measure/', 'kernels/formats/', 'kernels/sandbox/', 'kernels/trace/'],
  },
  {
    folder: 'kernels/experiments/kernel',
    may: ['kernels/core/', 'kernels/facts/', 'kernels/descriptor/', 'kernels/runtime/', 'kernels/measure/', 'kernels/benchmark/', 'kernels/experiments/program/'],
  },
  { folder: 'kernels/pages', may: ['kernels/core/', 'kernels/descriptor/', 'kernels/facts/'] },
  { folder: 'kernels/formats', may: ['kernels/core/'] },
  { folder: 'kernels/host', may: ['kernels/core/', 'kernels/facts/', 'kernels/runtime/'] },
  { folder: 'kernels/cuda', may: ['kernels/core/', 'kernels/facts/', 'kernels/runtime/'] },
  { folder: 'kernels/trace', may: ['kernels/core/'] },
  { folder: 'kernels/trace/library', may: ['kernels/core/', 'kernels/trace/', 'kernels/cuda/counters/'] },
  { folder: 'kernels/doctor', may: ['kernels/core/', 'kernels/facts/', 'kernels/sandbox/sandbox.h'] },
  { folder: 'kernels/worker', may: ['kernels/'] },
  {
    folder: 'kernels/experiments/multi_gpu/mpi/program',
    may: ['kernels/core/', 'kernels/facts/', 'kernels/descriptor/', 'kernels/runtime/', 'kernels/measure/', 'kernels/benchmark/', 'kernels/experiments/multi_gpu/mpi/', 'kernels/worker/runtimes.h'],
  },
  { folder: 'kernels/sandbox', may: ['kernels/core/'] },
  { folder: 'kernels/compiler', may: ['kernels/core/', 'kernels/descriptor/build_options.h', 'kernels/descriptor/source.h', 'kernels/descriptor/source_files.h', 'kernels/sandbox/'] },
  { folder: 'kernels/programs', may: [] },
  { folder: 'kernels/challenges', may: [] },
  { folder: 'db', may: ['kernels/core/clock.h', 'kernels/core/histogram.h', 'kernels/core/journal.h', 'kernels/core/result_members.h', 'kernels/core/run_status.h', 'kernels/core/shape.h'] },
  { folder: 'server/analysis', may: ['kernels/core/'] },
  { folder: 'server/curl_options', may: [] },
  { folder: 'server/thread', may: [] },
  { folder: 'server/process', may: ['server/thread.h'] },
  { folder: 'server/exchange', may: ['server/process.h', 'kernels/core/clock.h'] },
  { folder: 'server/events', may: [] },
  { folder: 'server/auth', may: ['kernels/core/'] },
  { folder: 'server/http/connection', may: ['server/http/http.h', 'server/http/counters.h', 'server/auth/', 'kernels/core/'] },
  {
    folder: 'server/http/output',
    may: ['server/http/http.h', 'server/http/connection/', 'server/events.h', 'server/auth/', 'kernels/core/'],
  },
  {
    folder: 'server/http/intake',
    may: ['server/http/http.h', 'server/http/connection/', 'server/http/output/output.h', 'server/auth/', 'kernels/core/'],
  },
  {
    folder: 'server/http/work',
    may: ['server/http/http.h', 'server/http/connection/', 'server/http/output/output.h', 'server/http/intake/intake.h', 'server/events.h', 'kernels/core/'],
  },
  {
    folder: 'server/http',
    may: ['server/http/connection/', 'server/http/output/output.h', 'server/http/intake/intake.h', 'server/http/work/work.h', 'server/auth/', 'kernels/core/'],
  },
  { folder: 'server/compiler', may: ['server/exchange.h', 'kernels/core/'] },
  { folder: 'server/nodes', may: ['server/exchange.h', 'kernels/core/'] },
  { folder: 'server/workers', may: ['server/nodes/transport.h', 'server/nodes/argv.h', 'server/exchange.h', 'server/process.h', 'kernels/core/'] },
  {
    folder: 'server/jobs',
    may: ['server/auth/secret.h', 'server/events.h', 'server/thread.h', 'server/workers/worker.h', 'server/nodes/transport.h', 'server/analysis/cautions.h', 'server/analysis/environment.h', 'db/store.h', 'kernels/core/', 'kernels/facts/facts.h', 'kernels/facts/nvml.h', 'kernels/descriptor/expected_source.h', 'kernels/descriptor/experiment.h', 'kernels/descriptor/headline.h', 'kernels/descriptor/macros.h', 'kernels/descriptor/pairing.h', 'kernels/descriptor/points.h', 'kernels/descriptor/parameters.h', 'kernels/descriptor/program.h', 'kernels/descriptor/results.h', 'kernels/descriptor/source.h'],
  },
  {
    folder: 'server/api',
    may: ['server/analysis/', 'server/auth/', 'server/events.h', 'server/thread.h', 'server/notices/notices.h', 'server/http/http.h', 'server/http/counters.h', 'server/http/gunzip.h', 'server/compiler/compiler.h', 'server/jobs/', 'db/store.h', 'kernels/core/', 'kernels/facts/facts.h', 'kernels/descriptor/', 'kernels/formats/formats.h', 'kernels/measure/statistics.h'],
  },
  { folder: 'server/notices', may: ['server/curl_options.h', 'server/thread.h', 'db/store.h', 'kernels/core/'] },
  { folder: 'server/cli', may: ['kernels/core/'] },
  {
    folder: 'server/service',
    may: ['server/cli/', 'server/api/api.h', 'server/auth/auth.h', 'server/auth/log.h', 'server/http/http.h', 'server/http/listen.h', 'server/jobs/jobs.h', 'server/nodes/transport.h', 'server/notices/notices.h', 'server/thread.h', 'server/workers/worker.h', 'db/store.h', 'kernels/core/'],
  },
  { folder: 'server/client/lab', may: ['server/curl_options.h', 'server/cli/', 'kernels/core/'] },
  { folder: 'server/client/output', may: ['server/client/lab/api_json.h', 'server/cli/', 'kernels/core/'] },
  {
    folder: 'server/client/commands',
    may: ['server/client/', 'server/cli/', 'kernels/core/', 'kernels/facts/facts.h', 'kernels/descriptor/build_options.h', 'kernels/descriptor/experiment.h', 'kernels/descriptor/own_kernel.h', 'kernels/descriptor/parameters.h', 'kernels/descriptor/program.h'],
  },
  { folder: 'server/main', may: ['server/client/commands/commands.h', 'server/service/serve.h', 'server/service/private_service.h', 'server/service/verify_copy.h', 'server/service/examine_machine.h', 'server/cli/', 'kernels/core/'] },
];
const within = ({ folder }, path) => path.startsWith(`${folder}/`) || path.replace(/\.[ch]$/, '') === folder;

/** Whether `rule` is the one of the innermost folder that contains the file. */
const belongsTo = (rule, path) => within(rule, path)
  && !folders.some((other) => other.folder.startsWith(`${rule.folder}/`) && within(other, path));

test('every source file is in a folder that has a rule', () => {
  assert.ok(code.length > 100, `found only ${code.length} files`);
  assert.deepEqual(code.filter((path) => folders.filter((rule) => belongsTo(rule, path)).length !== 1), []);
});

for (const rule of folders) {
  test(`${rule.folder} includes only what it may`, () => {
    const own = code.filter((path) => belongsTo(rule, path));
    assert.ok(own.length > 0, 'the folder has no source files');
    const allowed = (found) => belongsTo(rule, found) || rule.may.some((each) => (each.endsWith('/') ? found.startsWith(each) : found === each));
    const wrong = own.flatMap((path) => includes(path)
      .map((name) => target(path, name))
      .filter((found) => found && !allowed(found))
      .map((found) => `${path} includes ${found}`));
    assert.deepEqual(wrong, []);
  });
}

test('includes form no cycle', () => {
  const graph = new Map(code.map((path) => [path, includes(path).map((name) => target(path, name)).filter(Boolean)]));
  const done = new Set();
  const visit = (path, trail) => {
    assert.ok(!trail.includes(path), `cycle: ${[...trail, path].join(' -> ')}`);
    if (done.has(path)) return;
    for (const next of graph.get(path) ?? []) visit(next, [...trail, path]);
    done.add(path);
  };
  for (const path of graph.keys()) visit(path, []);
});

const libraries = [
  { what: 'SQLite', where: 'db/', sign: /#\s*include\s+<sqlite3\.h>|\bsqlite3_\w+\s*\(/ },
  { what: 'SQL', where: 'db/', sign: /"\s*(SELECT\s|INSERT\s+(OR\s+\w+\s+)?INTO|UPDATE\s+\w+\s+SET|DELETE\s+FROM|PRAGMA\s|CREATE\s+TABLE)/ },
  { what: 'libmicrohttpd', where: 'server/http/', sign: /#\s*include\s+<microhttpd\.h>|\bMHD_\w+/ },
  { what: 'libcurl', where: 'server/client/lab/', also: ['server/notices/', 'server/curl_options.h'], sign: /#\s*include\s+<curl\/|\bcurl_\w+\s*\(/ },
  { what: 'CUDA', where: 'kernels/cuda/', also: ['kernels/trace/library/', 'kernels/challenges/'], sign: /#\s*include\s+[<"](cuda|cublas|nccl|cupti)\w*\.h|\bcuda[A-Z]\w+\s*\(/ },
];
/** What is linked into gpulab's programs; people's programs use CUDA too. */
const linked = code.filter((path) => !path.startsWith('kernels/programs/'));
for (const { what, where, also = [], sign } of libraries) {
  const places = [where, ...also];
  test(`${what} is used only in ${places.join(' and ')}`, () => {
    const withoutComments = (path) => text(path).replace(/\/\*[\s\S]*?\*\//g, '').replace(/\/\/.*$/gm, '');
    const users = linked.filter((path) => sign.test(withoutComments(path)));
    assert.deepEqual(users.filter((path) => !places.some((place) => path.startsWith(place))), []);
    assert.ok(users.length > 0, `no file uses ${what}: does the pattern still match?`);
  });
}

test('every source file or its header begins with a comment', () => {
  const scripts = trackedFiles('static/*.js', 'static/*.mjs', 'tests/*.c', 'tests/*.js', 'tests/*.mjs', 'tests/*.sh');
  assert.ok(scripts.length > 100, `found only ${scripts.length} files`);
  const begins = (path) => (path.endsWith('.sh') ? /^#!.*\n#/ : /^\s*(\/\*|\/\/)/).test(text(path));
  const header = (path) => path.replace(/\.(c|cu)$/, '.h');
  const headers = [...code, ...trackedFiles('tests/*.h')];
  const wrong = [...code, ...scripts].filter((path) => !begins(path) && !(headers.includes(header(path)) && begins(header(path))));
  assert.deepEqual(wrong, []);
});

test('the server is not linked with CUDA', () => {
  const linked = execFileSync('ldd', [join(build, 'gpulab')], { encoding: 'utf8' });
  assert.match(linked, /libc\.so/);
  assert.doesNotMatch(linked, /cuda|nvidia|cublas|nccl/i);
  const symbols = execFileSync('nm', [join(build, 'gpulab')], { encoding: 'utf8' });
  assert.match(symbols, /\bmain$/m);
  assert.doesNotMatch(symbols, /\bcuda[A-Z]/);
});

test('the client calls nothing of the server but what it shares with it', () => {
  const names = (which, libraries) => new Set(execFileSync('nm', ['-P', which, ...libraries.map((library) => join(build, library))], { encoding: 'utf8', maxBuffer: 1 << 26 })
    .split('\n').map((line) => line.split(' ')[0]).filter((name) => name.startsWith('lab_')));
  const client = 'server/client/liblab_client.a';
  const called = names('--undefined-only', [client]);
  const shared = names('--defined-only', [client, 'server/cli/liblab_cli.a', 'kernels/liblab_core.a', 'kernels/liblab_experiments.a']);
  assert.ok(called.has('lab_options_parse') && shared.has('lab_options_parse'), 'the libraries have no such names: does the pattern still match?');
  assert.deepEqual([...called].filter((name) => !shared.has(name)), []);
});

test('what a worker finds beside itself is copied to machines with it', () => {
  const found = code.filter((path) => /^kernels\//.test(path)).flatMap((path) => [...text(path).matchAll(/lab_program_find_own\("([^"]+)"/g)].map(([, name]) => name));
  const [, list] = /companions\[\] = \{([^}]*)\}/.exec(text('server/nodes/node_package.c'));
  assert.deepEqual([...list.matchAll(/"([^"]+)"/g)].map(([, name]) => name).sort(), [...new Set(found)].sort());
});
