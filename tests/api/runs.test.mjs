// A run over HTTP: submitted, queued, measured, read in every form, cancelled, deleted.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { problem } from '../harness/expect.mjs';
import { importInto, linesOf } from '../harness/exports.mjs';
import { endless, Lab, small, until } from '../harness/lab.mjs';

let lab;
before(async () => (lab = await Lab.start()));
after(() => lab.close());

const pause = (paused) => lab.request('PUT', '/api/v1/queue', { json: { paused } });

test('a run is accepted, queued, measured and verified', async () => {
  await pause(true);
  const answer = await lab.post('/api/v1/runs', { experiment: 'transfer', parameters: small, tags: ['first', 'api'], note: 'a note' });
  assert.equal(answer.status, 202, answer.text);
  assert.equal(answer.headers.location, `/api/v1/runs/${answer.json.id}`);
  assert.equal(answer.json.status, 'queued');
  await pause(false);
  const run = await lab.reach(answer.json.id, 'succeeded');
  assert.equal(run.experiment, 'transfer');
  assert.deepEqual(run.tags, ['first', 'api']);
  assert.equal(run.note, 'a note');
  assert.equal(run.error, null);
  assert.equal(run.contended, false);
  assert.equal(run.devices.length, 1);
  assert.equal(typeof run.host, 'string');
  assert.ok(run.revision >= 1);
  const { machine, build, devices, variables, libraries } = run.environment;
  assert.ok(machine.name && machine.kernel && machine.cpu && build.version && build.commit && build.compiler && build.flags !== undefined);
  assert.deepEqual(devices.map(({ id, name }) => ({ id, name, node: machine.name })), run.devices);
  assert.deepEqual(Object.keys(variables).filter((name) => !/^((CUDA|NCCL|CUBLAS|OPENBLAS|OMP)_|NVIDIA_TF32_OVERRIDE$)/.test(name)), []);
  assert.deepEqual(libraries, { openblas: null, fftw: null, fftwf: null }); // a transfer does not open them
  const bandwidth = run.measurements.filter((measurement) => measurement.metric === 'bandwidth');
  assert.ok(bandwidth.length > 0);
  for (const measurement of bandwidth) {
    assert.equal(measurement.unit, 'GB/s');
    assert.equal(measurement.verified, true);
    assert.equal(measurement.wrong, 0);
    assert.equal(measurement.axes.direction, 'h2d');
    assert.equal(measurement.axes.bytes, 4096);
    assert.ok(measurement.median > 0);
    assert.ok(measurement.min <= measurement.q1 && measurement.q1 <= measurement.median);
    assert.ok(measurement.median <= measurement.q3 && measurement.q3 <= measurement.max);
    assert.equal(measurement.samples, undefined, 'samples only with ?samples=true');
    assert.ok(['converged', 'noise-stable', 'drifting', 'sample-limit', 'budget'].includes(measurement.stop_reason));
  }
});

test('many points have a larger time budget, unless the request gives one', async () => {
  const many = { ...small, max_bytes: 1048576, factor: 1.02, min_samples: 16, max_samples: 16 };
  const submit = async (request) => (await lab.post('/api/v1/runs', { experiment: 'transfer', ...request })).json;
  await pause(true);
  const runs = [await submit({ parameters: many }), await submit({ parameters: { ...many, time_budget_s: 12 } }), await submit({ parameters: many, compare_with: { parameters: { engine: 'sm' } } })];
  for (const { id } of runs) await lab.post(`/api/v1/runs/${id}/cancel`);
  await pause(false);
  const [raised, given, compared] = runs.map((run) => run.parameters.time_budget_s);
  assert.ok(raised > 12 && raised < 60, `${raised} s`);
  assert.equal(given, 12);
  assert.ok(compared > raised, 'it is for the points of both sides');
  assert.equal(runs[2].compare_with.parameters.time_budget_s, compared);
});

