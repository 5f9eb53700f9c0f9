// POST /api/v1/import with a format, and gpulab import --from: a result file of another tool becomes a run like others.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { Place, SUCCESS, USAGE } from '../harness/cli.mjs';
import { Lab, withLab } from '../harness/lab.mjs';

const folder = join(import.meta.dirname, '..', 'fuzz', 'corpus', 'formats');
const fileOf = (name) => readFileSync(join(folder, name), 'utf8');

let lab;
before(async () => (lab = await Lab.start()));
after(() => lab.close());

const send = (body, query, to = lab) =>
  to.request('POST', `/api/v1/import?${new URLSearchParams(query)}`, { body, headers: { 'content-type': 'application/x-ndjson' } });
/** Imports a file, which is one run, and returns its document with samples. */
async function imported(body, query, to = lab) {
  const answer = await send(body, query, to);
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.json.runs.length, 1);
  const [id] = answer.json.runs;
  const { measurements } = (await to.get(`/api/v1/runs/${id}/measurements?samples=true`)).json;
  return { ...(await to.get(`/api/v1/runs/${id}`)).json, measurements, answer: answer.json };
}
/** What is wrong with a file, as "POINTER: DETAIL". */
async function refused(body, query) {
  const runs = async () => (await lab.get('/api/v1/runs?limit=500')).json.runs.length;
  const count = await runs(), answer = await send(body, query);
  assert.equal(answer.status, 422, answer.text);
  assert.equal(await runs(), count, 'nothing was stored');
  return answer.json.errors.map(({ pointer, detail }) => `${pointer}: ${detail}`);
}
const close = (a, b) => assert.ok(Math.abs(a - b) <= 1e-12 * Math.abs(b), `${a} is not ${b}`);
const measured = ({ measurements }, metric, axes) =>
  measurements.find((one) => one.metric === metric && Object.entries(axes).every(([name, value]) => one.axes[name] === value));

// --- the figures of each tool ---------------------------------------------------------------------------------------

test('hyperfine: the runs of each command are its samples', async () => {
  const text = fileOf('hyperfine.json'), run = await imported(text, { format: 'hyperfine', host: 'node7' });
  for (const { command, times, user } of JSON.parse(text).results) {
    const { samples, unit, n } = measured(run, 'time', { command });
    samples.forEach((sample, i) => close(sample, times[i]));
    assert.deepEqual([samples.length, unit, n], [times.length, 's', times.length]);
    close(measured(run, 'user_time', { command }).median, user);
  }
  assert.deepEqual([run.experiment, run.status, run.host], ['hyperfine', 'succeeded', 'node7']);
  assert.deepEqual(run.devices.map(({ name, node }) => [name, node]), [['node7', 'node7']]);
  assert.ok(run.notes.includes('The file has no date: the time is that of the import.'), run.notes.join('\n'));
  assert.equal(run.notes.some((note) => note.includes('the machine')), false, 'it was named');
});

test('Google Benchmark: repetitions are samples, and machine, date and counters are read', async () => {
  const text = fileOf('google-benchmark-repetitions.json'), run = await imported(text, { format: 'google-benchmark' });
  const { context, benchmarks } = JSON.parse(text);
  const rows = benchmarks.filter(({ run_name: name, run_type: type }) => name === 'copy/bytes:1024' && type === 'iteration');
  assert.ok(rows.length > 1);
  const nanoseconds = (name) => rows.map((row) => row[name] * { ns: 1e-9, us: 1e-6, ms: 1e-3, s: 1 }[row.time_unit]);
  const { samples } = measured(run, 'time', { benchmark: 'copy', bytes: 1024 });
  nanoseconds('real_time').forEach((value, i) => close(samples[i], value));
  assert.equal(run.host, context.host_name);
  assert.equal(Date.parse(run.created_at), Date.parse(context.date));
  assert.deepEqual([run.started_at, run.finished_at, run.requested_by], [null, null, null]);
});

