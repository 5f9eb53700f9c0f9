// The verdict about the health of devices. The runs are made up and imported, but for the last one.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { idAt, importInto, linesOf } from '../harness/exports.mjs';
import { Lab } from '../harness/lab.mjs';

const hour = (n) => new Date(Date.UTC(2026, 0, 1) + n * 3600e3);

let lab, n = 0;
before(async () => (lab = await Lab.start({ args: ['--host-devices', '2'] })));
after(() => lab.close());

/** What a sound H200 measures, as fields of measurements; `changes` by check. */
function measured(device, changes = {}) {
  const rate = (check, value, peak, fields = {}) => ({ axes: { device, check }, median: value, peak: { value: peak, what: `peak of ${check}` }, ...fields });
  const reading = (check, value) => rate(check, value, 16, { metric: 'reading', unit: '1', verified: null, peak: check === 'link-width' ? { value: 16, what: 'the slot' } : null });
  return [rate('h2d', 55.3, 63), rate('memory', 4100, 4900), rate('gemm', 7e5, 9.89e5, { metric: 'throughput', unit: 'GFLOP/s' }), reading('link-width', 16), reading('ecc-uncorrected', 0)]
    .map((each) => ({ ...each, ...changes[each.axes.check] }));
}

/** Imports a health run and returns its verdict. */
async function judged(devices, measurements, fields = {}) {
  const at = hour(n++);
  const lines = linesOf({ at, experiment: 'health', devices: devices.map((id) => ({ id, name: 'NVIDIA H200', node: null })), ...fields }, measurements);
  assert.equal((await importInto(lab, lines)).json.imported, 1);
  return (await lab.get(`/api/v1/runs/${idAt(at)}/health`)).json;
}

const bad = ({ findings }) => findings.filter(({ level }) => level === 'warning' || level === 'failure');

test('a run without history is judged by limits and peaks', async () => {
  const sound = await judged(['A'], measured('A'), { parameters: { preset: 1 } });
  assert.deepEqual([sound.verdict, sound.status, sound.earlier_runs, bad(sound)], ['healthy', 'succeeded', 0, []]);
  assert.match(sound.summary, /^healthy: 0 failures, 0 warnings, \d+ ok, 0 skipped; judged without history: 0 of 5 earlier runs$/);
  const narrow = await judged(['A'], measured('A', { 'link-width': { median: 8 } }), { parameters: { preset: 1 } });
  assert.equal(narrow.verdict, 'unhealthy');
  assert.deepEqual(bad(narrow).map(({ level, basis, device, check, value, expected, limit }) => [level, basis, device, check, value, expected, limit]), [['failure', 'peak', 'A', 'link-width', 8, 16, 16]]);
  assert.equal(bad(narrow)[0].text, 'A: link-width is 8, 50 % of 16 (the slot); expected at least 100 %');
  for (const { device, check, metric, text, statement } of narrow.findings)
    assert.equal(text, `${device}: ${check}${metric === 'clock' ? ' clock' : ''} ${statement}`);
});

test('the history is that of the device model, of runs with the same parameters', async () => {
  const parameters = { preset: 2 };
  for (let i = 0; i < 5; i++) await judged(['B'], measured('B'), { parameters });
  const slow = await judged(['B'], measured('B', { memory: { median: 0.8 * 4100 } }), { parameters });
  assert.deepEqual([slow.verdict, slow.earlier_runs], ['unhealthy', 5]);
  assert.deepEqual(bad(slow).map(({ level, basis, check }) => [level, basis, check]), [['warning', 'peak', 'memory'], ['failure', 'history', 'memory']]);
  assert.equal(Math.round(bad(slow)[1].limit), 3690);
  assert.match(bad(slow)[1].text, /^B: memory is 3\.280 TB\/s, 80 % of 4\.100 TB\/s \(median of 5 earlier runs on NVIDIA H200, usually 4\.100 TB\/s or more\); expected at least 90 %$/);
  const other = await judged(['B'], measured('B', { memory: { median: 0.8 * 4100 } }), { parameters: { preset: 3 } });
  assert.deepEqual([other.verdict, other.earlier_runs], ['warning', 0]);
});

test('a device is compared with the others of its run, else with their latest runs', async () => {
  const parameters = { preset: 4 }, slow = { h2d: { median: 44 }, memory: { median: 4000 } };
  const together = await judged(['C', 'D', 'E'], [...measured('C'), ...measured('D', slow), ...measured('E')], { parameters });
  assert.deepEqual(bad(together).map(({ device, check, basis }) => [device, check, basis]), [['D', 'h2d', 'peak'], ['D', 'h2d', 'peers']]);
  const alone = await judged(['F'], measured('F', { h2d: { median: 50 }, gemm: { median: 4e5 } }), { parameters });
  assert.deepEqual(bad(alone).map(({ check, basis }) => [check, basis]), [['h2d', 'peers'], ['gemm', 'peers']].slice(1));
  assert.match(bad(alone)[0].text, /median of 3 other devices, in their latest runs/);
});

test('heat, a wrong result and a failed run are failures; an unfinished run has no verdict', async () => {
  const conditions = { sm_clock_mhz: 1000, temperature_c: 92, power_w: 500, throttle: ['power-cap', 'hardware-thermal'] };
  const hot = await judged(['G'], measured('G', { gemm: { conditions } }), { parameters: { preset: 5 } });
  assert.match(bad(hot)[0].text, /^G: gemm had the clock lowered \(hardware-thermal\)/);
  const wrong = await judged(['G'], measured('G', { memory: { verified: false, wrong: 3 } }), { parameters: { preset: 5 } });
  assert.deepEqual(bad(wrong).map(({ level, basis, check }) => [level, basis, check]), [['failure', 'result', 'memory']]);
  const error = { type: '/problems/device-lost', title: 'Device lost', detail: 'the device has fallen off the bus' };
  const failed = await judged(['G'], [], { parameters: { preset: 5 }, status: 'failed', error });
  assert.deepEqual([failed.verdict, bad(failed)[0].text, bad(failed)[0].device], ['unhealthy', 'the run failed: the device has fallen off the bus', null]);
  const cancelled = await judged(['G'], measured('G'), { parameters: { preset: 5 }, status: 'cancelled' });
  assert.deepEqual([cancelled.verdict, cancelled.summary.split(':')[0]], [null, 'no verdict']);
});

test('a run of another experiment has no verdict', async () => {
  const lines = linesOf({ at: hour(n) }, []);
  await importInto(lab, lines);
  assert.equal((await lab.get(`/api/v1/runs/${idAt(hour(n++))}/health`)).status, 404);
  assert.equal((await lab.get('/api/v1/runs/00000000-0000-7000-8000-000000000000/health')).status, 404);
});

test('copies between two devices are compared in both directions', async () => {
  const parameters = { min_samples: 1, max_samples: 2, min_time_s: 0, settle_s: 0, time_budget_s: 120 };
  const { id } = await lab.complete(parameters, { experiment: 'health' });
  const { findings } = (await lab.get(`/api/v1/runs/${id}/health`)).json;
  const pairs = findings.filter(({ check, basis }) => check === 'p2p' && basis === 'opposite');
  assert.deepEqual(pairs.map(({ device, peer }) => [device, peer].map((name) => name.slice(0, 6))), [['host-0', 'host-1'], ['host-1', 'host-0']]);
  assert.deepEqual(pairs.map(({ expected }) => expected), pairs.map(({ value }) => value).reverse());
});
