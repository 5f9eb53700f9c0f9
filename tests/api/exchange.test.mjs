// GET /api/v1/export, POST /api/v1/import and GET /api/v1/backup: what a lab exports, another lab imports, and then
// exports the same.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { readdirSync, renameSync, writeFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { Place, SUCCESS, USAGE } from '../harness/cli.mjs';
import { idAt, importInto, linesOf, runLine } from '../harness/exports.mjs';
import { Lab, small, temporaryFolder, until, withLab } from '../harness/lab.mjs';

const day = (n) => new Date(Date.UTC(2026, 0, n, 12));

let lab;
before(async () => (lab = await Lab.start()));
after(() => lab.close());

const lines = (text) => text.trim().split('\n').map((line) => JSON.parse(line));
const exported = async (from, query = '') => (await from.get(`/api/v1/export?samples=true${query}`)).text;

test('export, import and export again give the same bytes', async () => {
  const traced = { bytes: 262144, chunks: 4, streams: 2, variant: ['sequential', 'depth-first'], weight: 1, min_samples: 8, max_samples: 16 };
  const run = await lab.complete(small, { tags: ['a', 'ä'], note: 'said "so",\nand \u{1F600}' });
  const other = await lab.post('/api/v1/runs', { experiment: 'overlap', parameters: traced });
  await lab.reach(other.json.id, 'succeeded');
  const compared = await lab.post('/api/v1/runs', { experiment: 'transfer', parameters: { ...small, min_samples: 16, max_samples: 16 }, compare_with: {} });
  await lab.reach(compared.json.id, 'succeeded');
  await lab.request('PATCH', `/api/v1/runs/${run.id}`, { json: { pinned: true }, headers: { 'if-match': '*' } });
  const text = await exported(lab);
  assert.deepEqual([...new Set(lines(text).map(({ type }) => type))].sort(), ['end', 'measurement', 'run', 'samples', 'span']);
  assert.deepEqual(lines(text).filter(({ type }) => type === 'run').map(({ id }) => id), [run.id, other.json.id, compared.json.id], 'oldest first');
  await withLab({}, async (second) => {
    const answer = await importInto(second, text);
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual(answer.json, { imported: 3, completed: 0, skipped: 0, errors: [] });
    assert.equal(await exported(second), text);
    const found = await second.run(run.id);
    for (const name of Object.keys(run)) if (!['revision', 'pinned'].includes(name)) assert.deepEqual(found[name], run[name], name);
    const samples = (from) => from.get(`/api/v1/runs/${other.json.id}/measurements?samples=true`);
    assert.equal((await samples(second)).text, (await samples(lab)).text);
    assert.deepEqual((await importInto(second, text)).json, { imported: 0, completed: 0, skipped: 3, errors: [] });
    assert.equal(await exported(second), text);
    const { id } = await second.complete();
    assert.ok(id > compared.json.id);
  });
});

test('the filters choose runs; without samples there are none; live runs are left out', async () => {
  const tagged = await lab.complete(small, { tags: ['chosen'] });
  const text = (await lab.get('/api/v1/export?tag=chosen')).text;
  assert.deepEqual(lines(text).map(({ type }) => type), ['run', ...tagged.measurements.map(() => 'measurement'), 'end']);
  assert.equal(lines(text).at(-1).runs, 1);
  assert.ok(!('samples' in lines(text)[1]));
  assert.equal((await lab.get('/api/v1/export?tag=nobody')).text, '{"type":"end","runs":0}\n');
  await lab.request('PUT', '/api/v1/queue', { json: { paused: true } });
  const queued = await lab.post('/api/v1/runs', { experiment: 'transfer', parameters: small, tags: ['waiting'] });
  assert.equal((await lab.get('/api/v1/export?tag=waiting')).text, '{"type":"end","runs":0}\n');
  await lab.post(`/api/v1/runs/${queued.json.id}/cancel`);
  await lab.request('PUT', '/api/v1/queue', { json: { paused: false } });
});

