// Whole programs: who may have them executed, what is checked before one is, and what becomes of it.
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { problem } from '../harness/expect.mjs';
import { execute, Lab, small, temporaryFolder, until, withLab } from '../harness/lab.mjs';

const program = { files: { 'main.c': 'int main(void) { return 0; }\n' } };
const request = { experiment: 'program', program };
const bearer = (secret) => ({ authorization: `Bearer ${secret}` });
const addToken = async ({ database, folder }, name, role) => {
  const { code, stdout, stderr } = await execute('gpulab', ['token', 'add', name, '--role', role, '--db', database], { folder });
  assert.equal(code, 0, stderr);
  return stdout.trim();
};

let lab;
before(async () => (lab = await Lab.start()));
after(() => lab.close());

test('over TCP a lab without --allow-programs refuses whatever carries a program', async () => {
  const run = await lab.complete(small);
  for (const body of [request, { ...request, compare_with: {} }, { experiment: 'transfer', parameters: small, compare_with: { experiment: 'program', program } }]) {
    const { errors } = problem(await lab.post('/api/v1/runs', body), 422);
    assert.ok(errors.some(({ code }) => code === 'programs-not-allowed'), JSON.stringify(errors));
    assert.equal((await lab.post('/api/v1/runs?dry_run=true', body)).status, 422);
  }
  assert.equal((await lab.post(`/api/v1/runs/${run.id}/repeat`, {})).status, 202);
});

