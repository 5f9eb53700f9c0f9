// Published results that the page shows beside a run: by experiment, with their source; cached until the next build.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { compareWithReferences } from '../../static/modules/results/references.js';
import { problem } from '../harness/expect.mjs';
import { Lab } from '../harness/lab.mjs';

let lab;
before(async () => (lab = await Lab.start()));
after(() => lab.close());

const references = async (query = '') => (await lab.get(`/api/v1/references${query}`)).json.references;

test('every reference has a metric, a system and a source', async () => {
  const all = await references();
  assert.ok(all.length >= 20);
  const units = {}; // of the metrics of each experiment
  for (const name of new Set(all.map(({ experiment }) => experiment))) {
    const { metrics } = (await lab.get(`/api/v1/experiments/${name}`)).json;
    units[name] = Object.fromEntries(metrics.map((metric) => [metric.name, metric.unit]));
  }
  for (const reference of all) {
    assert.deepEqual(Object.keys(reference).sort(), ['axes', 'experiment', 'metric', 'parameters', 'remark', 'source', 'system', 'unit', 'value']);
    for (const name of ['experiment', 'system', 'metric', 'unit', 'source']) assert.ok(reference[name].length > 0, name);
    assert.ok(Number.isFinite(reference.value) && reference.value > 0);
    assert.ok(reference.remark === null || reference.remark.length > 5);
    assert.equal(reference.unit, units[reference.experiment][reference.metric], `${reference.experiment} ${reference.metric}`);
    assert.equal(typeof reference.axes, 'object');
  }
});

test('references are listed by experiment', async () => {
  const transfer = await references('?experiment=transfer');
  assert.ok(transfer.length > 0 && transfer.every((reference) => reference.experiment === 'transfer'));
  const pinned = transfer.find(({ system, axes }) => system.includes('E5540') && axes.direction === 'h2d' && axes.memory === 'pinned');
  assert.deepEqual([pinned.metric, pinned.value, pinned.unit], ['bandwidth', 5.745055, 'GB/s']);
  assert.match(pinned.source, /3\.1\.1/);
  assert.deepEqual(await references('?experiment=none'), [], 'as in the list of runs');
});

test('speedups are derived over the same system', async () => {
  const overlap = await references('?experiment=overlap');
  const of = (metric, variant) =>
    overlap.find(({ system, axes, metric: name }) => system === 'Tesla K20c' && axes.variant === variant && name === metric);
  const speedup = of('speedup', 'depth-first');
  assert.ok(Math.abs(speedup.value - of('time', 'sequential').value / of('time', 'depth-first').value) < 1e-12);
  assert.equal(speedup.remark, 'derived: published time of sequential / published time of this configuration');
  assert.equal(of('speedup', 'sequential'), undefined);
});

test('a published time is compared with the points of its program alone, not with those of other memory or another way to issue it', async () => {
  const experiment = (await lab.get('/api/v1/experiments/overlap')).json;
  const published = (await references('?experiment=overlap')).filter(({ system }) => system === 'Tesla C1060');
  const others = ['pinned', 'pageable'].flatMap((memory) => ['stream', 'graph'].map((replay) => ({ memory, replay })));
  const measurements = published.flatMap(({ axes, metric, value }) => others.map((other) => ({ metric, median: value, axes: { ...axes, ...other }, skipped: null, verified: true })));
  const [{ rows }] = compareWithReferences(published, measurements, experiment);
  assert.deepEqual(rows.map(({ reference }) => reference.metric).sort(), [...Array(3).fill('max_error'), ...Array(3).fill('time')]);
  for (const { reference, own, count, ownSpeedup } of rows) {
    assert.deepEqual([own, count, ownSpeedup], [reference.value, 1, false], JSON.stringify(reference.axes));
  }
});

test('the ETag stays the same for a build, and each experiment has its own body', async () => {
  const first = await lab.get('/api/v1/references');
  assert.match(first.headers.etag, /^".+"$/);
  await lab.complete();
  const again = await lab.get('/api/v1/references', { 'if-none-match': first.headers.etag });
  assert.equal(again.status, 304, 'a run does not change the references');
  assert.equal(again.bytes.length, 0);
  const one = await lab.get('/api/v1/references?experiment=transfer');
  assert.notEqual(one.text, first.text);
  assert.equal((await lab.get('/api/v1/references?experiment=transfer')).text, one.text);
});

test('an invalid query is refused with its pointer', async () => {
  problem(await lab.get('/api/v1/references?experiments=transfer'), 422, '/query/experiments');
  problem(await lab.get('/api/v1/references?experiment='), 422, '/query/experiment');
  problem(await lab.get('/api/v1/references?experiment=a&experiment=b'), 422, '/query/experiment');
  problem(await lab.post('/api/v1/references'), 405);
});