test('CSV has a row for each measurement, with columns of its run', async () => {
  const run = await lab.complete(small, { tags: ['table', 'x'], note: 'a, b' });
  const answer = await lab.get('/api/v1/export?tag=table&format=csv');
  const [header, ...rows] = answer.text.split('\r\n');
  assert.match(header, /^run_id,created_at,status,experiment,host,note,devices,tags,metric,unit,side,axes,samples,median,/);
  assert.equal(rows.length, run.measurements.length + 1);
  assert.ok(rows[0].startsWith(`${run.id},${run.created_at},succeeded,transfer,${run.host},"a, b",`), rows[0]);
  assert.equal(rows.at(-1), '');
  const refused = await lab.get('/api/v1/export?format=csv&samples=true');
  assert.equal(refused.status, 422);
  assert.deepEqual(refused.json.errors.map(({ pointer }) => pointer), ['/query/samples']);
});

test('samples of more than a line are imported into one measurement', async () => {
  const samples = Array.from({ length: 10_000 }, (_, i) => 1 + i / 7);
  await withLab({}, async (second) => {
    assert.deepEqual((await importInto(second, linesOf({ at: day(1) }, [{ samples }]))).json, { imported: 1, completed: 0, skipped: 0, errors: [] });
    const text = await exported(second);
    const parts = lines(text).filter(({ type }) => type === 'samples');
    assert.deepEqual(parts.map(({ first }) => first), [0, 4096, 8192]);
    assert.deepEqual(parts.flatMap(({ values }) => values), samples);
    const [{ id }] = (await second.get('/api/v1/runs')).json.runs;
    const csv = (await second.get(`/api/v1/runs/${id}/measurements.csv?samples=true`)).text.trim().split('\r\n');
    assert.equal(csv.length, 10_001);
    assert.match(csv.at(-1), /^bandwidth,GB\/s,,h2d,4096,9999,1429\.42857142857$/);
  });
});

test('every faulty run is named once and not added, and the others are', async () => {
  const [good] = linesOf({ at: day(1) }, []);
  const broken = linesOf({ at: day(2) }, [{ samples: [1, 2, 3] }, { position: 1, median: 'x' }, { axes: 7 }]);
  const short = linesOf({ at: day(3) }, [{ samples: [1, 2, 3] }]);
  short[2].values.pop();
  const missing = { ...runLine({ at: day(4) }), host: undefined };
  const fewer = runLine({ at: day(5), measurement_count: 1 });
  const future = runLine({ at: new Date(Date.now() + 7 * 86400e3) });
  const all = [good, ...broken, ...short, missing, fewer, future];
  const answer = await importInto(lab, all);
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.json.imported, 1);
  assert.deepEqual(answer.json.errors.map(({ line }) => line), [5, 7, 10, 11, 12]);
  const details = answer.json.errors.map(({ detail }) => detail);
  assert.match(details[0], /^'median' must be a number or null, not "x"\.$/);
  assert.match(details[1], /^Measurement 0 has 2 samples; its 'samples' says 3\.$/);
  assert.match(details[2], /^'host' is missing; it must be a string\.$/);
  assert.match(details[3], /^The run has 0 measurements; its 'measurement_count' says 1\.$/);
  assert.match(details[4], /must not be in the future/);
  for (const { type, id } of all) if (type === 'run') assert.equal((await lab.get(`/api/v1/runs/${id}`)).status, id === good.id ? 200 : 404, id);
});

test('after 100 errors one more says that others are left out, and good runs are still added', async () => {
  const bad = Array.from({ length: 120 }, () => ({ ...runLine({ at: day(11) }), host: undefined }));
  const { json } = await importInto(lab, [...bad, runLine({ at: day(11) })]);
  assert.deepEqual([json.imported, json.errors.length], [1, 101]);
  assert.deepEqual(json.errors[100], { line: 101, detail: 'Further errors are left out: there are more than 100.' });
});

