// The results of a run for other tools: what comes out can be imported again, with the same figures.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Place, SUCCESS, USAGE } from '../harness/cli.mjs';
import { importInto, linesOf } from '../harness/exports.mjs';
import { Lab } from '../harness/lab.mjs';

const folder = join(import.meta.dirname, '..', 'fuzz', 'corpus', 'formats');
let lab;
before(async () => {
  lab = await Lab.start();
  assert.equal((await importInto(lab, lines)).json.imported, 1);
});
after(() => lab.close());

const send = async (body, format, to = lab) => {
  const answer = await to.request('POST', `/api/v1/import?format=${format}`, { body, headers: { 'content-type': 'application/x-ndjson' } });
  assert.equal(answer.status, 200, answer.text);
  return (await to.get(`/api/v1/runs/${answer.json.runs[0]}`)).json;
};
/** A run with a wrong, a skipped and two good points, one of them with a text that must be escaped. */
const skipped = { n: 0, median: null, q1: null, q3: null, min: null, max: null, mean: null, stdev: null, noise: null, verified: null, stop_reason: null };
const lines = linesOf({ at: new Date(Date.UTC(2026, 1, 3)) }, [
  { axes: { direction: 'h2d', bytes: 4096 }, samples: [10, 11, 12, 13] },
  { axes: { direction: 'h2d', bytes: 4096 }, metric: 'time', unit: 's', samples: [1e-6, 2e-6, 3e-6, 4e-6] },
  { axes: { direction: 'd2h', bytes: 4096 }, samples: [1], verified: false, wrong: 7 },
  { axes: { direction: 'd2d', bytes: 4096 }, skipped: 'no such engine', ...skipped },
  { axes: { direction: '=a "b", <c>', bytes: 4096 }, samples: [5] },
]);
const { id } = lines[0];

test('Bencher: the median and the quartiles of each metric, without what is wrong or skipped', async () => {
  const { json } = await lab.get(`/api/v1/runs/${id}/bencher.json`);
  assert.deepEqual(json, {
    'transfer/direction:h2d/bytes:4096': { bandwidth: { value: 11, lower_value: 10, upper_value: 12 }, time: { value: 2e-6, lower_value: 1e-6, upper_value: 3e-6 } },
    'transfer/direction:=a "b", <c>/bytes:4096': { bandwidth: { value: 5, lower_value: 5, upper_value: 5 } },
  });
});

test('Google Benchmark: aggregates, rates, and errors for what is wrong or skipped', async () => {
  const { context, benchmarks } = (await lab.get(`/api/v1/runs/${id}/google-benchmark.json`)).json;
  assert.equal(context.host_name, 'elsewhere');
  const named = (name) => benchmarks.find((row) => row.name === name);
  const median = named('transfer/direction:h2d/bytes:4096_median');
  assert.deepEqual([median.real_time, median.bytes_per_second, median.run_type, median.repetitions], [2000, 11e9, 'aggregate', 4]);
  const [wrong, none] = ['d2h', 'd2d'].map((direction) => named(`transfer/direction:${direction}/bytes:4096`));
  assert.deepEqual([wrong.error_message, 'bytes_per_second' in wrong], ['7 wrong elements', false]);
  assert.deepEqual([none.error_message, none.error_occurred], ['no such engine', true]);
  const alone = named('transfer/direction:=a "b", <c>/bytes:4096');
  assert.deepEqual([alone.bytes_per_second, alone.run_type, 'real_time' in alone], [5e9, 'iteration', false]);
});

test('points.csv has a row for each point, and quotes what a spreadsheet would execute', async () => {
  const { text, headers } = await lab.get(`/api/v1/runs/${id}/points.csv`);
  assert.match(headers['content-type'] ?? headers.get?.('content-type'), /^text\/csv/);
  assert.deepEqual(text.trim().split('\r\n'), ['direction,bytes,bandwidth [GB/s],time [s]', 'h2d,4096,11,2e-06', 'd2h,4096,,', 'd2d,4096,,', `"'=a ""b"", <c>",4096,5,`]);
});

test('what a real file of Google Benchmark became comes out with the same figures, and in again', async () => {
  for (const name of ['google-benchmark.json', 'google-benchmark-repetitions.json']) {
    const first = await send(readFileSync(join(folder, name)), 'google-benchmark');
    const second = await send((await lab.get(`/api/v1/runs/${first.id}/google-benchmark.json`)).text, 'google-benchmark');
    assert.notEqual(second.id, first.id);
    assert.deepEqual([second.host, second.created_at], [first.host, first.created_at]);
    const figures = ({ measurements }) => new Map(measurements.map(({ axes, metric, median }) => [JSON.stringify([axes, metric]), median]));
    const [before, now] = [first, second].map(figures);
    assert.deepEqual([...now.keys()].sort(), [...before.keys()].sort());
    for (const [key, value] of before) assert.ok(Math.abs(now.get(key) - value) <= 1e-12 * Math.abs(value), `${key}: ${now.get(key)} is not ${value}`);
  }
});

test('points.csv of an imported run can be imported with the same medians', async () => {
  const first = await send(readFileSync(join(folder, 'hyperfine.json')), 'hyperfine');
  const second = await send((await lab.get(`/api/v1/runs/${first.id}/points.csv`)).text, 'csv');
  const medians = ({ measurements }) => measurements.map(({ metric, unit, axes, median }) => JSON.stringify([metric, unit, axes.command, median])).sort();
  assert.deepEqual(medians(second), medians(first));
});

test('the results of a run that the lab does not have are not found', async () => {
  for (const path of ['bencher.json', 'google-benchmark.json', 'points.csv'])
    assert.equal((await lab.get(`/api/v1/runs/01900000-0000-7000-8000-000000000000/${path}`)).status, 404, path);
});

test('gpulab show --format prints what the lab answers', async (t) => {
  const place = new Place(t), file = join(folder, 'hyperfine.json');
  const gpulab = (...args) => place.gpulab([...args, '--db', place.database]);
  assert.equal((await gpulab('import', '--from', 'hyperfine', file)).code, SUCCESS);
  const shown = async (format) => {
    const { code, stdout, stderr } = await gpulab('show', 'latest', '--format', format);
    assert.equal(code, SUCCESS, stderr);
    return stdout;
  };
  assert.ok('hyperfine/command:true 1/n:1' in JSON.parse(await shown('bencher')));
  assert.ok(JSON.parse(await shown('google-benchmark')).benchmarks.length > 0);
  assert.match(await shown('csv'), /^command,n,time \[s\]/);
  const both = await gpulab('show', 'latest', '--format', 'csv', '--json');
  assert.deepEqual([both.code, /--format: cannot be combined with --json/.test(both.stderr)], [USAGE, true], both.stderr);
});
