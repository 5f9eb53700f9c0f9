// A run that is compared with another request: both sides are measured alternately. No test depends on their speed.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { problem } from '../harness/expect.mjs';
import { execute, Lab } from '../harness/lab.mjs';

let lab;
before(async () => (lab = await Lab.start({ args: ['--host-devices', '2'] })));
after(() => lab.close());

/** A transfer whose samples take microseconds. A side can have one in each of two rounds of eight blocks. */
const quick = {
  direction: 'h2d', memory: 'pinned', engine: 'copy', min_bytes: 4096, max_bytes: 8192, factor: 2, min_samples: 8, max_samples: 16,
  min_time_s: 0, settle_s: 0, time_budget_s: 60,
};

async function compare(compare_with, parameters = quick, rest = {}) {
  const answer = await lab.post('/api/v1/runs', { experiment: 'transfer', parameters, compare_with, ...rest });
  assert.equal(answer.status, 202, answer.text);
  return lab.reach(answer.json.id, 'succeeded');
}

const sideOf = (run, side) => run.measurements.filter((measurement) => measurement.side === side);
/** How many rounds each block of each measurement has. */
const rounds = (measurements) => measurements.map((measurement) => measurement.rounds?.map((block) => block.length) ?? null);

test('a request compared with itself has the same points, in as many blocks of two rounds', async () => {
  const run = await compare({});
  const base = sideOf(run, 'base');
  const head = sideOf(run, 'head');
  assert.equal(base.length + head.length, run.measurements.length);
  assert.deepEqual(base.map(({ axes, metric }) => ({ axes, metric })), head.map(({ axes, metric }) => ({ axes, metric })));
  assert.deepEqual(rounds(base), rounds(head));
  for (const measurement of run.measurements.filter((each) => each.metric === 'bandwidth')) {
    assert.equal(measurement.verified, true);
    assert.deepEqual(rounds([measurement]), [Array(8).fill(2)]);
    assert.ok(measurement.rounds.flat().every((median) => median >= measurement.min && median <= measurement.max));
    assert.ok(measurement.conditions);
  }
});

test('what differs is measured on the base, point by point', async () => {
  const run = await compare({ parameters: { memory: ['pageable'] } }, { ...quick, memory: ['pinned', 'mapped'] });
  const bandwidth = run.measurements.filter((measurement) => measurement.metric === 'bandwidth');
  assert.deepEqual(bandwidth.map(({ side, axes }) => `${side} ${axes.memory} ${axes.bytes}`), [
    'base pageable 4096', 'head pinned 4096', 'base pageable 8192', 'head pinned 8192',
    'base pageable 4096', 'head mapped 4096', 'base pageable 8192', 'head mapped 8192']);
  assert.equal(run.compare_with.experiment, 'transfer');
  assert.deepEqual(run.compare_with.parameters.memory, ['pageable']);
  assert.deepEqual(run.parameters.memory, ['pinned', 'mapped']);
  assert.equal(run.compare_with.parameters.min_bytes, 4096);
  assert.deepEqual(run.compare_with.devices, run.devices);
  assert.ok(run.headline.every(({ axes }) => axes.memory !== 'pageable'), 'headlines are those of the head');
});

test('two devices are compared', async () => {
  const { devices } = (await lab.get('/api/v1/devices')).json;
  const run = await compare({ devices: [devices[1].id] }, quick, { devices: [devices[0].id] });
  assert.deepEqual(run.devices.map(({ id }) => id), [devices[0].id]);
  assert.deepEqual(run.compare_with.devices.map(({ id }) => id), [devices[1].id]);
  assert.deepEqual(run.environment.devices.map(({ id }) => id), [devices[0].id, devices[1].id]);
  assert.deepEqual(rounds(sideOf(run, 'base')), rounds(sideOf(run, 'head')));
});

test('points that only one side has are skipped', async () => {
  const run = await compare({ parameters: { max_bytes: 4096 } });
  const skipped = run.measurements.filter((measurement) => measurement.skipped);
  assert.deepEqual(skipped.map(({ side, axes }) => `${side} ${axes.bytes}`), ['head 8192']);
  assert.match(skipped[0].skipped, /the base has no point/);
});

