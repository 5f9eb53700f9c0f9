// GET /metrics: its format, its description in METRICS.md, and that each counter counts what it says.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parseExposition, valueOf } from '../harness/exposition.mjs';
import { endless, Lab, small, until, withLab } from '../harness/lab.mjs';

const repository = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const documented = readFileSync(resolve(repository, 'server/api/METRICS.md'), 'utf8');

let lab;
before(async () => {
  lab = await Lab.start();
});
after(() => lab.close());

const read = async (of = lab) => parseExposition((await of.get('/metrics')).text);

const pause = (paused) => lab.request('PUT', '/api/v1/queue', { json: { paused } });

/** Completes a run and waits until it is counted, which is soon after it is stored as ended. */
async function complete(of = lab) {
  const ended = async () => valueOf(await read(of), 'gpulab_runs_total', { status: 'succeeded' });
  const earlier = await ended();
  const run = await of.complete(small);
  await until(async () => (await ended()) === earlier + 1, 'the run is counted');
  return run;
}

/** How much the samples `name` with these labels grow while `work` runs. */
async function growth(work, name, labels) {
  const earlier = valueOf(await read(), name, labels);
  await work();
  return valueOf(await read(), name, labels) - earlier;
}

test('the format is strict, and names follow the conventions of Prometheus', async () => {
  await complete();
  const answer = await lab.get('/metrics');
  assert.equal(answer.headers['content-type'], 'text/plain; version=0.0.4; charset=utf-8');
  for (const { name, type } of parseExposition(answer.text).values()) {
    assert.equal(name.endsWith('_total'), type === 'counter', name);
    assert.doesNotMatch(name, /_(bucket|sum|count|info_total)$/);
    if (type === 'histogram') assert.match(name, /_seconds$/);
  }
});

test('METRICS.md describes each metric with its labels, and no other', async () => {
  const metrics = await read();
  const rows = new Map([...documented.matchAll(/^\| `(\w+)` \|([^|]*)\|/gm)].map(([, name, labels]) => [name, labels]));
  assert.deepEqual([...rows.keys()].sort(), [...metrics.keys()].sort());
  for (const [name, { samples }] of metrics) {
    const described = [...rows.get(name).matchAll(/`(\w+)`/g)].map(([, label]) => label);
    const common = name.startsWith('gpulab_device_') ? ['device', 'name'] : [];
    for (const { labels } of samples) {
      const shown = Object.keys(labels).filter((label) => label !== 'le').sort();
      assert.deepEqual(shown, [...common, ...described].sort(), name);
    }
  }
});

test('requests are counted by route, method and status, whatever their path', async () => {
  const count = (work, labels) => growth(work, 'gpulab_http_requests_total', labels);
  const run = { route: '/api/v1/runs/{id}', method: 'GET' };
  const get = () => Promise.all(['a', 'b', 'c'].map((id) => lab.get(`/api/v1/runs/${id}`)));
  assert.equal(await count(get, { ...run, status: '4xx' }), 3);
  assert.equal(await growth(get, 'gpulab_http_request_duration_seconds_count', run), 3);
  assert.equal(await count(() => lab.request('HEAD', '/api/v1/version'), { route: '/api/v1/version', method: 'GET', status: '2xx' }), 1);
  assert.equal(await count(() => lab.get('/'), { route: '(file)', status: '2xx' }), 1);
  assert.equal(await count(() => lab.request('DELETE', '/api/v1/queue'), { route: '(none)', status: '4xx' }), 1);
  const { headers } = await lab.get('/api/v1/experiments');
  const again = () => lab.get('/api/v1/experiments', { 'if-none-match': headers.etag });
  assert.equal(await count(again, { route: '/api/v1/experiments', status: '3xx' }), 1);
  assert.equal(valueOf(await read(), 'gpulab_http_requests_total', { status: '5xx' }), 0);
});

