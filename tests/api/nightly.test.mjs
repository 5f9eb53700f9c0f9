// The examples in deploy/ and the commands of the README that compare do what they say, also with a planted fault: the
// script of curl and jq, the steps of the CI job, and the way of a run to another lab. What is slower is made up, so
// that no verdict depends on this machine.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { comparisonOf, serveAnswers } from '../harness/answers.mjs';
import { importInto } from '../harness/exports.mjs';
import { around, historyLines } from '../harness/history.mjs';
import { build, environment, temporaryFolder, withLab } from '../harness/lab.mjs';

const deploy = resolve(dirname(fileURLToPath(import.meta.url)), '../../deploy');
const root = resolve(deploy, '..');
const parameters = { min_bytes: 4096, max_bytes: 8192, min_samples: 5, max_samples: 5, settle_s: 0, direction: ['h2d', 'd2h'], memory: 'pinned' };

/** Runs a command in `folder`; resolves with {code, stdout, stderr}. */
async function execute(command, args, folder, env) {
  const child = spawn(command, args, { cwd: folder, env: { ...environment(folder, env), PATH: `${build}:${process.env.PATH}` }, stdio: ['ignore', 'pipe', 'pipe'] });
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text) => (output.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text) => (output.stderr += text));
  const [code] = await once(child, 'close');
  return { code, ...output };
}

/** Calls `work` with a lab and a function that runs a command against it in an empty folder. */
async function withScripts(work, options = {}) {
  const folder = options.folder ?? temporaryFolder();
  mkdirSync(join(folder, 'work'), { recursive: true });
  const runtime = { NIGHTLY_RUNTIME: 'host' };
  await withLab(options, (lab) => work(lab, (command, args, env = {}) => execute(command, args, join(folder, 'work'), { GPULAB_SERVER: lab.address, ...runtime, ...env }), join(folder, 'work')));
}

/** Calls `sound` with a lab, then `faulty` with the same lab when its host runtime has the fault. */
async function withFault(fault, sound, faulty) {
  const folder = temporaryFolder(), options = { folder, database: join(folder, 'lab.db') };
  await withScripts(sound, options);
  await withScripts(faulty, { ...options, env: { GPULAB_HOST_FAULT: fault } });
}

/** The lines of runs of three points each, which are known well; the last one is slower. The one before is pinned. */
const slowerLines = (fields = {}) => historyLines([...around(50, 28), 50, 45], (index) => ({ ...fields, pinned: index === 28 }));
const idsOf = (lines) => lines.filter(({ type }) => type === 'run').map(({ id }) => id);

/** A run of one point. */
const measured = { ...parameters, direction: 'h2d', max_bytes: 4096 };
const set = Object.entries(measured).flatMap(([name, value]) => ['--set', `${name}=${value}`]);
const sweepOf = (values) => ({ NIGHTLY_SWEEP: JSON.stringify({ experiment: 'transfer', parameters: values, tags: ['nightly'] }) });
const nightly = join(deploy, 'examples/nightly.sh');
/** The commands of the CI job, on the host runtime. */
const steps = () => [...readFileSync(join(deploy, 'github-actions.yml'), 'utf8').matchAll(/^ +run: (.+)$/gm)].map(([, command]) => command);
const onHost = (command) => command.replace('--runtime cuda', '--runtime host').replace('--preset quick', set.join(' '));

test('nightly.sh measures a sweep, fetches it as CSV, and pins it', () => withScripts(async (lab, run, folder) => {
  const env = { NIGHTLY_SWEEP: JSON.stringify({ experiment: 'transfer', parameters, tags: ['nightly'] }) };
  const first = await run(join(deploy, 'examples/nightly.sh'), ['--pin'], env);
  assert.equal(first.code, 0, first.stdout + first.stderr);
  assert.match(first.stdout, /^runs that did not succeed: 0$/m);
  assert.match(first.stdout, /is not compared: /);
  const { runs } = (await lab.get('/api/v1/runs')).json;
  for (const { id } of runs) assert.match(readFileSync(join(folder, 'nightly', `${id}.csv`), 'utf8'), /^metric,.*\bmedian\b[^]*\nbandwidth,/);
  assert.deepEqual(runs.map((each) => [each.status, each.pinned, each.tags]), Array(2).fill(['succeeded', true, ['nightly']]));
  const second = await run(join(deploy, 'examples/nightly.sh'), [], env);
  assert.match(second.stdout, /^points that are slower than in the baseline: \d+$/m);
  assert.equal(second.code, /baseline: 0$/m.test(second.stdout) ? 0 : 1, second.stdout + second.stderr);
}));