test('a run has the parameters of its preset, unless the request gives others', async () => {
  const { presets } = (await lab.get('/api/v1/experiments/transfer')).json;
  const planned = async (more) => (await lab.post('/api/v1/runs?dry_run=true', { experiment: 'transfer', preset: 'quick', ...more })).json.parameters;
  const [as_preset, changed] = [await planned({}), await planned({ parameters: { max_bytes: '64KiB' } })];
  for (const [name, value] of Object.entries(presets.quick)) assert.deepEqual([as_preset[name]].flat(), [value].flat(), name);
  assert.deepEqual(changed, { ...as_preset, max_bytes: 65536 });
  const { errors } = problem(await lab.post('/api/v1/runs', { experiment: 'transfer', preset: 'slow' }), 422, '/preset');
  assert.deepEqual([errors[0].code, errors[0].detail], ['unknown-preset', 'transfer has no preset "slow"; its presets are: quick, source.']);
});

test('all samples are stored, and the summary is computed from them', async () => {
  const run = await lab.complete({ ...small, min_samples: 25, max_samples: 25, max_noise: 0 });
  const { measurements } = (await lab.get(`/api/v1/runs/${run.id}/measurements?samples=true`)).json;
  const sampled = measurements.filter((measurement) => measurement.n > 0);
  assert.ok(sampled.length > 0);
  for (const measurement of sampled) {
    assert.equal(measurement.samples.length, measurement.n);
    const sorted = [...measurement.samples].sort((a, b) => a - b);
    assert.equal(measurement.min, sorted[0]);
    assert.equal(measurement.max, sorted.at(-1));
    const median = (sorted[Math.floor((sorted.length - 1) / 2)] + sorted[Math.ceil((sorted.length - 1) / 2)]) / 2;
    assert.ok(Math.abs(measurement.median - median) <= 1e-9 * median);
  }
  assert.ok(sampled.some((measurement) => measurement.n === 25));
});

test('measurements are available as CSV, row by row', async () => {
  const run = await lab.complete({ ...small, direction: ['h2d', 'd2d'], max_bytes: 16384, cache: ['warm', 'cold'] });
  const { measurements } = (await lab.get(`/api/v1/runs/${run.id}/measurements`)).json;
  const csv = await lab.get(`/api/v1/runs/${run.id}/measurements.csv`);
  assert.equal(csv.status, 200);
  assert.match(csv.headers['content-type'], /^text\/csv/);
  const [header, ...rows] = csv.text.trimEnd().split(/\r?\n/);
  const columns = header.split(',');
  for (const name of ['metric', 'unit', 'median', 'verified', 'direction', 'bytes', 'axis_cache', 'cache']) assert.ok(columns.includes(name), header);
  assert.equal(new Set(columns).size, columns.length, header);
  assert.equal(rows.length, measurements.length);
  rows.forEach((row, position) => {
    const cells = row.split(',');
    assert.equal(cells[columns.indexOf('metric')], measurements[position].metric);
    if (measurements[position].median !== null) assert.equal(Number(cells[columns.indexOf('median')]), measurements[position].median);
    const { cache, axes } = measurements[position];
    assert.deepEqual([cells[columns.indexOf('axis_cache')], cells[columns.indexOf('cache')]], [axes.cache ?? '', cache ?? '']);
  });
});

test('a note that looks like CSV or HTML comes back unchanged', async () => {
  const note = '"><script>alert(1)</script>,=1+1\n\u00e4\u{1F600}';
  const run = await lab.submit(small, { note, tags: ['\u00fc"<'] });
  const back = await lab.run(run.id);
  assert.equal(back.note, note);
  assert.deepEqual(back.tags, ['\u00fc"<']);
});

test('Idempotency-Key: the same body gives the same run, another body 422', async () => {
  const headers = { 'idempotency-key': 'only-once' };
  const body = { experiment: 'transfer', parameters: small };
  const first = await lab.post('/api/v1/runs', body, headers);
  const again = await lab.post('/api/v1/runs', body, headers);
  assert.equal(first.status, 202);
  assert.equal(again.status, 202, again.text);
  assert.equal(again.json.id, first.json.id);
  problem(await lab.post('/api/v1/runs', { ...body, note: 'another' }, headers), 422);
  const other = await lab.post('/api/v1/runs', body, { 'idempotency-key': 'a second' });
  assert.notEqual(other.json.id, first.json.id);
});

test('one Idempotency-Key sent twenty times at once makes one run', async () => {
  const headers = { 'idempotency-key': 'at once' };
  const answers = await Promise.all(Array.from({ length: 20 }, () => lab.post('/api/v1/runs', { experiment: 'transfer', parameters: small }, headers)));
  assert.equal(new Set(answers.map((answer) => answer.json.id)).size, 1);
});