test('every format of the corpus becomes a run with all measurements and the notes of the file', async () => {
  const files = { nvbench: 'nvbench.json', 'nccl-tests': 'nccl-tests.json', nvbandwidth: 'nvbandwidth.json', babelstream: 'babelstream-6.csv', csv: 'table.csv', gpulab: 'gpulab.jsonl' };
  for (const [format, name] of Object.entries(files)) {
    const run = await imported(fileOf(name), { format });
    assert.deepEqual([run.experiment, run.status, run.measurement_count], [format, 'succeeded', run.measurements.length], format);
    assert.ok(run.measurements.length > 0 && run.measurements.every(({ median }) => Number.isFinite(median)), format);
    assert.deepEqual([run.headline[0].metric, run.headline[0].value], [run.measurements[0].metric, run.measurements[0].median], format);
  }
});

test('nccl-tests: wrong elements are wrong results; nvbench: means without a median are named', async () => {
  const other = await Lab.start();
  try {
    const nccl = await imported(fileOf('nccl-tests.json'), { format: 'nccl-tests' }, other);
    assert.deepEqual(nccl.measurements.filter(({ verified }) => verified === false).map(({ wrong }) => wrong), [3, 3, 3]);
    assert.equal(nccl.wrong_count, 3);
    assert.equal(new Set(nccl.devices.map(({ id }) => id)).size, nccl.devices.length);
    assert.ok(nccl.environment.libraries.nccl, JSON.stringify(nccl.environment));
    const nvbench = await imported(fileOf('nvbench.json'), { format: 'nvbench' }, other);
    assert.ok(nvbench.notes.some((note) => /^The file has means without medians: the medians of \d+ results are their means\.$/.test(note)));
    const time = measured(nvbench, 'gpu_time', { benchmark: 'scale' });
    assert.deepEqual([time.samples.length, time.n, time.stop_reason], [0, 500, null]);
  } finally {
    await other.close();
  }
});

test('a file in which everything has failed is a failed run, whose notes say why', async () => {
  const failed = JSON.stringify({ context: {}, benchmarks: [{ name: 'a', run_name: 'a', run_type: 'iteration', iterations: 0, real_time: 0, cpu_time: 0, time_unit: 'ns', error_occurred: true, error_message: 'no device' }] });
  const run = await imported(failed, { format: 'google-benchmark' });
  assert.deepEqual([run.status, run.measurement_count, run.headline], ['failed', 0, null]);
  assert.match(run.error.detail, /no measurements/);
  assert.ok(run.notes.some((note) => note.includes('no device')), run.notes.join('\n'));
});

// --- like other runs ------------------------------------------------------------------------------------------------

test('the same file is one run, whatever is said of it, and also at the same time', async () => {
  const text = fileOf('hyperfine.json').replace('"true 1"', '"true 7"'), query = { format: 'hyperfine' };
  assert.notEqual(text, fileOf('hyperfine.json'));
  const answers = await Promise.all(Array.from({ length: 6 }, (_, i) => send(text, { ...query, host: `h${i}` })));
  assert.deepEqual(answers.map(({ status }) => status), Array(6).fill(200));
  assert.equal(new Set(answers.map(({ json }) => json.runs[0])).size, 1);
  assert.equal(answers.reduce((sum, { json }) => sum + json.imported, 0), 1);
  const again = (await send(gzipSync(text), { ...query, at: '2024-05-01T00:00:00Z' })).json;
  assert.deepEqual([again.imported, again.skipped, again.runs], [0, 1, answers[0].json.runs]);
});

