// A run's timeline: recorded after the run by a separate worker, and read as spans and as a Trace Event file.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { problem } from '../harness/expect.mjs';
import { importInto, runLine } from '../harness/exports.mjs';
import { Lab } from '../harness/lab.mjs';

const unknown = '01900000-0000-7000-8000-000000000000';

/** Parameters of a copy/compute pipeline of four chunks in two orders; takes about a second. */
const pipeline = {
  bytes: 262144, chunks: 4, streams: 2, variant: ['sequential', 'depth-first', 'breadth-first'], weight: 1, min_samples: 1, max_samples: 1,
};

let lab;
before(async () => (lab = await Lab.start()));
after(() => lab.close());

async function complete(experiment, parameters) {
  const answer = await lab.post('/api/v1/runs', { experiment, parameters });
  assert.equal(answer.status, 202, answer.text);
  return lab.reach(answer.json.id, 'succeeded');
}

/** Checks the rules of the Trace Event format that readers rely on. Returns the complete events (ph X), each with the
 * names of its process and thread. */
function readTrace({ traceEvents, displayTimeUnit }) {
  assert.equal(displayTimeUnit, 'ns');
  const names = new Map();
  for (const event of traceEvents.filter(({ ph }) => ph === 'M')) {
    assert.ok(Number.isInteger(event.pid));
    const key = `${event.name} ${event.pid} ${event.tid ?? ''}`;
    assert.ok(!names.has(key), `${key} twice`);
    names.set(key, event.args.name ?? event.args.sort_index);
  }
  const complete = traceEvents.filter(({ ph }) => ph !== 'M').map((event) => {
    assert.equal(event.ph, 'X');
    for (const name of ['pid', 'tid']) assert.ok(Number.isInteger(event[name]), name);
    for (const name of ['ts', 'dur']) assert.equal(typeof event[name], 'number', name);
    assert.ok(event.dur >= 0 && event.name && event.cat);
    const process = names.get(`process_name ${event.pid} `);
    const thread = names.get(`thread_name ${event.pid} ${event.tid}`);
    assert.ok(process && thread, 'every process and thread is named');
    return { ...event, process, thread };
  });
  for (const tid of new Set(complete.map((event) => event.tid))) {
    const sorted = complete.filter((event) => event.tid === tid).sort((a, b) => a.ts - b.ts || a.dur - b.dur);
    for (let i = 1; i < sorted.length; i++) {
      const [one, next] = [sorted[i - 1], sorted[i]];
      assert.ok(one.ts + one.dur <= next.ts + 1e-6, `${one.name} and ${next.name} overlap in ${one.process}, ${one.thread}`);
    }
  }
  return complete;
}

test('a run of an experiment with a timeline is traced, variant by variant', async () => {
  const run = await complete('overlap', pipeline);
  assert.deepEqual(run.warnings.filter((warning) => warning.includes('timeline')), []);
  const { spans } = (await lab.get(`/api/v1/runs/${run.id}/timeline`)).json;
  assert.deepEqual([...new Set(spans.map(({ axes }) => axes.variant))].sort(), ['breadth-first', 'depth-first', 'sequential']);
  for (const span of spans) {
    assert.deepEqual(Object.keys(span).sort(), ['axes', 'details', 'end_ns', 'kind', 'label', 'lane', 'start_ns']);
    assert.ok(['copy-up', 'compute', 'copy-down'].includes(span.kind), span.kind);
    assert.ok(Number.isInteger(span.start_ns) && Number.isInteger(span.end_ns) && span.start_ns <= span.end_ns);
    assert.ok(span.lane.length > 0 && span.label.length > 0);
  }
  const kinds = (variant) => ['copy-up', 'compute', 'copy-down'].map((kind) =>
    spans.filter((span) => span.axes.variant === variant && span.kind === kind).length);
  assert.deepEqual(kinds('sequential'), [1, 1, 1]);
  assert.deepEqual(kinds('depth-first'), [4, 4, 4]);
  assert.equal(new Set(spans.filter((span) => span.axes.variant === 'depth-first').map(({ lane }) => lane)).size, 2);
});

test('the trace has every span in a row of its stream and in a row of its engine', async () => {
  const run = await complete('overlap', pipeline);
  const { spans } = (await lab.get(`/api/v1/runs/${run.id}/timeline`)).json;
  const answer = await lab.get(`/api/v1/runs/${run.id}/timeline.trace.json`);
  assert.match(answer.headers['content-type'], /^application\/json/);
  const events = readTrace(answer.json);
  const streams = events.filter(({ process }) => process.endsWith(': streams'));
  const engines = events.filter(({ process }) => process.endsWith(': engines'));
  assert.equal(streams.length, spans.length);
  assert.equal(engines.length, spans.length);
  assert.equal(streams.length + engines.length, events.length);
  const described = (list) => list.map(({ ts, dur, name, cat }) => `${ts.toFixed(3)} ${dur.toFixed(3)} ${name} ${cat}`).sort();
  const wanted = spans.map((span) => ({ ts: span.start_ns / 1000, dur: (span.end_ns - span.start_ns) / 1000, name: span.label, cat: span.kind }));
  assert.deepEqual(described(streams), described(wanted));
  assert.deepEqual(described(engines), described(wanted));
  for (const event of streams) assert.equal(event.thread, event.args.lane);
  for (const event of engines) assert.equal(event.thread.replace(/ \(\d+\)$/, ''), event.cat);
});