test('the routes are those of the OpenAPI document', async () => {
  const { json } = await lab.get('/api/v1/openapi.json');
  const paths = Object.entries(json.paths).flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`));
  const { samples } = (await read()).get('gpulab_http_requests_total');
  const routes = new Set(samples.map(({ labels }) => `${labels.method} ${labels.route}`));
  assert.deepEqual([...routes].sort(), [...paths, 'GET (file)', 'any (none)'].sort());
});

test('jobs of the pools are counted with the time that they waited', async () => {
  const waited = 'gpulab_http_pool_wait_seconds_count';
  assert.equal(await growth(() => lab.get('/api/v1/runs/x'), waited, { pool: 'reads' }), 1);
  assert.equal(await growth(() => pause(false), waited, { pool: 'writes' }), 1);
});

test('a run moves the counters of runs, measurements, commits and what is stored', async () => {
  const earlier = await read();
  const run = await complete();
  const later = await read();
  const grown = (name, labels) => valueOf(later, name, labels) - valueOf(earlier, name, labels);
  assert.equal(grown('gpulab_runs_total', { experiment: 'transfer', status: 'succeeded' }), 1);
  assert.equal(grown('gpulab_runs_total'), 1);
  assert.equal(grown('gpulab_run_duration_seconds_count', { experiment: 'transfer' }), 1);
  assert.equal(grown('gpulab_measurements_total', { check: 'passed' }), run.measurements.length);
  assert.equal(grown('gpulab_store_measurements'), run.measurements.length);
  assert.equal(grown('gpulab_store_samples'), run.measurements.reduce((sum, { n }) => sum + n, 0));
  assert.equal(grown('gpulab_store_runs', { status: 'succeeded' }), 1);
  assert.equal(grown('gpulab_store_runs'), 1);
  assert.ok(grown('gpulab_store_commit_duration_seconds_count') >= 3); // added, started, ended
  assert.equal(valueOf(later, 'gpulab_store_pending_records'), 0);
  assert.ok(valueOf(later, 'gpulab_store_database_bytes') > 0);
});

test('a deleted run is no longer counted as stored, and still as ended', async () => {
  const run = await complete();
  const earlier = await read();
  assert.equal((await lab.request('DELETE', `/api/v1/runs/${run.id}`)).status, 204);
  const later = await read();
  const grown = (name, labels) => valueOf(later, name, labels) - valueOf(earlier, name, labels);
  assert.equal(grown('gpulab_store_runs', { status: 'succeeded' }), -1);
  assert.equal(grown('gpulab_store_measurements'), -run.measurements.length);
  assert.equal(grown('gpulab_store_samples'), -run.measurements.reduce((sum, { n }) => sum + n, 0));
  assert.equal(grown('gpulab_runs_total'), 0);
});

test('the queue and its runs are shown as they are', async () => {
  await pause(true);
  const run = await lab.submit(small);
  const paused = await read();
  assert.equal(valueOf(paused, 'gpulab_queue_paused'), 1);
  assert.equal(valueOf(paused, 'gpulab_queue_length'), 1);
  assert.equal(valueOf(paused, 'gpulab_store_runs', { status: 'queued' }), 1);
  assert.ok(valueOf(paused, 'gpulab_queue_expected_duration_seconds') > 0);
  const cancelled = await growth(() => lab.post(`/api/v1/runs/${run.id}/cancel`), 'gpulab_runs_total', { status: 'cancelled' });
  assert.equal(cancelled, 1);
  await pause(false);
  const resumed = await read();
  assert.equal(valueOf(resumed, 'gpulab_queue_paused'), 0);
  assert.equal(valueOf(resumed, 'gpulab_queue_expected_duration_seconds'), 0);
});

test('a running run is shown, and its device is busy', async () => {
  const run = await lab.submit(endless);
  await until(async () => valueOf(await read(), 'gpulab_running') === 1, 'the run is running');
  await until(async () => valueOf(await read(), 'gpulab_device_state', { state: 'busy' }) === 1, 'its device is busy');
  await lab.post(`/api/v1/runs/${run.id}/cancel`);
  await until(async () => valueOf(await read(), 'gpulab_runs_total', { status: 'cancelled' }) === 2, 'it is cancelled');
});

test('stored runs are counted from the start, runs that ended since then', async () => {
  await withLab({}, async (first) => {
    await complete(first);
    const before = await read(first);
    await first.stop();
    await first.start();
    const afterwards = await read(first);
    assert.equal(valueOf(afterwards, 'gpulab_runs_total'), 0);
    for (const name of ['gpulab_store_runs', 'gpulab_store_measurements', 'gpulab_store_samples']) {
      assert.equal(valueOf(afterwards, name), valueOf(before, name), name);
    }
  });
});

/** Waits until the lab has counted a run as failed, and returns the metrics. */
async function failed(of) {
  let metrics;
  await until(async () => {
    metrics = await read(of);
    return valueOf(metrics, 'gpulab_runs_total', { status: 'failed' }) === 1;
  }, 'the run is counted');
  return metrics;
}

test('a worker that dies is counted with its signal', async () => {
  await withLab({}, async (of) => {
    const { id } = await of.submit(endless);
    await until(async () => (await of.run(id)).measurements.length > 0, 'it measures');
    process.kill(of.worker(), 'SIGKILL');
    const metrics = await failed(of);
    assert.equal(valueOf(metrics, 'gpulab_worker_deaths_total', { cause: 'SIGKILL' }), 1);
    assert.equal(valueOf(metrics, 'gpulab_worker_deaths_total'), 1);
    assert.equal(valueOf(metrics, 'gpulab_worker_kills_total'), 0);
  });
});

test('wrong results are counted', async () => {
  await withLab({ env: { GPULAB_HOST_FAULT: 'wrong-result' } }, async (of) => {
    await of.submit(small);
    const metrics = await failed(of);
    assert.ok(valueOf(metrics, 'gpulab_measurements_total', { check: 'wrong' }) > 0);
    assert.equal(valueOf(metrics, 'gpulab_worker_deaths_total'), 0);
  });
});

test('a worker that cannot be started is counted, and the queue is held', async () => {
  await withLab({ args: ['--worker', '/bin/false'] }, async (of) => {
    await until(async () => valueOf(await read(of), 'gpulab_queue_held') === 1, 'the queue is held');
    await until(async () => valueOf(await read(of), 'gpulab_worker_failed_starts_total') > 0, 'the start is counted');
    assert.ok(valueOf(await read(of), 'gpulab_worker_deaths_total', { cause: 'exit' }) > 0);
  });
});