test('a file that is cut, is no JSON or has something after its end is noticed', async () => {
  const run = runLine({ at: day(10) });
  const errors = async (text) => (await importInto(lab, text)).json.errors.map(({ line, detail }) => `${line}: ${detail}`);
  const cut = 'The file has no line of type end: it is incomplete.', end = '{"type":"end","runs":1}\n';
  assert.deepEqual(await errors(`${JSON.stringify(run)}\n`), [`1: ${cut}`]);
  assert.deepEqual(await errors(`${JSON.stringify(run)}\n{"type":"en`), ['2: The file is cut within this line: it is incomplete.']);
  const within = await errors(`${JSON.stringify(run)}\n{"type":"end","runs":tr`);
  assert.deepEqual([within.length, /^2: The line is not JSON that can be imported: /.test(within[0])], [1, true], within.join('\n'));
  assert.match((await errors(`${JSON.stringify(run)}\nnonsense\n${end}`))[0], /^2: The line is not JSON that can be imported: /);
  assert.deepEqual(await errors(`${JSON.stringify(run)}\n[]\n${end}`), ['2: The line is not a JSON object.']);
  assert.deepEqual(await errors('{"type":"end","runs":2}\n'), ["1: 'runs' is not the number of runs before this line: the file is incomplete."]);
  assert.deepEqual(await errors('{"type":"end","runs":0}\n{"type":"span"}\n{"type":"span"}\n'), ['2: The line comes after the line of type end.']);
  assert.deepEqual(await errors(`${JSON.stringify({ ...run, note: 'x'.repeat(1 << 20) })}\n${end}`), ['1: The line is longer than 1 MiB.']);
  assert.deepEqual(await errors('{"type":"span"}\n{"type":"span"}\n{"type":"end","runs":0}\n'), ['1: The line belongs to no run: a line of type run must come before it.']);
});

test('an imported run is listed by its time, and found by text, tag and device', async () => {
  const [run] = linesOf({ at: day(20), tags: ['imported'], note: 'from elsewhere' }, []);
  assert.equal((await importInto(lab, [run])).json.imported, 1);
  for (const query of ['tag=imported', 'q=elsewhere', 'device=NVIDIA%20H200&q=elsewhere', 'until=2026-01-21&since=2026-01-20']) {
    assert.deepEqual((await lab.get(`/api/v1/runs?${query}`)).json.runs.map(({ id }) => id), [run.id], query);
  }
  assert.equal((await lab.run(run.id)).created_at, run.created_at);
});

test('a backup is a database with the same history', async () => {
  const folder = temporaryFolder(), database = join(folder, 'copy.db');
  await importInto(lab, [runLine({ at: day(25) })]);
  const answer = await lab.get('/api/v1/backup');
  assert.equal(answer.status, 200);
  assert.equal(answer.headers['content-type'], 'application/vnd.sqlite3');
  writeFileSync(database, answer.bytes);
  const text = await exported(lab);
  await withLab({ folder, database }, async (second) => {
    assert.equal(await exported(second), text);
    renameSync(folder, `${folder}.moved`);
    const refused = await second.get('/api/v1/backup');
    renameSync(`${folder}.moved`, folder);
    assert.equal(refused.status, 503);
    assert.equal(refused.json.detail, `no file for the copy can be made in ${folder}: No such file or directory`);
  });
});

