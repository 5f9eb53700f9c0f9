// GET /api/v1/runs/{id}/fields: values on rectangles, stored with a run; they come with an export and go with the run.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { after, before, test } from 'node:test';
import { problem } from '../harness/expect.mjs';
import { Lab, small, withLab } from '../harness/lab.mjs';

const unknown = '01900000-0000-7000-8000-000000000000';
const field = { name: 'potential', rows: 1, columns: 3, values: Buffer.from(new Float32Array([1, 2, NaN]).buffer).toString('base64'), axes: { n: 3 } };

let lab, run, lines;
before(async () => {
  lab = await Lab.start();
  run = await lab.complete(small);
  const { text } = await lab.get('/api/v1/export');
  lines = text.trim().split('\n');
});
after(() => lab.close());

const imported = (from, line) =>
  from.request('POST', '/api/v1/import', {
    body: [...lines.slice(0, -1), JSON.stringify({ type: 'field', run: run.id, ...line }), lines.at(-1), ''].join('\n'),
    headers: { 'content-type': 'application/x-ndjson' },
  });

test('a run without fields has an empty list, an unknown run is not found', async () => {
  assert.deepEqual((await lab.get(`/api/v1/runs/${run.id}/fields`)).json, { fields: [] });
  problem(await lab.get(`/api/v1/runs/${unknown}/fields`), 404);
});

test('a field is imported, read, exported, and deleted with its run', () =>
  withLab({}, async (other) => {
    assert.deepEqual((await imported(other, field)).json, { imported: 1, completed: 0, skipped: 0, errors: [] });
    assert.deepEqual((await other.get(`/api/v1/runs/${run.id}/fields`)).json, { fields: [field] });
    const { text } = await other.get('/api/v1/export');
    assert.deepEqual(text.trim().split('\n').map((line) => JSON.parse(line)).filter(({ type }) => type === 'field'), [{ type: 'field', run: run.id, ...field }]);
    assert.equal((await other.request('DELETE', `/api/v1/runs/${run.id}`)).status, 204);
    assert.equal((await other.get(`/api/v1/runs/${run.id}/fields`)).status, 404);
  }));

test('a saved output, which has the type of its elements, is imported and exported', () =>
  withLab({}, async (other) => {
    const output = { name: 'y', rows: 1, columns: 300, values: Buffer.alloc(600).toString('base64'), element_type: 'i16', axes: {} };
    assert.deepEqual((await imported(other, output)).json, { imported: 1, completed: 0, skipped: 0, errors: [] });
    assert.deepEqual((await other.get(`/api/v1/runs/${run.id}/fields`)).json, { fields: [output] });
    assert.ok((await other.get('/api/v1/export')).text.includes(JSON.stringify({ type: 'field', run: run.id, ...output })));
  }));

test('a field that is damaged in the database is no file, and the answer says why', () =>
  withLab({}, async (other) => {
    await imported(other, field);
    assert.equal((await other.get(`/api/v1/runs/${run.id}/fields/potential`)).status, 200);
    execFileSync('sqlite3', [other.database, "UPDATE field SET content = json_set(content, '$.values', 'AAA!')"]);
    const { detail } = problem(await other.get(`/api/v1/runs/${run.id}/fields/potential`), 500);
    assert.equal(detail, "The field 'potential' has values that are not Base64.");
  }));

test('a field whose values are not those of its rows and columns is refused', () =>
  withLab({}, async (other) => {
    for (const wrong of [{ columns: 4 }, { rows: 0 }, { rows: 257 }, { values: '' }, { name: null }, { axes: null }, { element_type: 'fp64' }, { element_type: 'fp8' }, { element_type: 'fp32', rows: 257, columns: 512 }]) {
      const { imported: count, errors } = (await imported(other, { ...field, ...wrong })).json;
      assert.equal(count, 0, JSON.stringify(wrong));
      assert.equal(errors.length, 1, JSON.stringify(wrong));
    }
  }));
