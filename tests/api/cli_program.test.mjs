// `gpulab program`: what a program prints comes while it runs, each text once and on its own stream; two programs are
// compared.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { build, environment, execute, Lab, temporaryFolder, until } from '../harness/lab.mjs';

let lab;
before(async () => (lab = await Lab.start()));
after(() => lab.close());

const pause = (paused) => lab.request('PUT', '/api/v1/queue', { json: { paused } });

function sourceFile(text) {
  const path = join(temporaryFolder(), 'main.c');
  writeFileSync(path, text);
  return path;
}

/** A command that runs: {child, stdout, stderr} as far as they have come. */
function start(args, database = lab.database) {
  const child = spawn(join(build, 'gpulab'), [...args, '--db', database], { env: environment(temporaryFolder()) });
  const command = { child, stdout: '', stderr: '', ended: once(child, 'close') };
  child.stdout.setEncoding('utf8').on('data', (text) => (command.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text) => (command.stderr += text));
  return command;
}

/** Another path to the lab, whose first event stream ends within the first event of output. `followed` becomes true
 * when a command has read its run after it opened the stream. Returns {database, state, close()}. */
async function unreliable() {
  const database = join(temporaryFolder(), 'lab.db');
  const state = { followed: false, cut: 0, opened: 0 };
  const server = net.createServer((client) => {
    const target = net.connect(`${lab.database}.sock`);
    let asked = '', answered = '';
    client.on('data', (bytes) => {
      asked += bytes.toString('latin1');
      state.opened += bytes.toString('latin1').startsWith('GET /api/v1/events') ? 1 : 0;
      target.write(bytes);
    });
    target.on('data', (bytes) => {
      answered += bytes.toString('latin1');
      const isStream = asked.startsWith('GET /api/v1/events');
      const beginning = isStream && state.cut === 0 ? answered.indexOf('event: run.output') : -1;
      if (beginning >= 0) {
        state.cut++;
        client.write(bytes.subarray(0, Math.max(0, bytes.length - (answered.length - beginning))), () => client.destroy());
        return target.destroy();
      }
      client.write(bytes);
      state.followed ||= state.opened > 0 && /GET \/api\/v1\/runs\/[^]*$/.test(asked);
    });
    for (const [one, other] of [[client, target], [target, client]]) one.on('close', () => other.destroy()).on('error', () => other.destroy());
  });
  await new Promise((done) => server.listen(`${database}.sock`, done));
  return { database, state, close: () => server.close() };
}

test('what a program prints comes while it runs', async () => {
  const path = sourceFile('#include <stdio.h>\nint main(void) { puts("begun"); fflush(stdout); for (;;) ; }\n');
  const command = start(['program', path]);
  await until(() => /^begun$/m.test(command.stdout), 'the output is there');
  const watching = start(['watch', 'latest']);
  await until(() => /^begun$/m.test(watching.stdout), 'who watches has it, too');
  command.child.kill('SIGINT');
  assert.equal((await command.ended)[0], 4, command.stderr);
  await watching.ended;
  for (const { stdout } of [command, watching]) assert.equal(stdout.match(/begun/g).length, 1, stdout);
});

test('each text comes once and on its own stream, also where the event stream breaks', async () => {
  const path = sourceFile(`#include <stdio.h>
    int main(void) { for (int i = 0; i < 200; i++) { printf("out %d\\n", i); fflush(stdout); fprintf(stderr, "err %d\\n", i); }
      printf("the end"); return 0; }\n`);
  const way = await unreliable();
  await pause(true);
  const command = start(['program', path], way.database);
  await until(() => way.state.followed, 'the command follows its run');
  await pause(false);
  const [code] = await command.ended;
  way.close();
  assert.equal(code, 0, command.stderr);
  assert.equal(way.state.cut, 1);
  const lines = (word) => Array.from({ length: 200 }, (_, i) => `${word} ${i}\n`).join('');
  assert.ok(command.stdout.startsWith(`${lines('out')}the end\nprogram on `), command.stdout);
  assert.equal(command.stderr, lines('err'));
});

test('a stored run has its output, and --json nothing beside the document', async () => {
  const path = sourceFile('#include <stdio.h>\nint main(void) { puts("to stdout"); fputs("to stderr\\n", stderr); return 0; }\n');
  const { stdout, stderr } = await execute('gpulab', ['program', path, '--json', '--db', lab.database]);
  assert.deepEqual(JSON.parse(stdout).output.split('\n').sort(), ['', 'to stderr', 'to stdout'], stderr);
  const shown = await execute('gpulab', ['show', 'latest', '--db', lab.database]);
  assert.match(shown.stdout, /Printed:\n[^]*to stdout/);
});

