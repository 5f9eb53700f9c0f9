// What the lab says of samples: their shape, and the cautions that follow, wherever a value is shown.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { idAt, importInto, linesOf, textOf } from '../harness/exports.mjs';
import { execute, Lab } from '../harness/lab.mjs';

const at = new Date(Date.UTC(2026, 0, 1));

/** A number from 0 to 1 for each of 100 samples, in no order. */
const scattered = Array.from({ length: 100 }, (_, i) => (0.618034 * i) % 1);
const SAMPLES = {
  steady: scattered.map((share) => 50 + share),
  wide: scattered.map((share) => 50 + 10 * share),
  falling: scattered.map((share, i) => 50 + 0.1 * share - i / 50),
  levels: scattered.map((share, i) => (i % 3 ? 50 : 60) + share),
  outliers: scattered.map((share, i) => (i % 25 === 10 ? 20 + i / 25 : 50 + share)),
};
const NAMES = Object.keys(SAMPLES);
const axesOf = (name) => ({ direction: name, bytes: 4096 });

let lab, lines;
before(async () => {
  lab = await Lab.start();
  lines = [0, 1].flatMap((n) => linesOf({ at: new Date(at.getTime() + n), n }, NAMES.map((name) => ({ axes: axesOf(name), samples: SAMPLES[name], min: Math.min(...SAMPLES[name]), max: Math.max(...SAMPLES[name]) }))));
  assert.equal((await importInto(lab, lines)).json.imported, 2);
});
after(() => lab.close());

const first = idAt(at, 0), second = idAt(new Date(at.getTime() + 1), 1);
const measured = async (from = lab) => Object.fromEntries((await from.run(first)).measurements.map((one) => [one.axes.direction, one]));
const words = ({ cautions }) => cautions.map(({ name }) => name);

test('samples that an older version exported have their shape, and their noise is that of the quartiles', async () => {
  assert.ok(lines.every((line) => line.type !== 'measurement' || (line.shape === undefined && line.noise === 0.001)));
  const found = await measured();
  for (const { noise, q1, q3, median } of Object.values(found)) assert.ok(Math.abs(noise - (q3 - q1) / median) < 1e-12);
  assert.deepEqual(found.levels.shape.mode_shares, [0.66, 0.34]);
  assert.deepEqual(found.levels.shape.modes.map(Math.floor), [50, 60]);
  assert.deepEqual([found.outliers.shape.outliers, found.outliers.shape.farthest_outlier], [4, 20.4]);
  const { drift, drift_low: low, drift_high: high } = found.falling.shape;
  assert.ok(low <= drift && drift <= high && high < 0 && Math.abs(drift + 0.0367) < 0.002, `${low} ${drift} ${high}`);
  assert.deepEqual([found.steady.shape.outliers, found.steady.shape.modes], [0, null]);
});

test('only what touches the value that is shown is a caution, in words', async () => {
  const found = await measured();
  assert.deepEqual(NAMES.map((name) => words(found[name])), [[], ['noisy'], ['drifting'], ['bimodal'], []]);
  assert.match(found.falling.cautions[0].text, /^The samples fell by 3\.\d % within the point \(\d\.\d % to \d\.\d %\)\.$/);
  assert.match(found.levels.cautions[0].text, /^The samples have two levels: 66 % of them are near 50\.\d\d GB\/s, 34 % near 60\.\d\d GB\/s\.$/);
  assert.match(found.wide.cautions[0].text, /^The samples vary: their quartiles are \d\.\d % of the median apart\.$/);
});

test('comparisons and series have the cautions of their values', async () => {
  const { points } = (await lab.get(`/api/v1/compare?base=${first}&head=${second}`)).json;
  const of = (name) => points.find(({ axes }) => axes.direction === name);
  assert.deepEqual(NAMES.map((name) => [words(of(name).base), words(of(name).head)]), [[[], []], [['noisy'], ['noisy']], [['drifting'], ['drifting']], [['bimodal'], ['bimodal']], [[], []]]);
  const query = new URLSearchParams({ experiment: 'transfer', metric: 'bandwidth', axes: JSON.stringify(axesOf('levels')) });
  const { values } = (await lab.get(`/api/v1/series?${query}`)).json;
  assert.deepEqual(values.map(({ cautions }) => cautions), Array(2).fill((await measured()).levels.cautions));
});

test('an export without samples keeps the shape, and has no cautions of its own', async () => {
  const text = (await lab.get('/api/v1/export?samples=false')).text;
  assert.doesNotMatch(text, /"cautions"/);
  const other = await Lab.start();
  try {
    assert.deepEqual((await importInto(other, text)).json, { imported: 2, completed: 0, skipped: 0, errors: [] });
    assert.deepEqual(await measured(other), await measured());
    assert.deepEqual((await importInto(other, lines)).json, { imported: 0, completed: 2, skipped: 0, errors: [] });
    assert.deepEqual(await measured(other), await measured());
  } finally {
    await other.close();
  }
});

test('a shape that is not possible is refused', async () => {
  const shape = { outliers: 0, fence_low: 0, fence_high: 9, farthest_outlier: null, drift: null, drift_low: null, drift_high: null, modes: null, mode_shares: null };
  const cases = [
    [{ outliers: 2 }, /'shape\/outliers' is 2; it must not be more than 'n'\./],
    [{ drift: 0.1, drift_low: 0.2, drift_high: 0.3 }, /'shape\/drift' is 0\.1; it must be from 'drift_low' to 'drift_high'\./],
    [{ modes: [1, 2] }, /'shape\/modes' is 2; it must be two numbers or null, as 'mode_shares'\./],
    [{ modes: [1], mode_shares: [1] }, /'shape\/modes' is 1; it must be two numbers/],
    [{ drift: 'x' }, /'shape\/drift'/],
    [{ depth: 1 }, /'shape\/depth'|depth/],
  ];
  for (const [changed, message] of cases) {
    const { imported, errors } = (await importInto(lab, textOf(linesOf({ at: new Date(at.getTime() + 9), n: 9 }, [{ shape: { ...shape, ...changed } }])))).json;
    assert.deepEqual([imported, errors.length], [0, 1], JSON.stringify(changed));
    assert.match(errors[0].detail, message);
  }
});

test('the command line shows cautions in the tables of runs and comparisons', async () => {
  const gpulab = (...args) => execute('gpulab', [...args, '--server', lab.address]);
  const run = await gpulab('show', first), compared = await gpulab('compare', first, second, '--fail-on', 'wrong');
  assert.match(run.stdout, /verified +cautions\n/);
  assert.match(run.stdout, /levels .* yes +bimodal\n/);
  assert.match(run.stdout, /steady .* yes *\n/);
  assert.match(compared.stdout, /wide .* base: noisy; head: noisy\n/);
});
