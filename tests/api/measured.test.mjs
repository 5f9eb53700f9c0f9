// References beside what the lab has measured at their axes: which runs count, of which device model, and where there
// are none.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { importInto, linesOf } from '../harness/exports.mjs';
import { problem } from '../harness/expect.mjs';
import { Lab } from '../harness/lab.mjs';

let lab;
before(async () => (lab = await Lab.start()));
after(() => lab.close());

const measured = async (query) => {
  const { figures, ...rest } = (await lab.get(`/api/v1/references/measured?${query}`)).json;
  return { ...rest, references: figures.map(({ reference, ...own }) => ({ ...reference, ...own })) };
};
const day = (number) => new Date(Date.UTC(2026, 0, number));
const gpus = (count, name) => Array.from({ length: count }, (_, n) => ({ id: `GPU-${n}`, name, node: 'n1' }));

let imported = 0;

/** Imports runs of an experiment: [{...members of the run, figures: [measurement]}], a day apart. */
async function importRuns(experiment, runs) {
  const lines = runs.flatMap(({ figures, ...run }) => {
    imported += 1;
    return linesOf({ at: day(imported), n: imported, experiment, ...run }, figures);
  });
  assert.deepEqual((await importInto(lab, lines)).json.errors, []);
  return lines.filter(({ type }) => type === 'run').map(({ id }) => id);
}

test('an experiment that was not run has its references without values', async () => {
  const { references } = (await lab.get('/api/v1/references?experiment=overlap')).json;
  assert.deepEqual(await measured('experiment=overlap'), { models: [], model: null, references: references.map((one) => ({ ...one, measured: null })) });
  assert.deepEqual(await measured('experiment=none'), { models: [], model: null, references: [] });
  problem(await lab.get('/api/v1/references/measured'), 422, '/query/experiment');
});

test('beside a reference is the newest right value on the device model', async () => {
  const [reference] = (await measured('experiment=transfer')).references;
  const at = (median, fields = {}) => ({ axes: reference.axes, metric: reference.metric, unit: reference.unit, median, ...fields });
  const other = at(9, { axes: { ...reference.axes, bytes: 4096 } });
  const host = { devices: [{ id: 'host-0-a', name: 'CPU', node: 'n1' }], host: 'elsewhere' };
  const ids = await importRuns('transfer', [
    { devices: gpus(1, 'A'), figures: [at(1)] }, { devices: gpus(1, 'A'), figures: [at(2), other] },
    { devices: gpus(1, 'A'), figures: [at(3, { verified: false, wrong: 1 })] }, { devices: gpus(1, 'A'), figures: [at(null, { skipped: 'no memory' })] },
    { devices: gpus(1, 'B'), figures: [at(5)] }, ...[6, 7, 8, 9, 10].map((value) => ({ ...host, figures: [at(value)] })),
  ]);
  const all = await measured('experiment=transfer');
  assert.deepEqual(all.models, [{ model: 'A', runs: 4 }, { model: 'B', runs: 1 }, { model: 'CPU', runs: 5 }]);
  assert.equal(all.model, 'A');
  const { run, value, axes } = all.references[0].measured;
  assert.deepEqual({ run, value, axes }, { run: ids[1], value: 2, axes: reference.axes });
  assert.ok(all.references.slice(1).every((one) => one.measured === null || one.metric === reference.metric));
  assert.equal((await measured('experiment=transfer&device=CPU')).references[0].measured.value, 10);
  assert.equal((await measured('experiment=transfer&device=C')).references[0].measured, null);
});

test('several devices are compared with as many; of the values of a run the best one counts', async () => {
  const { references } = await measured('experiment=peer');
  const at = references.findIndex(({ system }) => system.startsWith('2 x '));
  const { metric, unit, axes } = references[at];
  const pair = (source, median) => ({ metric, unit, median, axes: { ...axes, source, target: 'GPU-9' } });
  const ids = await importRuns('peer', [
    { devices: gpus(2, 'P'), figures: [pair('GPU-0', 3), pair('GPU-1', 4), pair('GPU-2', 2)] }, { devices: gpus(4, 'P'), figures: [pair('GPU-0', 8)] },
  ]);
  const { measured: found } = (await measured('experiment=peer')).references[at];
  assert.deepEqual([found.run, found.value, found.axes.source], [ids[0], 4, 'GPU-1']);
});

test('beside a reference with parameters is a value of a run that has them', async () => {
  const at = async (query) => (await measured(query)).references[0];
  const { axes, metric, unit, parameters } = await at('experiment=waiting');
  const figures = [{ axes, metric, unit, median: 1 }];
  const [other] = await importRuns('waiting', [{ devices: gpus(1, 'W'), parameters: { ...parameters, hold_s: 5e-3 }, figures }]);
  assert.equal((await at('experiment=waiting')).measured, null, other);
  const [same] = await importRuns('waiting', [{ devices: gpus(1, 'W'), parameters, figures }]);
  assert.equal((await at('experiment=waiting')).measured.run, same);
});