test('the sides and their rounds are in every form of the results', async () => {
  const run = await compare({});
  const { measurements } = (await lab.get(`/api/v1/runs/${run.id}/measurements?samples=true`)).json;
  const sampled = measurements.find((measurement) => measurement.rounds);
  assert.equal(sampled.samples.length, sampled.n);
  assert.deepEqual(sampled.rounds, run.measurements.find((measurement) => measurement.rounds).rounds);
  const [header, first] = (await lab.get(`/api/v1/runs/${run.id}/measurements.csv`)).text.split('\r\n');
  assert.equal(first.split(',')[header.split(',').indexOf('side')], 'base');
  assert.ok(header.includes(',skipped,rounds,'));
  assert.deepEqual(JSON.parse(/"(\[\[.*?\]\])"/.exec(first)[1]), sampled.rounds);
});

test('a repeated run is compared with the same base', async () => {
  const run = await compare({ parameters: { memory: ['pageable'] } });
  const answer = await lab.post(`/api/v1/runs/${run.id}/repeat`, {});
  assert.equal(answer.status, 202, answer.text);
  const again = await lab.reach(answer.json.id, 'succeeded');
  assert.deepEqual(again.compare_with, run.compare_with);
  assert.equal(again.measurements.length, run.measurements.length);
});

test('a run without compare_with has neither sides nor rounds', async () => {
  const run = await lab.complete(quick);
  assert.equal(run.compare_with, null);
  assert.ok(run.measurements.length > 0 && run.measurements.every(({ side, rounds: taken }) => side === null && taken === null));
});

test('errors of the base point below /compare_with', async () => {
  const cases = [
    [{ parameters: { memory: 'paper' } }, '/compare_with/parameters/memory'],
    [{ parameters: { min_bytes: 65536 } }, '/compare_with/parameters/min_bytes'],
    [{ parameters: 3 }, '/compare_with/parameters'],
    [{ devices: ['gpu-7'] }, '/compare_with/devices/0'],
    [{ devices: [] }, '/compare_with/devices'],
    [{ experiment: 'nothing' }, '/compare_with/experiment'],
    [{ note: 'x' }, '/compare_with/note'],
    [{ parameters: { max_samples: 8 } }, '/compare_with/parameters/max_samples'],
    ['base', '/compare_with'],
  ];
  for (const [compare_with, pointer] of cases) {
    const answer = await lab.post('/api/v1/runs', { experiment: 'transfer', parameters: quick, compare_with });
    const { errors } = problem(answer, 422);
    assert.ok(errors.some((error) => error.pointer === pointer), `${JSON.stringify(compare_with)}: ${JSON.stringify(errors)}`);
  }
});

test('a plan counts both sides', async () => {
  const request = { experiment: 'transfer', parameters: quick };
  const alone = (await lab.post('/api/v1/runs?dry_run=true', request)).json;
  const both = (await lab.post('/api/v1/runs?dry_run=true', { ...request, compare_with: {} })).json;
  assert.equal(both.points, 2 * alone.points);
  assert.equal(both.device_bytes, 2 * alone.device_bytes);
});

test('a comparison without a time budget has half a second for each pair of points, also where its preset has less', async () => {
  const planned = async (compare_with, parameters = {}) => (await lab.post('/api/v1/runs?dry_run=true', { experiment: 'transfer', parameters, compare_with })).json;
  const many = { min_bytes: 1024, max_bytes: 2 ** 20, factor: 1.2 }, { points, parameters } = await planned({}, many);
  assert.ok(points > 200, `${points} points`);
  assert.equal(parameters.time_budget_s, Math.ceil(points / 4));
  assert.equal((await planned({}, { ...many, time_budget_s: 7 })).parameters.time_budget_s, 7);
  const preset_s = async (more) => (await lab.post('/api/v1/runs?dry_run=true', { experiment: 'stream', preset: 'quick', ...more })).json.parameters.time_budget_s;
  assert.ok((await preset_s({ compare_with: {} })) > (await preset_s({})));
  assert.equal(await preset_s({ compare_with: {}, parameters: { time_budget_s: 2 } }), 2);
  const quick_s = async (...args) => JSON.parse((await execute('gpulab', ['run', 'stream', '--quick', '--dry-run', '--json', '--server', lab.address, ...args])).stdout).stream.parameters.time_budget_s;
  assert.ok((await quick_s('--compare-with', 'seed=1')) > (await quick_s()));
  assert.equal(await quick_s('--compare-with', 'seed=1', '--set', 'time_budget_s=3'), 3);
});