test('a lab without tokens is not started with --allow-programs, not even with --insecure', async () => {
  const folder = temporaryFolder();
  for (const more of [[], ['--insecure']]) {
    const { code, stderr } = await execute('gpulab',
      ['serve', '--listen', '127.0.0.1:0', '--runtime', 'host', '--db', join(folder, 'lab.db'), '--allow-programs', ...more], { folder });
    assert.equal(code, 2, stderr);
    assert.match(stderr, /--allow-programs: Without a token every user .* 'gpulab token add /);
  }
});

test('with --allow-programs and a token an operator may, and no one else', async () => {
  const folder = temporaryFolder(), place = { folder, database: join(folder, 'lab.db') };
  const operator = await addToken(place, 'ana', 'operator');
  const viewer = await addToken(place, 'bo', 'viewer');
  await withLab({ ...place, args: ['--allow-programs'] }, async (closed) => {
    assert.equal((await closed.post('/api/v1/runs', request, bearer(viewer))).status, 403);
    assert.equal((await closed.post('/api/v1/runs', request)).status, 401);
    const answer = await closed.post('/api/v1/runs?dry_run=true', request, bearer(operator));
    assert.equal(answer.status, 200, answer.text);
  });
});

test('a program is checked with pointers', () => withLab({ args: [] }, async (open) => {
  const { code, stderr } = await execute('gpulab', ['program', 'x.h', '--db', open.database], { folder: open.folder });
  assert.equal(code, 2);
  assert.match(stderr, /x\.h: cannot be read/);
}));

/** Executes files {name: text} with `gpulab program` in the lab of the tests; the run, as JSON. */
async function execution(files, { options = [], passed = [] } = {}) {
  const folder = temporaryFolder();
  const paths = Object.entries(files).map(([name, text]) => {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return path;
  });
  const { stdout, stderr } = await execute('gpulab',
    ['program', ...paths, '--json', '--db', lab.database, ...options, ...(passed.length ? ['--', ...passed] : [])], { folder, timeout_s: 120 });
  assert.notEqual(stdout, '', stderr);
  return JSON.parse(stdout);
}

const measured = (run, name) => run.measurements.find(({ metric }) => metric === name);

test('a program gets its arguments and input, and what it prints, its times and exit code are kept', async () => {
  const folder = temporaryFolder(), input = join(folder, 'in.txt');
  writeFileSync(input, 'one two\n');
  const run = await execution({ 'main.c': `#include <stdio.h>
    int main(int argc, char **argv) { char text[64]; fgets(text, sizeof text, stdin);
      printf("%s-%s-%d %s", argv[1], argv[2], argc, text); fprintf(stderr, "to stderr\\n"); return 0; }\n` },
  { options: ['--stdin', input], passed: ['--help', 'a b'] });
  assert.equal(run.status, 'succeeded', JSON.stringify(run.error));
  assert.deepEqual(run.output.split('\n').sort(), ['', '--help-a b-3 one two', 'to stderr']);
  assert.ok(measured(run, 'elapsed').median > 0);
  assert.deepEqual(run.program.arguments, ['--help', 'a b']);
  assert.equal(run.program.stdin, 'one two\n');
});

test('programs of root are executed as another user', { skip: process.getuid() !== 0 && 'not root' }, async () => {
  const folder = temporaryFolder(), path = join(folder, 'main.c'), stub = join(folder, 'bwrap');
  writeFileSync(path, '#include <unistd.h>\nint main(void) { return getuid() == 65534 ? 0 : 9; }\n');
  writeFileSync(stub, '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  const run = (user, env) => execute('gpulab', ['program', path, '--json', '--no-save', '--runtime', 'host', '--db', join(folder, 'lab.db'), ...user], { folder, env });
  const withoutBubblewrap = { PATH: `${folder}:${process.env.PATH}` };
  const { error } = JSON.parse((await run([], withoutBubblewrap)).stdout);
  assert.equal(error.type, '/problems/no-sandbox');
  assert.match(error.detail, /root needs another user .*--program-user/);
  for (const env of [{}, withoutBubblewrap]) {
    const { error, environment: { sandbox } } = JSON.parse((await run(['--program-user', 'nobody'], env)).stdout);
    assert.equal(error, null);
    assert.equal(sandbox.user, 'nobody');
    if (env.PATH) assert.equal(sandbox.protection, 'landlock');
  }
  for (const [user, why] of [['root', /The user root or its group is root/], ['no-such-user', /has no user no-such-user/]]) {
    const { code, stderr } = await run(['--program-user', user]);
    assert.equal(code, 2);
    assert.match(stderr, why);
  }
});

test('a compiler gets the variables that it needs, and no others of the lab', async () => {
  const folder = temporaryFolder(), path = join(folder, 'main.cu'), toolkit = join(folder, 'toolkit', 'bin');
  mkdirSync(toolkit, { recursive: true });
  chmodSync(folder, 0o755);
  writeFileSync(path, 'int main() { return 0; }\n');
  writeFileSync(join(toolkit, 'nvcc'), '#!/bin/sh\nenv\nexit 1\n', { mode: 0o755 });
  const asUser = process.getuid() === 0 ? ['--program-user', 'nobody'] : [];
  const libraries = Array(300).fill('/none/of/libraries').join(':');
  const { stdout } = await execute('gpulab', ['program', path, '--json', '--no-save', '--runtime', 'host', '--db', join(folder, 'lab.db'), ...asUser],
    { folder, env: { LD_LIBRARY_PATH: libraries, PATH: `${toolkit}:${process.env.PATH}`, SECRET_OF_THE_LAB: '1', CUDA_INJECTION64_PATH: '/x.so', LD_PRELOAD: '/y.so', NVCC_APPEND_FLAGS: '-G' } });
  const { output } = JSON.parse(stdout);
  const names = [...output.matchAll(/^(\w+)=/gm)].map(([, name]) => name).filter((name) => !['PWD', 'OLDPWD', 'SHLVL', '_'].includes(name)); // of the shell
  assert.deepEqual(names.sort(), ['HOME', 'LANG', 'LD_LIBRARY_PATH', 'PATH', 'TMPDIR']);
  assert.match(output, new RegExp(`^LD_LIBRARY_PATH=${libraries}:.*/toolkit/lib64$`, 'm'));
});

test('only root can name another user for programs', { skip: process.getuid() === 0 && 'root' }, async () => {
  const folder = temporaryFolder();
  const { code, stderr } = await execute('gpulab', ['serve', '--listen', '127.0.0.1:0', '--db', join(folder, 'lab.db'), '--program-user', 'nobody'], { folder });
  assert.equal(code, 2);
  assert.match(stderr, /--program-user: Only root/);
});

test('the files of several languages become one program, with the options of the request', async () => {
  const files = {
    'main.c': '#include <stdio.h>\n#include "twice.h"\nint main(void) { printf("%d\\n", twice(N)); return 0; }\n',
    'twice.h': '#ifdef __cplusplus\nextern "C"\n#endif\nint twice(int n);\n',
    'twice.cpp': '#include "twice.h"\nint twice(int n) { auto twice = [](auto x) { return 2 * x; }; return twice(n); }\n',
  };
  const run = await execution(files, { options: ['--std', 'c++17', '--define', 'N=21'] });
  assert.equal(run.output, '42\n', JSON.stringify(run.error));
});

test('a file of a program and its standard input may be empty, and a file large', async () => {
  const run = await execution({
    'main.c': '#include "empty.h"\n#include <stdio.h>\nint main(void) { FILE *data = fopen("data.txt", "r"); fseek(data, 0, SEEK_END); printf("%ld %d\\n", ftell(data), getchar()); return 0; }\n',
    'empty.h': '', 'data.txt': 'x'.repeat(400_000),
  }, { options: ['--stdin', '/dev/null', '--runs', '2'] });
  assert.equal(run.output, '400000 -1\n', JSON.stringify(run.error));
  assert.equal(run.parameters.runs, 2);
});

test('what compilers and linkers say of a rejected program has its place', async () => {
  const sources = { 'a.h': 'int a(void);\n', 'main.c': '#include "a.h"\n\tint main(void) {\treturn x; }\n' };
  const { id, status, error, messages, output } = await execution(sources);
  assert.equal(status, 'failed');
  assert.equal(error.type, '/problems/compile-failed');
  assert.match(error.detail, /^In main\.c, line 2, column 26: ‘x’ undeclared/);
  const { text, ...place } = messages[0];
  assert.deepEqual(place, { severity: 'error', file: 'main.c', line: 2, column: 26 });
  assert.match(output, /main\.c:2:26: error:/);
  const { stdout } = await execute('gpulab', ['show', id, '--server', lab.address], { folder: lab.folder });
  assert.match(stdout, /^main\.c:2:26: error: ‘x’ undeclared/m);
  const linked = await execution({ ...sources, 'main.c': '#include "a.h"\nint main(void) { return a(); }\n' });
  assert.deepEqual(linked.messages[0], { severity: 'error', text: "undefined reference to `a'" });
  const plus = await execution({ 'main.cpp': '#include "none.h"\n' });
  assert.deepEqual(plus.messages, [{ severity: 'error', file: 'main.cpp', line: 1, column: 10, text: 'none.h: No such file or directory' }]);
});

test('warnings of a program that is built have their places, also when it was built before', async () => {
  const files = { 'main.c': 'int main(void)\n{\n    char *place = 5;\n    return place == 0;\n}\n' };
  for (const run of [await execution(files), await execution(files)]) {
    assert.equal(run.status, 'succeeded');
    assert.deepEqual(run.messages.map(({ severity, file, line, column }) => [severity, file, line, column]), [['warning', 'main.c', 3, 19]]);
    assert.match(run.output, /main\.c:3:19: warning:/);
  }
  assert.deepEqual((await execution({ 'main.c': 'int main(void) { return 0; }\n' })).messages, []);
});

test('what a program has reported before it fails is kept', async () => {
  const run = await execution({ 'main.c': '#include "gpulab.h"\n#include <stdlib.h>\nint main(void) { gpulab_result("time", 2, "s", "part=first"); abort(); }\n' });
  assert.equal(run.status, 'failed');
  assert.match(run.error.detail, /SIGABRT/);
  assert.deepEqual(run.measurements.filter(({ metric }) => metric === 'time').map(({ median, axes }) => [median, axes]), [[2, { part: 'first' }]]);
});

test('the end of a program is the end of its run', async () => {
  const ended = async (body, options) => (await execution({ 'main.c': `#include <stdlib.h>\nint main(void) { ${body} }\n` }, { options })).error;
  assert.match((await ended('return 3;')).detail, /exited with code 3/);
  assert.match((await ended('abort();')).detail, /SIGABRT/);
  assert.match((await ended('for (;;) ;', ['--set', 'limit_s=0.3'])).detail, /time limit/);
  const waived = await execution({ 'main.c': 'int main(void) { return 2; }\n' });
  assert.equal(waived.error.type, '/problems/no-result');
  assert.deepEqual(waived.measurements.map(({ metric, skipped }) => [metric, skipped]), ['elapsed', 'processor'].map((metric) => [metric, 'the program exited with code 2: by convention, what it needs is not here']));
});

test('results have a sample of each execution, and the name of the program', async () => {
  const run = await execution({ 'main.cpp': `#include <gpulab.h>
    int main() { gpulab_result("bandwidth", 3e9, "B/s", "bytes=%d memory=%s", 4096, "pinned"); gpulab_result("rate", 5, "", "on"); }\n` },
  { options: ['--set', 'runs=3', '--name', 'mine'] });
  assert.equal(run.status, 'succeeded', JSON.stringify(run.error));
  const { axes, unit, n, median } = measured(run, 'bandwidth');
  assert.deepEqual({ axes, unit, n, median }, { axes: { program: 'mine', bytes: 4096, memory: 'pinned' }, unit: 'GB/s', n: 3, median: 3 });
  assert.deepEqual(measured(run, 'rate').axes, { program: 'mine', on: true });
  assert.equal(measured(run, 'elapsed').n, 3);
});

test('output that is no text is shown, and much of it is kept at both ends', async () => {
  const run = await execution({ 'main.c': `#include <stdio.h>
    int main(void) { printf("\\033[1mbold\\n"); for (int i = 0; i < 300000; i++) printf("line %d\\n", i); return 0; }\n` });
  assert.match(run.output, /^\\x1b\[1mbold\nline 0\n/);
  assert.match(run.output, /bytes of output left out\][^]*line 299999\n$/);
  assert.ok(Buffer.byteLength(run.output) <= 1 << 20);
});

test('events of output say where each text begins', async () => {
  const stream = await lab.events();
  const run = await execution({ 'main.c': '#include <stdio.h>\nint main(void) { puts("größer"); fflush(stdout); fputs("to stderr\\n", stderr); return 0; }\n' });
  const ofRun = (event, type, id) => event.event === type && id === run.id;
  await stream.find((event) => ofRun(event, 'run.updated', event.json.id) && event.json.status === 'succeeded', 'the end of the run');
  const texts = stream.events.filter((event) => ofRun(event, 'run.output', event.json.run)).map(({ json }) => json);
  stream.close();
  assert.equal(texts.map(({ text }) => text).join(''), run.output);
  let before = 0;
  for (const { offset, text } of texts) {
    assert.equal(offset, before);
    before += Buffer.byteLength(text);
  }
  assert.ok(texts.length > 0);
});

test('lists have a program without its texts', async () => {
  const folder = temporaryFolder(), path = join(folder, 'main.c');
  writeFileSync(path, 'int main(void) { return 0; }\n');
  const { stdout } = await execute('gpulab', ['program', path, '--json', '--db', lab.database], { folder });
  assert.equal(JSON.parse(stdout).kernel, null);
  const [summary] = (await lab.get('/api/v1/runs?limit=1')).json.runs;
  assert.deepEqual(summary.program.files, { 'main.c': null });
  assert.equal('output' in summary, false);
});

test('commands are those of the file, which nobody else can write', async () => {
  const folder = temporaryFolder(), file = join(folder, 'programs.json');
  writeFileSync(file, JSON.stringify({ greet: { command: ['/bin/echo', 'hello'], arguments: ['[a-z]+'] } }), { mode: 0o600 });
  const run = async (...args) => JSON.parse((await execute('gpulab',
    ['program', '--command', ...args, '--json', '--no-save', '--runtime', 'host', '--programs', file, '--db', join(folder, 'lab.db')], { folder })).stdout);
  assert.match((await run('greet')).output, /^hello\n/);
  const other = await run('gret');
  assert.match(other.error.detail, /no command "gret"; it has: greet/);
});

test('the measurements of a command have a series', async () => {
  const folder = temporaryFolder(), file = join(folder, 'programs.json'), bench = join(folder, 'bench');
  writeFileSync(bench, '#!/bin/sh\necho \'{"context":{},"benchmarks":[{"name":"BM_x/8","iterations":10,"real_time":100.0,"cpu_time":99.0,"time_unit":"ns"}]}\'\n', { mode: 0o755 });
  writeFileSync(file, JSON.stringify({ bench: { command: [bench], format: 'google-benchmark' } }), { mode: 0o600 });
  const database = join(folder, 'lab.db');
  await withLab({ folder, database, args: ['--programs', file] }, async (offering) => {
    for (const run of [1, 2]) {
      const { code, stderr } = await execute('gpulab', ['program', '--command', 'bench', '--set', 'runs=2', '--db', database], { folder });
      assert.equal(code, 0, `${run}: ${stderr}`);
    }
    const { points } = (await offering.get('/api/v1/series/points?experiment=program&metric=time')).json;
    assert.deepEqual(points.map(({ axes, runs }) => ({ axes, runs })), [{ axes: { program: 'bench', benchmark: 'BM_x', arg1: 8 }, runs: 2 }]);
    const query = new URLSearchParams({ experiment: 'program', metric: 'time', axes: JSON.stringify(points[0].axes) });
    const { values } = (await offering.get(`/api/v1/series?${query}`)).json;
    assert.deepEqual(values.map(({ median, n }) => [median, n]), [[1e-7, 2], [1e-7, 2]]);
  });
});

test('the commands of a node are listed for operators, without their command lines', async () => {
  const folder = temporaryFolder(), file = join(folder, 'programs.json'), place = { folder, database: join(folder, 'lab.db') };
  writeFileSync(file, JSON.stringify({ greet: { command: ['/bin/echo', 'hello'], text: 'Greets.', arguments: ['[a-z]+'], format: 'gpulab', limit_s: 5 },
    date: { command: ['/bin/date'], readable: ['/srv/secret'] }, wrong: { command: ['date'] } }), { mode: 0o600 });
  const [operator, viewer] = [await addToken(place, 'ana', 'operator'), await addToken(place, 'bo', 'viewer')];
  await withLab({ ...place, args: ['--programs', file] }, async (own) => {
    const { nodes: [{ name }] } = (await own.get('/api/v1/nodes', bearer(operator))).json;
    const { json } = await own.get(`/api/v1/nodes/${name}/commands`, bearer(operator));
    assert.deepEqual(json, { commands: [{ name: 'greet', text: 'Greets.', arguments: ['[a-z]+'], format: 'gpulab', limit_s: 5 },
      { name: 'date', text: null, arguments: [], format: null, limit_s: null }], reason: `${file}: the program of wrong must be an absolute path, not "date".` });
    assert.equal((await own.get(`/api/v1/nodes/${name}/commands`, bearer(viewer))).status, 403);
    assert.equal((await own.get('/api/v1/nodes/none/commands', bearer(operator))).status, 404);
    const { stdout, code } = await execute('gpulab', ['program', '--commands', '--db', own.database], { folder });
    assert.equal(code, 0);
    assert.match(stdout, /^greet +\[a-z\]\+ +gpulab +5\.000 s +Greets\.$/m);
    assert.match(stdout, /^date +none/m);
  });
});

test('a lab takes a number of programs at a time', async () => {
  const folder = temporaryFolder(), place = { folder, database: join(folder, 'lab.db') };
  const operator = bearer(await addToken(place, 'ana', 'operator'));
  await withLab({ ...place, args: ['--allow-programs', '--program-limit', '2'] }, async (own) => {
    assert.equal((await own.request('PUT', '/api/v1/queue', { json: { paused: true }, headers: operator })).status, 200);
    const [first] = [await own.post('/api/v1/runs', request, operator), await own.post('/api/v1/runs', request, operator)].map(({ status, json }) => [status, json.id]);
    assert.equal(first[0], 202);
    const refused = await own.post('/api/v1/runs', request, operator);
    assert.match(problem(refused, 429).detail, /As many whole programs and checks .*--program-limit/);
    assert.equal(refused.headers['retry-after'], '30');
    assert.equal((await own.post('/api/v1/runs', { experiment: 'transfer', preset: 'quick' }, operator)).status, 202, 'other runs are taken');
    assert.equal((await own.post(`/api/v1/runs/${first[1]}/cancel`, {}, operator)).status, 202);
    assert.equal((await own.post('/api/v1/runs', request, operator)).status, 202);
  });
});

test('a program that runs is cancelled', async () => {
  const folder = temporaryFolder(), path = join(folder, 'main.c');
  writeFileSync(path, '#include <stdio.h>\nint main(void) { puts("begun"); fflush(stdout); for (;;) ; }\n');
  const following = execute('gpulab', ['program', path, '--json', '--db', lab.database], { folder, timeout_s: 120 });
  const live = await until(async () => (await lab.get('/api/v1/runs?status=running')).json.runs[0], 'the program runs');
  await until(async () => /begun/.test((await lab.get(`/api/v1/runs/${live.id}`)).json.output), 'the output is there');
  assert.equal((await lab.post(`/api/v1/runs/${live.id}/cancel`, {})).status, 202);
  assert.equal(JSON.parse((await following).stdout).status, 'cancelled');
});

test('what a program says it has measured cannot end its worker', async () => {
  const run = await execution({ 'main.cpp': `#include <gpulab.h>
    int main() { gpulab_result("elapsed", 5, "B", NULL); gpulab_result("rate", 3, "", NULL); }\n` });
  assert.equal(run.status, 'succeeded', JSON.stringify(run.error));
  assert.equal(measured(run, 'rate').median, 3);
  assert.deepEqual(run.measurements.filter(({ metric }) => metric === 'elapsed').map(({ unit }) => unit), ['s']);
  assert.match(run.warnings.join('\n'), /result 'elapsed' is left out, because gpulab measures it itself/);
  const many = await execution({ 'main.cpp': `#include <gpulab.h>
    static double values[200000];
    int main() { gpulab_samples("rate", values, 200000, "", NULL); }\n` });
  assert.equal(many.error.type, '/problems/program-failed');
  assert.match(many.error.detail, /'rate' of the program has more than 100000 samples/);
});

test('a format that does not exist is refused before the program is built', async () => {
  const { error, output } = await execution({ 'main.c': 'no C\n' }, { options: ['--format', 'mine'] });
  assert.match(error.detail, /no format of results "mine"; the formats are: gpulab, nvbench/);
  assert.equal(output, null);
});