test('a running run is cancelled, keeps what it measured, and a second cancel is 200', async () => {
  const run = await lab.submit(endless);
  await until(async () => (await lab.run(run.id)).measurements.length > 0, 'the first measurement');
  const live = await lab.run(run.id);
  assert.equal(live.status, 'running');
  assert.ok(live.progress.total > 1 && live.progress.done <= live.progress.total, JSON.stringify(live.progress));
  problem(await lab.request('DELETE', `/api/v1/runs/${run.id}`), 409);
  const answer = await lab.post(`/api/v1/runs/${run.id}/cancel`);
  assert.equal(answer.status, 202, answer.text);
  const over = await lab.reach(run.id, 'cancelled');
  assert.ok(over.measurements.length > 0);
  assert.equal((await lab.post(`/api/v1/runs/${run.id}/cancel`)).status, 200);
});

test('a queued run is cancelled before it starts; a finished one cannot be', async () => {
  const running = await lab.submit(endless);
  const queued = await lab.submit(small);
  assert.equal((await lab.post(`/api/v1/runs/${queued.id}/cancel`)).status, 202);
  const over = await lab.reach(queued.id, 'cancelled');
  assert.equal(over.started_at, null);
  await lab.post(`/api/v1/runs/${running.id}/cancel`);
  const done = await lab.complete();
  problem(await lab.post(`/api/v1/runs/${done.id}/cancel`), 409);
});

test('the experiment of a run is that of the lab; a run of an experiment that the lab does not have is 404', async () => {
  const run = await lab.complete();
  const described = await lab.get(`/api/v1/experiments/${run.experiment}`);
  assert.deepEqual((await lab.get(`/api/v1/runs/${run.id}/experiment`)).json, described.json);
  const lines = linesOf({ at: new Date(Date.UTC(2026, 0, 1)), experiment: 'elsewhere.thing' }, [{ samples: [1, 2, 3] }]);
  await importInto(lab, lines);
  assert.match(problem(await lab.get(`/api/v1/runs/${lines[0].id}/experiment`), 404).detail, /^Experiment not found/);
  assert.match(problem(await lab.get('/api/v1/runs/none/experiment'), 404).detail, /^Run not found/);
});

test('a deleted run is removed with its measurements', async () => {
  const run = await lab.complete();
  const answer = await lab.request('DELETE', `/api/v1/runs/${run.id}`);
  assert.equal(answer.status, 204);
  assert.equal(answer.bytes.length, 0);
  for (const path of ['', '/experiment', '/measurements', '/measurements.csv']) problem(await lab.get(`/api/v1/runs/${run.id}${path}`), 404);
  problem(await lab.request('DELETE', `/api/v1/runs/${run.id}`), 404);
  problem(await lab.post(`/api/v1/runs/${run.id}/cancel`), 404);
  const { runs } = (await lab.get('/api/v1/runs?limit=500')).json;
  assert.ok(!runs.some((other) => other.id === run.id));
});

test('a time limit ends a run that takes longer', async () => {
  const run = await lab.submit(endless, { time_limit_s: 3 });
  const over = await lab.reach(run.id, 'failed');
  assert.match(JSON.stringify(over.error), /time/i);
  assert.ok(over.measurements.length > 0, 'what was measured until then is kept');
});

test('the queue has a length and a running run, and can be paused', async () => {
  const paused = await lab.request('PUT', '/api/v1/queue', { json: { paused: true } });
  assert.equal(paused.status, 200, paused.text);
  assert.equal(paused.json.paused, true);
  const first = await lab.submit();
  const second = await lab.submit();
  const state = (await lab.get('/api/v1/queue')).json;
  assert.deepEqual([state.length, state.running, state.paused], [2, null, true]);
  assert.equal((await lab.run(first.id)).queue_position, 0);
  assert.equal((await lab.run(second.id)).queue_position, 1);
  await lab.request('PUT', '/api/v1/queue', { json: { paused: false } });
  const [one, two] = [await lab.reach(first.id, 'succeeded'), await lab.reach(second.id, 'succeeded')];
  assert.ok(Date.parse(one.finished_at) <= Date.parse(two.started_at), 'one at a time, in order');
  assert.equal(one.queue_position, null);
  problem(await lab.request('PUT', '/api/v1/queue', { json: { paused: 'yes' } }), 422, '/paused');
});
