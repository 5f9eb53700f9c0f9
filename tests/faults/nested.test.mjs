// Databases of older versions with JSON that is nested so deep that reading or writing it would overflow the stack of a
// thread: every route answers, and the run can be deleted.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { importInto, measurementLine, runLine } from '../harness/exports.mjs';
import { withLab } from '../harness/lab.mjs';

/** Each column that has JSON. */
const columns = [
  ...['devices', 'parameters', 'tags', 'headline', 'compare_with', 'kernel', 'error'].map((name) => ['run', name]),
  ['environment', 'content'],
  ...['peak', 'conditions', 'kernel', 'rounds'].map((name) => ['measurement', name]),
  ['point', 'axes'],
  ['span', 'axes'],
  ['field', 'content'],
];

/** Parameters with which a run, and one that repeats it, takes milliseconds. */
const shortest = { min_samples: 1, max_samples: 1, min_time_s: 0, settle_s: 0 };
const shortLaplace = { ...shortest, variant: 'fused', n: 64, solve_n: 0, device_count: 1, scaling: 'strong' };

/** A run with a measurement, a span and a field, whose point no other run has. */
function linesOf(n) {
  const run = runLine({ at: new Date('2026-03-04T05:06:07Z'), n, experiment: 'laplace', parameters: shortLaplace, measurement_count: 1, environment: {} });
  const values = Buffer.alloc(16).toString('base64');
  return [
    run, measurementLine({ run: run.id, axes: { bytes: n + 1 } }),
    { type: 'span', run: run.id, lane: 'stream 1', kind: 'compute', label: 'a', axes: {}, start_ns: 1, end_ns: 2 },
    { type: 'field', run: run.id, name: 'f', rows: 2, columns: 2, values, axes: {} },
  ];
}

/** SQL that puts JSON of this depth in place of a column of a run. */
function nest([table, column], id, depth, [open, middle, close]) {
  const repeated = (text) => `replace(hex(zeroblob(${depth})), '00', '${text}')`;
  const text = `${repeated(open)} || '${middle}' || ${repeated(close)}`;
  const number = `(SELECT number FROM run WHERE id = '${id}')`;
  const where = { run: `id = '${id}'`, point: `id = (SELECT point FROM measurement WHERE run = ${number})` }[table] ?? `run = ${number}`;
  return `UPDATE ${table} SET ${column} = ${text} WHERE ${where};`;
}

async function visit(lab, id, other, axes) {
  const run = `/api/v1/runs/${id}`, point = `experiment=laplace&metric=bandwidth&axes=${encodeURIComponent(JSON.stringify(axes))}`;
  const reads = [
    run, '/api/v1/runs', '/api/v1/runs?q=laplace&tag=x', ...['measurements', 'measurements.csv', 'fields', 'timeline', 'timeline.trace.json', 'normal'].map((part) => `${run}/${part}`),
    `/api/v1/compare?base=${id}&head=${other}`, `/api/v1/compare?base=${other}&head=${id}`, `/api/v1/compare?run=${id}`, `/api/v1/points?experiment=laplace`,
    `/api/v1/series?${point}&device=NVIDIA%20H200`, '/api/v1/export', '/api/v1/export?format=csv&samples=true', '/metrics', '/readyz',
  ];
  for (const path of reads) {
    const answer = await lab.get(path);
    assert.ok(answer.status < 500, `${path}: ${answer.status} ${answer.text}`);
  }
  const patch = await lab.request('PATCH', run, { json: { note: 'seen' }, headers: { 'if-match': '*' } });
  assert.equal(patch.status, 200, patch.text);
  const repeated = await lab.post(`${run}/repeat`);
  assert.ok(repeated.status < 500, repeated.text);
}

for (const [name, kind] of [['arrays', ['[', '', ']']], ['objects', ['{"a":', '1', '}']]]) {
  for (const depth of [33, 1995, 100000]) {
    test(`${name} nested ${depth} deep in each column`, () => withLab({}, async (lab) => {
      const all = columns.map((column, n) => linesOf(n)), other = linesOf(columns.length), ids = all.map(([{ id }]) => id);
      const imported = await importInto(lab, [...all.flat(), ...other]);
      assert.deepEqual(imported.json.errors, []);
      const queued = (await lab.post('/api/v1/runs', { experiment: 'default-stream', parameters: shortest })).json; // takes a second with defaults
      await lab.reach(queued.id, 'succeeded');
      await lab.stop();
      const sql = [...columns.map((column, n) => nest(column, ids[n], depth, kind)), nest(['run', 'parameters'], queued.id, depth, kind),
        `UPDATE run SET status = 'queued', started_at = NULL, finished_at = NULL WHERE id = '${queued.id}';`];
      execFileSync('sqlite3', [lab.database], { input: sql.join('\n') });
      await lab.start();
      await lab.reach(queued.id);
      for (const [n, id] of ids.entries()) await visit(lab, id, other[0].id, all[n][1].axes);
      const summary = (await lab.get(`/api/v1/runs/${ids[0]}`)).json;
      assert.deepEqual(summary.devices, []);
      assert.match(summary.warnings.join(), /its devices cannot be shown/);
      for (const id of [...ids, queued.id]) {
        const answer = await lab.request('DELETE', `/api/v1/runs/${id}`);
        assert.equal(answer.status, 204, answer.text);
      }
    }));
  }
}