test('tracing is reported as progress, measures nothing and leaves no worker', async () => {
  const stream = await lab.events();
  try {
    const run = await complete('overlap', pipeline);
    await stream.find((event) => event.event === 'run.updated' && event.json.id === run.id && event.json.status === 'succeeded', 'succeeded');
    const labels = stream.events.filter((event) => event.event === 'run.progress' && event.json.id === run.id).map((event) => event.json.label);
    const first = labels.indexOf('tracing');
    assert.ok(first > 0, `not traced: ${labels}`);
    assert.ok(labels.slice(first).every((label) => label === 'tracing'), 'nothing is measured after it');
    const seen = stream.events.filter((event) => event.event === 'measurement' && event.json.run === run.id);
    assert.equal(seen.length, run.measurements.length);
    assert.equal(lab.worker(), 0, 'the worker that traced has ended');
  } finally {
    stream.close();
  }
});

test('a traced run is deleted with its timeline', async () => {
  const { id } = await complete('overlap', pipeline);
  assert.equal((await lab.request('DELETE', `/api/v1/runs/${id}`)).status, 204);
  problem(await lab.get(`/api/v1/runs/${id}/timeline`), 404);
});

test('a run without a timeline has an empty one', async () => {
  const { id } = await lab.complete();
  assert.deepEqual((await lab.get(`/api/v1/runs/${id}/timeline`)).json, { spans: [] });
  const trace = await lab.get(`/api/v1/runs/${id}/timeline.trace.json`);
  assert.equal(trace.status, 200);
  assert.deepEqual(trace.json, { traceEvents: [], displayTimeUnit: 'ns' });
  assert.equal(trace.headers['content-disposition'], `attachment; filename="gpulab-${id}.trace.json"`);
});

test('the timeline of an unknown run is 404', async () => {
  for (const name of ['timeline', 'timeline/columns', 'timeline.trace.json']) {
    const answer = await lab.get(`/api/v1/runs/${unknown}/${name}`);
    problem(answer, 404);
    assert.equal(answer.headers['content-disposition'], undefined);
  }
});

test('a timeline accepts no query and no other method', async () => {
  const { id } = await lab.complete();
  for (const name of ['timeline', 'timeline/columns', 'timeline.trace.json']) {
    problem(await lab.get(`/api/v1/runs/${id}/${name}?samples=true`), 422, '/query/samples');
    problem(await lab.post(`/api/v1/runs/${id}/${name}`), 405);
  }
});

test('a span without label and axes, and of any time, is part of both documents', async () => {
  const run = runLine({ at: new Date('2026-02-03T04:05:06Z'), n: 1, experiment: 'overlap' });
  const spans = [
    { lane: 'stream 1', kind: 'copy-up', label: null, axes: null, start_ns: 1000, end_ns: 2000 },
    { lane: 'stream 1', kind: 'compute', label: 'chunk 0', axes: { chunks: 1 }, start_ns: -(2 ** 62), end_ns: 2 ** 62, details: { bytes: 4096 } },
  ];
  const answer = await importInto(lab, [run, ...spans.map((span) => ({ type: 'span', run: run.id, ...span }))]);
  assert.deepEqual(answer.json, { imported: 1, completed: 0, skipped: 0, errors: [] });
  const timeline = await lab.get(`/api/v1/runs/${run.id}/timeline`);
  assert.equal(timeline.status, 200, timeline.text);
  assert.deepEqual(timeline.json.spans, [{ ...spans[0], axes: {}, details: null }, spans[1]]);
  const trace = await lab.get(`/api/v1/runs/${run.id}/timeline.trace.json`);
  assert.equal(trace.status, 200, trace.text);
  const durations = new Map(readTrace(trace.json).map(({ name, dur }) => [name, dur]));
  assert.deepEqual([...durations.keys()].sort(), ['chunk 0', 'copy-up']);
  assert.equal(durations.get('copy-up'), 1);
  assert.ok(Math.abs(durations.get('chunk 0') / (2 ** 63 / 1000) - 1) < 1e-12);
});

test('the columns of a timeline are its spans without details, and a position is that of one span', async () => {
  const run = runLine({ at: new Date('2026-02-03T04:05:06Z'), n: 2, experiment: 'overlap' });
  const spans = [
    { lane: 'stream 1', kind: 'copy-up', label: null, axes: null, start_ns: 1000, end_ns: 2000 },
    { lane: 'stream 1', kind: 'compute', label: 'chunk 0', axes: { chunks: 1 }, start_ns: -(2 ** 52), end_ns: 2 ** 52, details: { bytes: 4096 } },
    { lane: 'stream 2', kind: 'compute', label: 'chunk 0', axes: { chunks: 1 }, start_ns: 3000, end_ns: 4000 },
  ];
  await importInto(lab, [run, ...spans.map((span) => ({ type: 'span', run: run.id, ...span }))]);
  const columns = await lab.get(`/api/v1/runs/${run.id}/timeline/columns`);
  assert.equal(columns.status, 200, columns.text);
  assert.deepEqual(columns.json, {
    texts: ['stream 1', 'copy-up', 'compute', 'chunk 0', 'stream 2'],
    axes: [{}, { chunks: 1 }],
    spans: { lane: [0, 0, 4], kind: [1, 2, 2], label: [null, 3, 3], axes: [0, 1, 1], start_ns: [1000, -(2 ** 52), 3000], end_ns: [2000, 2 ** 52, 4000] },
  });
  const at = async (position) => (await lab.get(`/api/v1/runs/${run.id}/timeline?position=${position}`)).json.spans;
  assert.deepEqual(await at(1), [spans[1]]);
  assert.deepEqual(await at(3), []);
  problem(await lab.get(`/api/v1/runs/${run.id}/timeline?position=-1`), 422, '/query/position');
});

test('a timeline is read the same way without spans', async () => {
  const { id } = await lab.complete();
  const { json } = await lab.get(`/api/v1/runs/${id}/timeline/columns`);
  assert.deepEqual(json, { texts: [], axes: [], spans: { lane: [], kind: [], label: [], axes: [], start_ns: [], end_ns: [] } });
});