test('--keep-samples-days removes the samples of old runs that are not pinned, never the summaries', async () => {
  const old = new Date(Date.now() - 3 * 86400e3), samples = [1, 2, 3, 4];
  const folder = temporaryFolder(), database = join(folder, 'lab.db');
  const runs = [linesOf({ at: old }, [{ samples }]), linesOf({ at: old, n: 1, pinned: true }, [{ samples }]), linesOf({ at: new Date(Date.now() - 1000) }, [{ samples }])];
  await withLab({ folder, database }, async (first) => assert.equal((await importInto(first, runs.flat())).json.imported, 3));
  await withLab({ folder, database, args: ['--keep-samples-days', '2'] }, async (second) => {
    const kept = async ([{ id }]) => {
      const [found] = (await second.get(`/api/v1/runs/${id}/measurements?samples=true`)).json.measurements;
      assert.deepEqual([found.n, found.median, found.q3], [4, 2, 3]);
      return found.samples.length;
    };
    await until(async () => (await kept(runs[0])) === 0, 'the samples of the old run are removed');
    assert.deepEqual([await kept(runs[1]), await kept(runs[2])], [4, 4]);
    const { json } = await second.get(`/api/v1/compare?base=${runs[0][0].id}&head=${runs[2][0].id}`);
    assert.deepEqual([json.points[0].verdict, json.points[0].low], ['unclear', null]);
    assert.equal((await importInto(second, (await exported(second)).replaceAll(runs[0][0].id, idAt(old, 9)).replaceAll(runs[2][0].id, idAt(old, 10)))).json.errors.length, 0, 'without them it is complete');
  });
});

test('samples that were removed come back with an import, and go again with their age', async () => {
  const folder = temporaryFolder(), database = join(folder, 'lab.db'), samples = [1, 2, 3, 4];
  const lines = linesOf({ at: new Date(Date.now() - 3 * 86400e3) }, [{ samples }]);
  const kept = async (from) => (await from.get(`/api/v1/runs/${lines[0].id}/measurements?samples=true`)).json.measurements[0].samples.length;
  const removed = (from) => until(async () => (await kept(from)) === 0, 'the samples are removed');
  await withLab({ folder, database }, async (first) => assert.equal((await importInto(first, lines)).json.imported, 1));
  const args = ['--keep-samples-days', '2'];
  await withLab({ folder, database, args }, removed);
  await withLab({ folder, database }, async (without) => {
    assert.deepEqual((await importInto(without, lines)).json, { imported: 0, completed: 1, skipped: 0, errors: [] });
    assert.equal(await kept(without), 4);
  });
  await withLab({ folder, database, args }, removed);
});

test('gpulab export, import and backup move a history from one lab to another', async (t) => {
  const place = new Place(t), copy = join(place.folder, 'copy.db'), file = join(place.folder, 'runs.jsonl');
  const from = ['--server', `http://127.0.0.1:${lab.port}`];
  const text = await place.gpulab(['export', ...from]);
  assert.equal(text.code, SUCCESS, text.stderr);
  assert.equal(text.stdout, await exported(lab));
  assert.equal((await place.gpulab(['export', '--samples', ...from])).stdout, text.stdout, 'the default, said');
  assert.equal((await place.gpulab(['export', '--no-samples', ...from])).stdout, (await lab.get('/api/v1/export')).text);
  for (const other of ['--no-samples', '--csv']) assert.equal((await place.gpulab(['export', '--samples', other, ...from])).code, USAGE);
  writeFileSync(file, text.stdout);
  const imported = await place.gpulab(['import', file, '--db', join(place.folder, 'other.db')]);
  assert.equal(imported.code, SUCCESS, imported.stderr);
  assert.match(imported.stdout, /^[0-9]+ runs imported, 0 were there already\n$/);
  const again = await place.gpulab(['export', '--samples', '--db', join(place.folder, 'other.db')]);
  assert.equal(again.stdout, text.stdout);
  const backup = await place.gpulab(['backup', copy, ...from]);
  assert.equal(backup.code, SUCCESS, backup.stderr);
  assert.equal((await place.gpulab(['export', '--samples', '--db', copy])).stdout, text.stdout);
  const verified = await place.gpulab(['backup', copy, '--verify', ...from]);
  assert.equal(verified.code, SUCCESS, verified.stderr);
  assert.match(verified.stdout, /copy\.db: schema \d+, [1-9]\d* runs, [1-9]\d* measurements\n$/);
  assert.deepEqual(readdirSync(place.folder).filter((name) => /partial|copy\.db-/.test(name)), []);
  const refused = await place.gpulab(['backup', join(place.folder, 'no', 'such', 'folder'), ...from]);
  assert.equal(refused.code, USAGE);
  assert.match(refused.stderr, /cannot be written: No such file or directory/);
});
