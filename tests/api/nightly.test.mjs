// The examples in deploy/ do what they say: the script of curl and jq, and the steps of the CI job.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { build, environment, temporaryFolder, withLab } from '../harness/lab.mjs';

const deploy = resolve(dirname(fileURLToPath(import.meta.url)), '../../deploy');
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
async function withScripts(t, work) {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'work'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  await withLab({}, (lab) => work(lab, (command, args, env = {}) => execute(command, args, join(folder, 'work'), { GPULAB_SERVER: lab.address, ...env }), join(folder, 'work')));
}

test('nightly.sh measures a sweep, fetches it as CSV, and pins it', (t) => withScripts(t, async (lab, run, folder) => {
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

test('nightly.sh exits with 2 when the lab refuses or cannot be reached', (t) => withScripts(t, async (lab, run) => {
  const refused = await run(join(deploy, 'examples/nightly.sh'), [], { NIGHTLY_SWEEP: '{"experiment": "alchemy"}' });
  assert.equal(refused.code, 2, refused.stdout + refused.stderr);
  const gone = await run(join(deploy, 'examples/nightly.sh'), [], { GPULAB_SERVER: 'http://127.0.0.1:1' });
  assert.equal(gone.code, 2, gone.stdout + gone.stderr);
}));

test('the steps of the CI job measure, and compare with the pinned baseline', (t) => withScripts(t, async (lab, run) => {
  const steps = [...readFileSync(join(deploy, 'github-actions.yml'), 'utf8').matchAll(/^ +run: (.+)$/gm)].map(([, command]) => command);
  assert.equal(steps.length, 2);
  const baseline = await lab.complete();
  await run('gpulab', ['pin', baseline.id]);
  const [measured, compared] = [await run('bash', ['-ec', steps[0]], { GITHUB_SHA: 'abc' }), await run('bash', ['-ec', steps[1]])];
  assert.equal(measured.code, 0, measured.stderr);
  assert.deepEqual((await lab.get('/api/v1/runs?tag=ci')).json.runs.map((each) => each.tags), [['ci', 'abc']]);
  assert.match(compared.stdout, /^\d+ points: (\d+) slower/m, compared.stderr);
  assert.equal(compared.code, / 0 slower/.test(compared.stdout) ? 0 : 1);
}));
