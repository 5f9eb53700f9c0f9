// Kernels of one's own in a run: what is checked without a GPU, and that export, import and history treat them as they
// must.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { problem } from '../harness/expect.mjs';
import { idAt, importInto, linesOf } from '../harness/exports.mjs';
import { Lab } from '../harness/lab.mjs';

let lab;
before(async () => (lab = await Lab.start()));
after(() => lab.close());

const kernel = { edits: 'transpose/padded', source: 'extern "C" __global__ void transpose_padded() {}\n' };
const submit = (body) => lab.post('/api/v1/runs', { experiment: 'transpose', ...body });
const day = (n) => new Date(Date.UTC(2026, 0, n, 12));

test('a device that is none of CUDA refuses the run', async () => {
  const document = problem(await submit({ kernel }), 422, '/kernel');
  assert.match(document.errors[0].detail, /needs a CUDA device.*compile/);
  problem(await submit({ compare_with: { kernel } }), 422, '/compare_with/kernel');
});

test('source, step and sizes are checked with pointers', async () => {
  const refused = async (fields, pointer) => problem(await submit({ kernel: { ...kernel, ...fields } }), 422, pointer).errors;
  const [error] = await refused({ edits: 'transpose/fast' }, '/kernel/edits');
  assert.match(error.detail, /naive, .*padded/);
  await refused({ edits: 'transpose/padded', source: '' }, '/kernel/source');
  await refused({ source: 'x'.repeat(262145) }, '/kernel/source');
  await refused({ colour: 1 }, '/kernel/colour');
  problem(await submit({ kernel: null }), 422, '/kernel');
  problem(await lab.post('/api/v1/runs', { experiment: 'transfer', kernel }), 422, '/kernel/edits');
});

test('without a kernel, null is the kernel of a base', async () => {
  const parameters = { step: 'copy', m: 64, min_samples: 3, max_samples: 16 };
  const answer = await submit({ parameters, compare_with: { kernel: null } });
  assert.equal(answer.status, 202, answer.text);
  const run = await lab.reach(answer.json.id, 'succeeded');
  assert.equal(run.kernel, null);
  assert.equal(run.compare_with.kernel, null);
});

test('export and import keep the kernels; lists leave out their sources; other versions had none', async () => {
  const other = { ...kernel, source: '// another\n', block: [32, 4] };
  const compare_with = { experiment: 'transpose', devices: [], parameters: {}, kernel: other };
  const lines = linesOf({ at: day(1), experiment: 'transpose', kernel, compare_with, output: 'printed\n' }, []);
  assert.deepEqual((await importInto(lab, lines)).json, { imported: 1, completed: 0, skipped: 0, errors: [] });
  assert.deepEqual((await importInto(lab, linesOf({ at: day(2), experiment: 'transpose' }, []))).json.imported, 1);
  const run = await lab.run(idAt(day(1)));
  assert.deepEqual(run.kernel, kernel);
  assert.deepEqual(run.compare_with.kernel, other);
  assert.equal(run.output, 'printed\n');
  assert.equal((await lab.run(idAt(day(2)))).kernel, null);
  const { runs } = (await lab.get(`/api/v1/runs?until=2026-01-02`)).json;
  assert.deepEqual(runs[0].kernel, { edits: kernel.edits });
  assert.deepEqual(runs[0].compare_with.kernel, { edits: kernel.edits, block: [32, 4] });
  const exported = (await lab.get('/api/v1/export?until=2026-01-02')).text.split('\n').map((line) => line && JSON.parse(line));
  assert.deepEqual(exported[0].kernel, kernel);
  assert.deepEqual(exported[0].compare_with.kernel, other);
  assert.equal(exported[0].output, 'printed\n');
});

test('the history of a point leaves out own kernels', async () => {
  const axes = { m: 5, n: 5, step: 'padded', load: 'burst' };
  const run = (n, fields) => linesOf({ at: day(n), experiment: 'transpose', ...fields }, [{ axes, samples: [n, n] }]);
  await importInto(lab, [...run(11), ...run(12, { kernel }), ...run(13)]);
  const query = new URLSearchParams({ experiment: 'transpose', metric: 'bandwidth', axes: JSON.stringify(axes) });
  const series = (await lab.get(`/api/v1/series?${query}`)).json;
  assert.deepEqual(series.values.map(({ median }) => median), [13, 11]);
});

test('the experiment kernel is described by its request', async () => {
  const kernel = {
    source: '__global__ void one(int n, float *x) {}', grid: 'ceil_div(n, 64)', block: 64, bytes: '4 * n',
    arguments: [{ name: 'n', kind: 'scalar', type: 'i32', value: [100, 200] }, { name: 'x', kind: 'buffer', type: 'fp32', count: 'n', direction: 'out' }],
  };
  const refused = async (fields, pointer) => problem(await lab.post('/api/v1/runs', { experiment: 'kernel', kernel: { ...kernel, ...fields } }), 422, pointer);
  await refused({}, '/kernel');
  await refused({ grid: 'ceil_div(m, 64)' }, '/kernel/grid');
  await refused({ arguments: [] }, '/kernel/grid');
  await refused({ reference: { grid: 1, block: 1, colour: 2 } }, '/kernel/reference/colour');
  problem(await lab.post('/api/v1/runs', { experiment: 'kernel' }), 422, '/kernel');
  const { json: experiment } = await lab.get('/api/v1/experiments/kernel');
  assert.deepEqual(experiment.metrics.map(({ name }) => name), ['bandwidth', 'throughput', 'share_of_peak', 'time', 'intensity', 'counted_intensity', 'speedup']);
  const { json: list } = await lab.get('/api/v1/experiments');
  assert.ok(!list.experiments.some(({ name }) => name === 'kernel'), 'it measures nothing by itself');
});
