// A run on devices of two machines, by workers whose collectives work between processes of this machine
// (tests/collectives).
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { childrenOf, until } from '../harness/lab.mjs';
import { startGroup } from '../harness/nodes.mjs';

const devices = ['there-1', 'here-0', 'there-0'];
const quick = { min_bytes: 4096, max_bytes: 65536, factor: 4, min_samples: 2, max_samples: 2, time_budget_s: 600 };
/** A point of each size. */
const shortest = { ...quick, operation: ['all-reduce'], in_place: [true] };
/** Measures until it is stopped. */
const long = { operation: ['all-reduce'], in_place: [true], min_bytes: 4096, max_bytes: 4096, min_samples: 100000, max_samples: 100000, time_budget_s: 600 };

const submit = (lab, parameters, rest) => lab.submit(parameters, { experiment: 'collectives', devices, ...rest });
const nodesOf = async (lab) => (await lab.get('/api/v1/nodes')).json.nodes;

/** Waits until the devices of both machines are known. */
const known = (lab) => until(async () => (await lab.get('/api/v1/devices')).json.devices.length === 4, 'the devices are known');

/** Waits until no machine executes a run. */
const idle = (lab) => until(async () => (await nodesOf(lab)).every(({ state }) => state === 'idle'), 'both machines are idle');

/** The process id of a machine's worker. */
const workerOf = (lab, machine) => childrenOf(lab.pid).find((pid) => readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`GPULAB_STAND_IN=${machine}`));

async function start(t, settings) {
  const lab = await startGroup(t, settings);
  await known(lab);
  return lab;
}

/** Submits a run without an end, and waits until it is in the middle of a point. */
async function begin(lab, rest) {
  const { id } = await submit(lab, long, rest);
  await until(async () => (await lab.run(id)).progress?.label?.includes('all-reduce'), 'it measures');
  return id;
}

async function works(lab) {
  await idle(lab);
  const { id } = await submit(lab, shortest);
  await lab.reach(id, 'succeeded');
}

test('every operation is measured and verified on devices of both machines', async (t) => {
  const lab = await start(t);
  const { id } = await submit(lab, { ...quick, device_count: [2, 0], in_place: [false, true] });
  const run = await lab.reach(id, 'succeeded');
  assert.deepEqual(run.devices.map((device) => [device.id, device.node]), [['here-0', 'here'], ['there-1', 'there'], ['there-0', 'there']]);
  const times = run.measurements.filter(({ metric }) => metric === 'time');
  assert.equal(times.length, 2 * 3 * 9); // all-to-all is not possible in place
  for (const { axes, verified, n } of times) assert.deepEqual([verified, n], [true, 2], JSON.stringify(axes));
  assert.deepEqual([...new Set(times.map(({ axes }) => axes.device_count))], [2, 3]);
  assert.ok(run.notes.includes('measured on devices of here, there; the environment and the conditions are those of here'), run.notes.join('\n'));
  assert.ok(run.notes.includes('STAND-IN 1.2.3 on 3 devices of 2 processes, NVLink multicast off'), run.notes.join('\n'));
  assert.deepEqual(run.warnings.filter((text) => text.startsWith('On there')), []);
});

test('a machine without a device among those that take part in a point follows all the same', async (t) => {
  const lab = await start(t);
  const { id } = await submit(lab, { ...quick, device_count: [2, 0] }, { devices: ['here-0', 'here-1', 'there-0'] });
  const { measurements } = await lab.reach(id, 'succeeded');
  const times = measurements.filter(({ metric }) => metric === 'time');
  assert.deepEqual([times.length, times.every(({ verified }) => verified)], [2 * 3 * 9, true]);
});

test('the first machine decides how many samples a point takes', async (t) => {
  const lab = await start(t);
  for (const samples of [1, 7]) {
    const { id } = await submit(lab, { ...shortest, min_samples: samples, max_samples: samples });
    const { measurements } = await lab.reach(id, 'succeeded');
    const counts = measurements.filter(({ metric }) => metric === 'time').map(({ n }) => n);
    assert.deepEqual([...new Set(counts)], [samples]);
  }
});

test('a point that one machine does not support is skipped on both; the others are measured', async (t) => {
  for (const machine of ['here', 'there']) {
    const lab = await start(t, { [machine]: ',unsupported=20000' });
    const { id } = await submit(lab, { ...quick, operation: ['all-gather', 'all-reduce'], in_place: [false] });
    const { measurements } = await lab.reach(id, 'succeeded');
    const points = measurements.filter(({ metric, skipped }) => metric === 'time' || skipped).map(({ axes, skipped, verified }) => [axes.bytes, skipped ?? verified]);
    const reason = machine === 'here' ? /^no buffers of/ : /^another machine of the run: no buffers of/;
    assert.deepEqual(points.map(([, result]) => (reason.test(result) ? 'skipped' : result)), [true, true, 'skipped', true, true, 'skipped'], JSON.stringify(points));
  }
});

test('wrong elements on another machine are counted, and fail the run', async (t) => {
  const lab = await start(t, { there: ',wrong' });
  const { id } = await submit(lab, { ...quick, operation: ['all-reduce'], in_place: [false], min_bytes: 65536 });
  const { error, measurements } = await lab.reach(id, 'failed');
  assert.equal(error.type, '/problems/wrong-result');
  const { verified, wrong } = measurements.find(({ metric }) => metric === 'time');
  assert.deepEqual([verified, wrong], [false, 2]); // one on each of its two devices
});

test('a cancel ends the run on both machines, whose workers go on', async (t) => {
  const lab = await start(t);
  const id = await begin(lab);
  assert.deepEqual((await nodesOf(lab)).map(({ running }) => running), [id, id]);
  const workers = ['here', 'there'].map((machine) => workerOf(lab, machine));
  await lab.post(`/api/v1/runs/${id}/cancel`);
  await lab.reach(id, 'cancelled');
  await works(lab);
  assert.deepEqual(['here', 'there'].map((machine) => workerOf(lab, machine)), workers);
});

test('the death of either worker ends the run, and the next one works', async (t) => {
  const lab = await start(t);
  for (const machine of ['here', 'there']) {
    const id = await begin(lab);
    process.kill(workerOf(lab, machine), 'SIGKILL');
    const { error } = await lab.reach(id, 'failed');
    assert.equal(error.type, '/problems/worker-died');
    assert.match(error.detail, new RegExp(`^On ${machine}: .*SIGKILL`));
    await works(lab);
  }
});

test('the time limit ends the run on both machines', async (t) => {
  const lab = await start(t);
  const id = await begin(lab, { time_limit_s: 2 });
  const { error } = await lab.reach(id, 'failed');
  assert.equal(error.type, '/problems/time-limit');
  await works(lab);
});