test('imported runs have a series, a comparison with verdicts, an export, and no repetition', async () => {
  await withLab({}, async (own) => {
    const times = (base) => Array.from({ length: 12 }, (_, i) => base + ((i * 7) % 12) / 1000);
    const file = (base) => JSON.stringify({ results: [{ command: 'sort', mean: base, median: base, times: times(base), user: 0.1, system: 0.1 }] });
    const runs = [];
    for (let day = 1; day <= 8; day++)
      runs.push(await imported(file(day === 8 ? 2 : 1 + day / 1e5), { format: 'hyperfine', device: 'cpu', at: `2026-01-0${day}T00:00:00Z` }, own));
    assert.deepEqual(runs.map(({ created_at: at }) => at.slice(0, 10)), runs.map((_, i) => `2026-01-0${i + 1}`));
    const axes = JSON.stringify({ command: 'sort' });
    const series = (await own.get(`/api/v1/series?${new URLSearchParams({ experiment: 'hyperfine', metric: 'time', axes })}`)).json;
    assert.deepEqual([series.values.length, series.model, series.point.better], [8, 'cpu', 'lower']);
    const { points } = (await own.get('/api/v1/series/points?experiment=hyperfine')).json;
    assert.ok(points.some(({ metric, runs: count }) => metric === 'time' && count === 8));
    const comparison = (await own.get(`/api/v1/compare?base=${runs[6].id}&head=${runs[7].id}`)).json;
    const time = comparison.points.find(({ metric }) => metric === 'time');
    assert.equal(time.verdict, 'slower', JSON.stringify(time));
    assert.equal((await own.post(`/api/v1/runs/${runs[0].id}/repeat`, {})).status, 422);
    const exported = (await own.get('/api/v1/export?samples=true')).text, other = await Lab.start();
    try {
      const answer = await other.request('POST', '/api/v1/import', { body: exported, headers: { 'content-type': 'application/x-ndjson' } });
      assert.deepEqual([answer.json.imported, answer.json.errors], [8, []]);
      assert.equal((await send(file(2), { format: 'hyperfine' }, other)).json.skipped, 1, 'the file is known from the export');
    } finally {
      await other.close();
    }
  });
});

// --- what is refused ------------------------------------------------------------------------------------------------

test('a file that is not of its format is refused, and the message says where', async () => {
  const hyperfine = (fields) => JSON.stringify({ results: [{ command: 'x', mean: 1, times: [1], ...fields }] });
  const cases = [
    ['', 'hyperfine', /JSON document/],
    [fileOf('nvbench.json'), 'hyperfine', /^\/results: 'results' is missing/],
    [hyperfine({ times: [1, -1] }), 'hyperfine', /^\/results\/0: 'time' is -1 s; it must not be negative/],
    [hyperfine({ times: ['1'] }), 'hyperfine', /^\/results\/0\/times/],
    [hyperfine({ command: 'a\u0007b' }), 'hyperfine', /^\/results\/0: .*control characters/],
    [hyperfine({ command: 'c'.repeat(2000) }), 'hyperfine', /^\/results\/0.*1024/],
    ['{"results":[{"command":"x","mean":1e999,"times":[1]}]}', 'hyperfine', /./],
    [`{"results":${'['.repeat(100000)}`, 'hyperfine', /nested/],
    ['{"results":[],"results":[]}', 'hyperfine', /duplicate|twice/],
    ['\u0000\u0001', 'csv', /NUL/],
    [Buffer.from([0xff, 0xfe, 0x41]), 'csv', /UTF-8/],
    ['function,num_times\n', 'babelstream', /./],
  ];
  for (const [text, format, message] of cases) assert.match((await refused(text, { format })).join('\n'), message, `${format}: ${String(text).slice(0, 60)}`);
});

test('files beyond the bounds are refused, also those that only gzip makes small', async () => {
  const zeros = Buffer.alloc(33 * 1024 * 1024, 0x20);
  assert.match((await refused(zeros, { format: 'csv' })).join(), /^: The file must have at most 33554432 bytes\.$/);
  assert.match((await refused(gzipSync(zeros), { format: 'csv' })).join(), /^: The file must have at most 33554432 bytes\.$/);
  assert.match((await refused(gzipSync('x,y').subarray(0, 12), { format: 'csv' })).join(), /gzip|cut/);
});