test('nightly.sh exits with 2 when the lab refuses or cannot be reached', () => withScripts(async (lab, run) => {
  const refused = await run(join(deploy, 'examples/nightly.sh'), [], { NIGHTLY_SWEEP: '{"experiment": "alchemy"}' });
  assert.equal(refused.code, 2, refused.stdout + refused.stderr);
  const gone = await run(join(deploy, 'examples/nightly.sh'), [], { GPULAB_SERVER: 'http://127.0.0.1:1' });
  assert.equal(gone.code, 2, gone.stdout + gone.stderr);
}));

test('the steps of the CI job measure, and compare with the pinned baseline', () => withScripts(async (lab, run, folder) => {
  const commands = steps();
  assert.equal(commands.length, 3);
  const baseline = await lab.complete();
  await run('gpulab', ['pin', baseline.id]);
  const [measured, compared] = [await run('bash', ['-ec', commands[0].replace('--runtime cuda', '--runtime host')], { GITHUB_SHA: 'abc' }), await run('bash', ['-ec', commands[1]])];
  assert.equal(measured.code, 0, measured.stderr);
  assert.deepEqual((await lab.get('/api/v1/runs?tag=ci')).json.runs.map((each) => each.tags), [['ci', 'abc']]);
  assert.match(compared.stdout, /^\d+ points: (\d+) slower/m, compared.stderr);
  assert.equal(compared.code, / 0 slower/.test(compared.stdout) ? 0 : 1);
  const summary = join(folder, 'summary');
  const shown = await run('bash', ['-ec', commands[2]], { GITHUB_STEP_SUMMARY: summary });
  assert.equal(shown.code, 0, shown.stderr);
  assert.match(readFileSync(summary, 'utf8'), /^## transfer: base and head$[^]*^\| base \| [^]*^1 points: /m);
}));

test('the script of the GitLab job measures, writes a page, and a test case for each point', () => withScripts(async (lab, run, folder) => {
  const script = readFileSync(join(deploy, 'gitlab-ci.yml'), 'utf8').match(/\n {2}script:\n((?: {4}- .*\n)+)/)[1];
  const commands = [...script.matchAll(/^ {4}- (.+)$/gm)].map(([, command]) => command);
  assert.equal(commands.length, 3);
  await run('gpulab', ['pin', (await lab.complete(measured)).id]);
  for (const command of commands) {
    const { code, stderr } = await run('bash', ['-ec', onHost(command)], { CI_COMMIT_SHA: 'abc' });
    assert.equal(code, 0, stderr);
  }
  assert.match(readFileSync(join(folder, 'run.html'), 'utf8'), /<h1>transfer on /);
  assert.match(readFileSync(join(folder, 'comparison.xml'), 'utf8'), /<testcase classname="transfer" name="bandwidth/);
}));

test('without a GPU neither measures the CPU: both exit with 3', () => withScripts(async (lab, run) => {
  const script = await run(nightly, [], { NIGHTLY_RUNTIME: undefined });
  assert.equal(script.code, 3, script.stdout + script.stderr);
  assert.match(script.stdout, /^the lab has no device of the runtime cuda$/m);
  const job = await run('bash', ['-ec', steps()[0]], { GITHUB_SHA: 'abc' });
  assert.equal(job.code, 3, job.stdout + job.stderr);
  assert.deepEqual((await lab.get('/api/v1/runs')).json.runs, []);
}));

test('nightly.sh exits with 1 where a point is slower, and says how many are unclear', (t) => withScripts(async (lab, run) => {
  const device = { id: 'host-0', backend: 'host' }, night = { id: 'a', status: 'succeeded', devices: [device], wrong_count: 0 };
  for (const [verdicts, code] of [[['slower', 'same', 'unclear', null], 1], [['unclear', 'unclear', 'faster'], 0]]) {
    const { address } = await serveAnswers(t, {
      'GET /api/v1/devices': () => ({ devices: [device] }), 'POST /api/v1/sweeps': () => ({ id: 's' }), 'GET /api/v1/runs': ({ sweep }) => ({ runs: sweep === 's' ? [night] : [] }),
      'GET /api/v1/runs/a/measurements.csv': () => 'metric\r\n', 'GET /api/v1/compare': () => comparisonOf({ base: { wrong_count: 0 }, head: night }, verdicts),
    });
    const { code: found, stdout, stderr } = await run(nightly, [], { GPULAB_SERVER: address });
    assert.equal(found, code, stdout + stderr);
    const count = (word) => verdicts.filter((each) => each === word).length;
    assert.match(stdout, new RegExp(`^points that are slower than in the baseline: ${count('slower')}\npoints that are unclear: ${count('unclear')}\nresults that are wrong: 0$`, 'm'));
    assert.equal(stdout.match(/^slower: \{.*"direction":"h2d".*\} bandwidth x 0\.9$/gm)?.length ?? 0, count('slower'));
  }
}));

test('nightly.sh exits with 1 where a result is wrong, and does not pin it', () => withFault('wrong-result@1', async (lab, run) => {
  assert.equal((await run(nightly, ['--pin'], sweepOf(measured))).code, 0);
}, async (lab, run) => {
  const second = await run(nightly, ['--pin'], sweepOf(measured));
  assert.equal(second.code, 1, second.stdout + second.stderr);
  assert.match(second.stdout, /^runs that did not succeed: 1$/m);
  assert.deepEqual((await lab.get('/api/v1/runs')).json.runs.map(({ status, pinned }) => [status, pinned]), [['failed', false], ['succeeded', true]]);
}));

test('the CI job fails at the comparison where a point is slower', () => withScripts(async (lab, run, folder) => {
  const lines = slowerLines(), ids = idsOf(lines);
  await importInto(lab, lines);
  const compared = async (id) => {
    writeFileSync(join(folder, 'run.json'), JSON.stringify({ id }));
    return run('bash', ['-ec', steps()[1]]);
  };
  const slower = await compared(ids.at(-1));
  assert.equal(slower.code, 1, slower.stdout + slower.stderr);
  assert.match(slower.stdout, /^FAILED: 3 points are slower$/m);
  const same = await compared(ids.at(-3));
  assert.equal(same.code, 0, same.stdout + same.stderr);
}));

test('the CI job fails at the measurement, and at the comparison, where a result is wrong', () => withFault('wrong-result@1', async (lab, run) => {
  await run('bash', ['-ec', onHost(steps()[0])], { GITHUB_SHA: 'old' });
  assert.equal((await run('gpulab', ['pin', 'latest'])).code, 0);
}, async (lab, run) => {
  const found = await run('bash', ['-ec', onHost(steps()[0])], { GITHUB_SHA: 'new' });
  assert.equal(found.code, 1, found.stdout + found.stderr);
  const compared = await run('bash', ['-ec', steps()[1]]);
  assert.equal(compared.code, 1, compared.stdout + compared.stderr);
  assert.match(compared.stdout, /^FAILED: \d+ results of the head are wrong$/m);
}));

/** The command of the README that begins with `start`, with the id of a run for ID. */
function readme(start) {
  const line = readFileSync(join(root, 'README.md'), 'utf8').split('\n').find((each) => each.startsWith(`    ${start}`));
  assert.ok(line !== undefined, start);
  return line.replace(/ +# .*/, '').trim();
}

test('as in the README, runs go to another lab and are compared there, with the same verdict', () => withScripts(async (lab, run) => {
  assert.equal((await importInto(lab, slowerLines({ tags: ['nightly'] }))).json.imported, 30);
  const here = await run('bash', ['-ec', readme('gpulab compare pinned latest')]);
  assert.equal(here.code, 1, here.stdout + here.stderr);
  assert.match(here.stdout, / slower$/m);
  assert.equal((await run('bash', ['-ec', readme('gpulab export --tag nightly')])).code, 0);
  await withLab({}, async (other) => {
    const there = (command) => run('bash', ['-ec', command], { GPULAB_SERVER: other.address });
    const imported = await there('gpulab import runs.jsonl');
    assert.equal(imported.code, 0, imported.stderr);
    assert.equal(imported.stdout, '30 runs imported, 0 were there already\n');
    const compared = await there(readme('gpulab compare pinned latest'));
    const judged = ({ code, stdout }) => [code, stdout.slice(stdout.indexOf('bandwidth, GB/s'))];
    assert.deepEqual(judged(compared), judged(here), compared.stderr);
  });
}));

test('without samples there is no verdict, which is said, and a file with them completes the runs', () => withScripts(async (lab, run, folder) => {
  const lines = slowerLines(), [base, head] = idsOf(lines).slice(-2);
  assert.equal((await importInto(lab, lines)).json.imported, 30);
  assert.equal((await run('bash', ['-ec', 'gpulab export --no-samples > bare.jsonl; gpulab export > runs.jsonl; gzip -k runs.jsonl'])).code, 0);
  await withLab({}, async (other) => {
    const there = (...args) => execute('gpulab', args, folder, { GPULAB_SERVER: other.address });
    assert.equal((await there('import', 'bare.jsonl')).code, 0);
    const unclear = await there('compare', base, head);
    assert.equal(unclear.code, 0, unclear.stdout);
    assert.match(unclear.stdout, /^NO SAMPLES: base and head have none at 3 points/);
    assert.match(unclear.stdout, /^unclear, 3 points: neither side has its samples$/m);
    assert.equal((await there('compare', base, head, '--fail-on', 'slower,wrong,unclear')).code, 1);
    assert.deepEqual(JSON.parse((await there('compare', base, head, '--json')).stdout).samples_missing, { base: 3, head: 3 });
    assert.equal((await there('import', 'runs.jsonl.gz')).stdout, '0 runs imported, 0 were there already, 30 were there and got their samples\n');
    const slower = await there('compare', base, head);
    assert.equal(slower.code, 1, slower.stdout);
    assert.doesNotMatch(slower.stdout, /NO SAMPLES/);
  });
}));