test('gpulab run --compare-with prints both sides, their ratio and a verdict', async () => {
  const set = Object.entries(quick).flatMap(([name, value]) => ['--set', `${name}=${value}`]);
  const args = ['run', 'transfer', '--runtime', 'host', '--no-save', ...set];
  const run = await execute('gpulab', [...args, '--compare-with', 'memory=pageable']);
  assert.equal(run.code, 0, run.stderr);
  assert.match(run.stdout, /^base: memory=\["pageable"\]$/m);
  assert.match(run.stdout, /base +head +ratio +interval +detectable +verdict/);
  assert.match(run.stdout, /8 KiB .* {2}(faster|slower|same|unclear)( |$)/m);
  const json = await execute('gpulab', [...args, '--compare-with', 'memory=pageable', '--json']);
  assert.deepEqual(new Set(JSON.parse(json.stdout).measurements.map(({ side }) => side)), new Set(['base', 'head']));
  const wrong = await execute('gpulab', [...args, '--compare-with', 'memory']);
  assert.equal(wrong.code, 2, wrong.stdout);
  assert.match(wrong.stderr, /--compare-with/);
  const unknown = await execute('gpulab', [...args, '--compare-device', '7']);
  assert.match(unknown.stderr, /\/compare_with\/devices\/0/);
});

test('gpulab run --compare-with, show and compare give the verdicts of GET /compare', async () => {
  const gpulab = (...args) => execute('gpulab', [...args, '--server', lab.address]);
  const set = Object.entries(quick).flatMap(([name, value]) => ['--set', `${name}=${value}`]);
  const run = await gpulab('run', 'transfer', ...set, '--compare-with', 'seed=1');
  assert.equal(run.code, 0, run.stderr);
  const id = /^([0-9a-f-]{36}) succeeded/m.exec(run.stdout)[1];
  const { points, summary, verdict } = (await lab.get(`/api/v1/compare?run=${id}`)).json;
  assert.ok(points.length > points.filter((point) => point.verdict).length, 'a point has several metrics');
  const count = Object.values(summary).reduce((a, b) => a + b, 0);
  const line = `${count} points: ${summary.slower} slower, ${summary.faster} faster, ${summary.same} same, ${summary.unclear} unclear; together ${verdict}`;
  const verdicts = (text) => text.split('\n').filter((row) => / {2}(faster|slower|same|unclear)( {2}|$)/.test(row));
  const compared = await gpulab('compare', id, '--fail-on', 'none');
  for (const { stdout, stderr } of [run, await gpulab('show', id), compared]) {
    assert.equal(stdout.match(/^\d+ points: .*$/m)?.[0], line, stderr);
    assert.deepEqual(verdicts(stdout), verdicts(compared.stdout));
    assert.equal(verdicts(stdout).length, count);
  }
});

test('gpulab run --compare-with --no-save prints the verdicts of a run that is then deleted', async () => {
  const set = Object.entries(quick).flatMap(([name, value]) => ['--set', `${name}=${value}`]);
  const run = await execute('gpulab', ['run', 'transfer', ...set, '--compare-with', 'memory=pageable', '--no-save', '--server', lab.address]);
  assert.equal(run.stderr.match(/gpulab: .*/), null, run.stderr);
  assert.match(run.stdout, /^2 points: /m);
  assert.equal((await lab.run(/^([0-9a-f-]{36}) succeeded/m.exec(run.stdout)[1])).status, 404);
});