test('a query that cannot be is refused', async () => {
  const text = fileOf('hyperfine.json');
  assert.match((await refused(text, { format: 'mine' })).join(), /^\/query\/format: There is no format of results "mine"; the formats are: gpulab, nvbench, /);
  assert.match((await refused(text, { host: 'a' })).join(), /^\/query\/host: Only files with a 'format' take it/);
  for (const at of ['2199-01-01', '1969-12-31'])
    assert.match((await refused(text, { format: 'hyperfine', at })).join(), /^\/query\/at: /);
});

// --- the command ----------------------------------------------------------------------------------------------------

test('gpulab import --from takes several files, names the wrong one, and adds the others', async (t) => {
  const place = new Place(t), wrong = join(place.folder, 'wrong.json');
  writeFileSync(wrong, '{"results": [{"command": 5}]}');
  const files = ['hyperfine.json', 'hyperfine-failed.json'].map((name) => join(folder, name));
  const result = await place.gpulab(['import', '--db', place.database, '--from', 'hyperfine', files[0], wrong, files[1], files[0]]);
  assert.equal(result.code, USAGE, result.stderr);
  assert.match(result.stdout, /^2 runs imported, 1 were there already\n(run [0-9a-f-]{36}\n){3}$/);
  assert.match(result.stderr, /^gpulab: \/results\/0\/command: .*wrong\.json: /m);
  const json = await place.gpulab(['import', '--db', place.database, '--json', '--from', 'hyperfine', ...files]);
  const { imported: added, skipped, runs } = JSON.parse(json.stdout);
  assert.deepEqual([json.code, added, skipped, runs.length], [SUCCESS, 0, 2, 2]);
  const shown = await place.gpulab(['show', '--db', place.database, runs[0]]);
  assert.deepEqual([shown.code, /true 1/.test(shown.stdout)], [SUCCESS, true], shown.stdout);
  const alone = await place.gpulab(['import', '--db', place.database, '--host', 'a', files[0]]);
  assert.deepEqual([alone.code, /--from/.test(alone.stderr)], [USAGE, true], alone.stderr);
  const unknown = await place.gpulab(['import', '--db', place.database, '--from', 'mine', files[0]]);
  assert.deepEqual([unknown.code, /^gpulab: --from: There is no format/.test(unknown.stderr)], [USAGE, true], unknown.stderr);
});

test('every format is named where people look for one', async (t) => {
  const [error] = await refused(fileOf('hyperfine.json'), { format: 'mine' });
  const names = /the formats are: (.*)\.$/.exec(error)[1].split(', ');
  const place = new Place(t), help = (await place.gpulab(['import', '--help'])).stdout.replace(/\s+/g, ' ');
  const text = readFileSync(join(import.meta.dirname, '../../server/api/API.md'), 'utf8');
  assert.ok(names.length >= 8, error);
  for (const name of names) {
    assert.match(help, new RegExp(`\\b${name}\\b`), name);
    assert.ok(text.includes(`\`${name}\``), `API.md does not have ${name}`);
  }
});

test('what hyperfine writes here is imported', async (t) => {
  const place = new Place(t), file = join(place.folder, 'own.json');
  if (spawnSync('hyperfine', ['--runs', '3', '-N', '--export-json', file, 'true']).status !== 0) return t.skip('hyperfine is not installed');
  const result = await place.gpulab(['import', '--db', place.database, '--from', 'hyperfine', file]);
  assert.equal(result.code, SUCCESS, result.stderr);
  const [, id] = /^run (\S+)$/m.exec(result.stdout);
  const { measurements } = JSON.parse((await place.gpulab(['show', '--db', place.database, id, '--json'])).stdout);
  assert.deepEqual(measurements.find(({ metric }) => metric === 'time').n, 3);
});
