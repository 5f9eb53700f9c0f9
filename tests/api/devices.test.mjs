// Devices and experiments as the page and scripts read them.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { idAt, importInto, linesOf } from '../harness/exports.mjs';
import { Lab } from '../harness/lab.mjs';

let lab;
before(async () => (lab = await Lab.start({ args: ['--host-devices', '2'] })));
after(() => lab.close());

test('every device is listed with its properties', async () => {
  const { devices } = (await lab.get('/api/v1/devices')).json;
  assert.equal(devices.length, 2);
  devices.forEach((device, ordinal) => {
    assert.equal(device.backend, 'host');
    assert.equal(device.ordinal, ordinal);
    assert.match(device.name, /host runtime/);
    assert.equal(typeof device.state, 'string');
    assert.ok(device.properties.total_memory_bytes > 1 << 20);
    assert.ok(device.properties.multiprocessors >= 1);
    assert.equal(device.properties.compute_capability, null, 'a CPU has no compute capability');
    assert.ok(Array.isArray(device.peers));
  });
  assert.notEqual(devices[0].id, devices[1].id);
});

test('the list says which machine has the devices, as runs record it', async () => {
  const { machine } = (await lab.get('/api/v1/devices')).json;
  assert.ok(machine.processors >= 1 && machine.memory_bytes > 1 << 20);
  const run = await lab.complete();
  assert.deepEqual(machine, run.environment.machine);
  assert.equal(machine.name, run.host);
});

test('a single device is the same as in the list', async () => {
  const [device] = (await lab.get('/api/v1/devices')).json.devices;
  const alone = await lab.get(`/api/v1/devices/${device.id}`);
  assert.equal(alone.status, 200);
  assert.deepEqual(alone.json.properties, device.properties);
  assert.equal(alone.json.id, device.id);
});

test('two labs on one machine give the devices the same ids', async () => {
  const ids = async (some) => (await some.get('/api/v1/devices')).json.devices.map((device) => device.id);
  const other = await Lab.start({ args: ['--host-devices', '2'] });
  try {
    assert.deepEqual(await ids(other), await ids(lab));
  } finally {
    await other.close();
  }
});

test('an experiment describes everything that a form and a chart need', async () => {
  const transfer = (await lab.get('/api/v1/experiments/transfer')).json;
  for (const name of ['title', 'summary', 'explanation']) assert.ok(transfer[name].length > 8, name);
  assert.equal(transfer.parameters.type, 'object');
  assert.equal(transfer.parameters.additionalProperties, false);
  for (const name of ['min_bytes', 'max_bytes', 'direction', 'memory', 'engine', 'min_samples', 'max_samples', 'max_noise', 'time_budget_s', 'seed']) {
    const schema = transfer.parameters.properties[name];
    assert.ok(schema, name);
    assert.ok('default' in schema, `default of ${name}`);
    assert.ok(schema.title && schema.description, `words for ${name}`);
  }
  assert.ok(transfer.metrics.every((metric) => metric.name && metric.unit && metric.formula));
  assert.ok(transfer.metrics.some((metric) => metric.name === 'bandwidth' && metric.unit === 'GB/s'));
  assert.ok(transfer.axes.some((axis) => axis.name === 'bytes'));
  const metrics = transfer.metrics.map((metric) => metric.name);
  const axes = transfer.axes.map((axis) => axis.name);
  for (const view of transfer.views) {
    assert.ok(metrics.includes(view.metric), JSON.stringify(view));
    if (view.x) assert.ok(axes.includes(view.x), JSON.stringify(view));
  }
  const { name, title, subject, summary, devices } = transfer;
  const { experiments } = (await lab.get('/api/v1/experiments')).json;
  assert.deepEqual(experiments.find((one) => one.name === name),
    { name, title, subject, summary, devices, metric_titles: transfer.metrics.map((metric) => metric.title) });
});

test('a run without parameters gets the defaults of the schema', async () => {
  const { parameters } = (await lab.get('/api/v1/experiments/transfer')).json;
  const run = await lab.submit(undefined, {});
  const bare = (await lab.post('/api/v1/runs', { experiment: 'transfer' })).json;
  for (const id of [run.id, bare.id]) await lab.post(`/api/v1/runs/${id}/cancel`);
  const resolved = (await lab.run(bare.id)).parameters;
  for (const [name, schema] of Object.entries(parameters.properties)) {
    assert.deepEqual([resolved[name]].flat(), [schema.default].flat(), name);
  }
});

test('the devices that runs had are listed with the newest run of each', async () => {
  const at = (day) => new Date(Date.UTC(2026, 0, day));
  const gpu = (id, name = 'NVIDIA H200', node = 'n1') => ({ id, name, node });
  const lines = [[gpu('GPU-1'), gpu('GPU-2')], [gpu('GPU-1', 'NVIDIA H200 NVL')], [gpu('NVIDIA H200', null, null)]].flatMap((devices, index) =>
    linesOf({ at: at(1 + index), experiment: 'health', devices }, [{ samples: [1] }]));
  assert.equal((await importInto(lab, lines)).json.imported, 3);
  const { devices } = (await lab.get('/api/v1/recorded-devices')).json;
  const run = (await lab.get('/api/v1/runs?experiment=transfer&limit=1')).json.runs[0];
  assert.deepEqual(devices.map(({ id, name, node, run: newest }) => [id, name, node, newest]), [
    [run.devices[0].id, run.devices[0].name, run.devices[0].node, run.id],
    ['NVIDIA H200', null, null, idAt(at(3))], ['GPU-1', 'NVIDIA H200 NVL', 'n1', idAt(at(2))], ['GPU-2', 'NVIDIA H200', 'n1', idAt(at(1))],
  ]);
  assert.equal(devices[1].at, '2026-01-03T00:00:00.000000Z');
});

test('experiments are found by what they mention', async () => {
  const names = async (text) => (await lab.get(`/api/v1/experiments?q=${encodeURIComponent(text)}`)).json.experiments.map(({ name }) => name);
  assert.ok((await names('h2d')).includes('transfer'), 'a value of a parameter');
  assert.ok((await names('NVLINK')).includes('peer'), 'the explanation');
  assert.deepEqual(await names('matmul'), (await names('MatMul')), 'case is ignored');
  assert.ok((await names('opposing pageable')).includes('transfer'), 'the name of a parameter and a value');
  assert.deepEqual(await names('gTransposeDf'), ['scaling'], 'a published result');
  assert.deepEqual(await names('h2d nosuchword'), []);
  assert.equal((await lab.get('/api/v1/experiments?q=')).status, 422);
});