const reporting = (rate, more) => sourceFile(`#include <gpulab.h>
  int main(void) { gpulab_result("rate", ${rate}, "GB/s", "n=%d", 1); gpulab_result("rate", 7, "GB/s", "n=%d", 2);
    gpulab_result("${more}", 1, "s", "n=%d", 3); return 0; }\n`);

test('two programs are compared, in one run and in two', async () => {
  const [head, base] = [reporting(5, 'new'), reporting(10, 'old')];
  const gpulab = (...args) => execute('gpulab', [...args, '--db', lab.database], { timeout_s: 120 });
  const ratesOf = ({ points }) => points.filter(({ metric }) => metric === 'rate').map(({ axes, ratio, verdict }) => [axes.n, ratio, verdict]);
  const { code, stdout, stderr } = await gpulab('program', head, '--compare-with', base, '--set', 'runs=4');
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^base: another program of main\.c$/m);
  assert.match(stdout, /^1 points only in base\n1 points only in head$/m);
  const one = JSON.parse((await gpulab('compare', 'latest', '--json')).stdout);
  assert.deepEqual(ratesOf(one), [[1, 0.5, 'slower'], [2, 1, 'same']]);
  const ids = [];
  for (const file of [base, head]) ids.push(JSON.parse((await gpulab('program', file, '--set', 'runs=4', '--json')).stdout).id);
  const two = JSON.parse((await gpulab('compare', ...ids, '--json')).stdout);
  assert.deepEqual(ratesOf(two).map(([n, ratio]) => [n, ratio]), [[1, 0.5], [2, 1]]);
  const missing = await gpulab('program', head, '--compare-with', join(temporaryFolder(), 'none.c'));
  assert.deepEqual([missing.code, /none\.c: cannot be read/.test(missing.stderr)], [2, true]);
});

test('experiments that are in no list are described', async () => {
  for (const [name, title] of [['program', 'Own program'], ['kernel', 'Own kernel']])
    for (const options of [[], ['--db', lab.database]]) {
      const { code, stdout, stderr } = await execute('gpulab', ['experiments', name, ...options]);
      assert.equal(code, 0, stderr);
      assert.ok(stdout.startsWith(`${name}: ${title}\n`), stdout);
    }
});

test('a named command twice: its figures are printed, kept in the history and compared', async () => {
  const folder = temporaryFolder(), [file, script] = ['programs.json', 'benchmark'].map((name) => join(folder, name));
  const benchmark = (size, ns) => ({ name: `copy/${size}`, run_type: 'iteration', iterations: 10, real_time: ns, cpu_time: ns, time_unit: 'ns', bytes_per_second: 2e9 });
  const printed = JSON.stringify({ context: { num_cpus: 1 }, benchmarks: [benchmark(8, 100), benchmark(64, 200)] });
  writeFileSync(script, `#!/bin/sh\necho '${printed}'\n`, { mode: 0o700 });
  writeFileSync(file, JSON.stringify({ copies: { command: [script], format: 'google-benchmark' } }), { mode: 0o600 });
  const own = await Lab.start({ args: ['--programs', file] });
  try {
    const gpulab = (...args) => execute('gpulab', [...args, '--db', own.database], { timeout_s: 120 });
    for (let i = 0; i < 2; i++) {
      const { code, stdout, stderr } = await gpulab('program', '--command', 'copies');
      assert.equal(code, 0, stdout + stderr);
      assert.match(stdout, /^arg1 +time .*bandwidth GB\/s[^]*^8 +100(\.0+)? ns .* 2(\.0+)? /m);
    }
    const ids = (await own.get('/api/v1/runs')).json.runs.map(({ id }) => id);
    assert.equal(ids.length, 2);
    const { points } = JSON.parse((await gpulab('compare', ...ids, '--json')).stdout);
    const times = points.filter(({ metric }) => metric === 'time').map(({ axes, ratio }) => [axes.benchmark, axes.arg1, ratio]);
    assert.deepEqual(times, [['copy', 8, 1], ['copy', 64, 1]]);
  } finally {
    await own.close();
  }
});

test('a lab serves the headers of programs', async () => {
  const folder = join(import.meta.dirname, '../../kernels/programs/include'), names = readdirSync(folder);
  assert.ok(names.includes('gpulab.h'));
  for (const name of names) {
    const { status, headers, text } = await lab.get(`/${name}`);
    assert.deepEqual([status, headers['content-type']], [200, 'text/plain; charset=utf-8'], name);
    assert.equal(text, readFileSync(join(folder, name), 'utf8'));
  }
});
