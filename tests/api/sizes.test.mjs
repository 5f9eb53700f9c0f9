// Sizes as people write them: over HTTP, and on the command line.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Place, SUCCESS, USAGE } from '../harness/cli.mjs';
import { problem } from '../harness/expect.mjs';
import { Lab } from '../harness/lab.mjs';

const sizes = JSON.parse(readFileSync(new URL('../sizes.json', import.meta.url), 'utf8'));
const transfer = { direction: 'h2d', memory: 'pinned', max_samples: 1 };

let lab;
before(async () => (lab = await Lab.start()));
after(() => lab.close());

const plan = (parameters, more = {}) => lab.post('/api/v1/runs?dry_run=true', { experiment: 'transfer', parameters: { ...transfer, ...parameters }, ...more });

test('the schema of an integer has the pattern of the sizes that are taken', async () => {
  const { json } = await lab.get('/api/v1/experiments/transfer');
  const { type, pattern } = json.parameters.properties.max_bytes;
  assert.deepEqual(type, ['integer', 'string']);
  const expression = new RegExp(pattern, 'u');
  for (const text of Object.keys({ ...sizes.values, ...sizes.fractions })) assert.match(text, expression);
  for (const text of sizes.refused) assert.doesNotMatch(text, expression);
});

test('the lab takes exactly these texts, and runs have numbers', async () => {
  for (const [text, value] of Object.entries(sizes.values).filter(([, number]) => number >= 0 && number <= Number.MAX_SAFE_INTEGER)) {
    const { status, json, text: body } = await plan({ seed: text });
    assert.deepEqual([status, json.parameters?.seed], [200, value], `${text}: ${body}`);
  }
  for (const text of [...sizes.refused, ...Object.keys(sizes.fractions)]) problem(await plan({ seed: text }), 422, '/parameters/seed');
  const run = (await lab.post('/api/v1/runs', { experiment: 'transfer', parameters: { ...transfer, min_bytes: '4 KiB', max_bytes: '2^12' } })).json;
  assert.deepEqual([run.parameters.min_bytes, run.parameters.max_bytes], [4096, 4096]);
});

test('a comparison and a sweep take sizes', async () => {
  const { json } = await plan({ max_samples: 16, max_bytes: '64MB' }, { compare_with: { parameters: { max_bytes: '64MiB' } } });
  assert.deepEqual([json.parameters.max_bytes, json.compare_with.parameters.max_bytes], [64000000, 67108864]);
  assert.equal((await plan({ max_bytes: '64KiB' })).json.compare_with, null);
  const sweep = await lab.post('/api/v1/sweeps?dry_run=true', { experiment: 'transfer', parameters: { ...transfer, max_bytes: ['1MiB', '2M', 4194304] } });
  assert.deepEqual([sweep.status, sweep.json.runs], [200, 3], sweep.text);
  problem(await lab.post('/api/v1/sweeps', { experiment: 'transfer', parameters: { ...transfer, max_bytes: ['1MiB', '2Q'] } }), 422, '/parameters/max_bytes');
});

test('messages say what is taken, and the bounds', async () => {
  const detail = async (max_bytes) => problem(await plan({ max_bytes }), 422, '/parameters/max_bytes').errors[0].detail;
  const taken = "'max_bytes' must be a whole number or a size (65536, 64KiB, 1MiB, 64MB, 2^20) from 1 to 1099511627776 B";
  assert.equal(await detail('2Q'), `${taken}, not "2Q".`);
  assert.equal(await detail('99999999999999999999'), `${taken}, not "99999999999999999999".`);
  const { status, json } = await lab.request('POST', '/api/v1/runs', { body: '{"experiment": "transfer", "parameters": {"max_bytes": 99999999999999999999}}', headers: { 'content-type': 'application/json' } });
  assert.deepEqual([status, json.errors[0].pointer], [400, '/parameters/max_bytes']);
  assert.match(json.errors[0].detail, /too large a number: integers must be below 2\^63/);
});

test('a dry run prints the bytes of what --set and --compare-with give', async (t) => {
  const place = new Place(t);
  const gpulab = (...args) => place.gpulab(['run', 'transfer', '--quick', '--dry-run', ...args, '--runtime', 'host', '--no-save']);
  const command = await gpulab('--set', 'max_bytes=64MB', '--set', 'min_bytes=1 MiB', '--set', 'max_noise=.5', '--compare-with', 'max_bytes=64M');
  assert.equal(command.code, SUCCESS, command.stderr);
  const printed = command.stdout.split('\n').filter((line) => line.startsWith('transfer') && line.includes('bytes'));
  assert.deepEqual(printed, ['transfer: max_bytes 64000000 B', 'transfer: min_bytes 1048576 B', 'transfer, compared with: max_bytes 67108864 B']);
  const product = await place.gpulab(['run', 'matmul', '--dry-run', '--set', 'm=1K,2^5', '--set', 'n=100', '--set', 'k=1KB', '--runtime', 'host', '--no-save']);
  assert.match(product.stdout, /^matmul: m 1024, 32\nmatmul: n 100\nmatmul: k 1000$/m);
});

test('what is given twice is refused by name', async (t) => {
  const place = new Place(t), file = join(place.folder, 'k.cu');
  writeFileSync(file, '__global__ void k(int n, float *x) {}\n');
  const buffer = ['--arg', 'x:fp32[n]'];
  for (const [args, message] of [
    [['run', 'transfer', '--set', 'max_bytes=1K', '--set', 'max_bytes=2K'], /^gpulab: --set: max_bytes is given twice; where it takes a list, give max_bytes=A,B$/m],
    [['run', 'transfer', '--compare-with', 'memory=pinned', '--compare-with', 'memory=pageable'], /^gpulab: --compare-with: memory is given twice/m],
    [['sweep', 'transfer', '--set', 'memory=pinned', '--set', 'memory=pageable'], /^gpulab: --set: memory is given twice/m],
    [['run', 'transfer', '--note', 'a', '--note', 'b'], /^gpulab: --note: is given twice/m],
    [['runs', '--limit=1', '--limit', '2'], /^gpulab: --limit: is given twice/m],
    [['kernel', file, '--arg', 'n:i32=1', '--arg', 'n:i32=2', '--grid', '1'], /kernel\/arguments\/1\/name: An argument of this name is given twice/],
    [['kernel', file, '--arg', 'n:i32=1', '--arg', 'x:fp32[n]:in:out'], /^gpulab: --arg: 'x:fp32\[n\]:in:out' must be NAME:TYPE\[COUNT\] or NAME:TYPE\[BUFFERS\]\[COUNT\], with one of :in, :out and :inout/m],
    [['kernel', file, '--arg', 'n:i32=1', ...buffer, '--grid', '1', '--grid', '2'], /^gpulab: --grid: is given twice/m],
  ]) {
    const command = await place.gpulab([...args, '--runtime', 'host', ...(args[0] === 'run' || args[0] === 'kernel' ? ['--no-save'] : [])]);
    assert.equal(command.code, USAGE, `${args}: ${command.stderr}`);
    assert.match(command.stderr, message);
  }
  const environment = await place.gpulab(['devices', '--runtime', 'host'], { env: { GPULAB_RUNTIME: 'cuda' } });
  assert.equal(environment.code, SUCCESS, environment.stderr);
  problem(await lab.get('/api/v1/runs?limit=1&limit=2'), 422, '/query/limit');
});

test('a grid that nobody wrote is asked for by name', async (t) => {
  const place = new Place(t), file = join(place.folder, 'k.cu');
  writeFileSync(file, '__global__ void k(int n) {}\n');
  const command = await place.gpulab(['kernel', file, '--arg', 'n:i32=5', '--runtime', 'host', '--no-save']);
  assert.equal(command.code, USAGE);
  assert.match(command.stderr, /^gpulab: --grid: must be given: the kernel has no buffer/m);
});
