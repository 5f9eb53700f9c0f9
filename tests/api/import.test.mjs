// POST /api/v1/import: what is taken, what is refused and how that is said, and what becomes of runs that the lab has.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { Place, SUCCESS, USAGE } from '../harness/cli.mjs';
import { idAt, importInto, linesOf, runLine, textOf } from '../harness/exports.mjs';
import { Lab, small, withLab } from '../harness/lab.mjs';

let lab;
before(async () => (lab = await Lab.start()));
after(() => lab.close());

let made = 0;
/** A time for a run that no other run of this file has. */
const at = () => new Date(Date.UTC(2026, 0, 1) + 3600e3 * made++);
const samples = [1, 2, 3, 4, 5, 6, 7, 8];

const answerOf = async (text, headers = {}) => {
  const answer = await lab.request('POST', '/api/v1/import', { body: text, headers: { 'content-type': 'application/x-ndjson', ...headers } });
  assert.equal(answer.status, 200, answer.text);
  return answer.json;
};
/** The errors of an import, as "LINE: DETAIL". */
const errorsOf = async (text) => (await answerOf(text)).errors.map(({ line, detail }) => `${line}: ${detail}`);
const hasRun = async (id) => (await lab.get(`/api/v1/runs/${id}`)).status === 200;
const samplesOf = async (from, id) => (await from.get(`/api/v1/runs/${id}/measurements?samples=true`)).json.measurements.map((each) => each.samples);

/** Imports a run with one measurement that has `fields`, and returns what is said of it, once. */
async function refused(fields, run = {}) {
  const lines = linesOf({ at: at(), ...run }, [fields]);
  const { imported, errors } = await answerOf(textOf(lines));
  assert.equal(imported, 0, JSON.stringify(fields));
  assert.equal(errors.length, 1, JSON.stringify(errors));
  assert.equal(await hasRun(lines[0].id), false);
  return errors[0].detail;
}

// --- values ---------------------------------------------------------------------------------------------------------

test('values that cannot have been measured are refused, and the member is named', async () => {
  const cases = [
    [{ n: 0, median: 5 }, /^'median' is 5; it must be null, because 'n' is 0\.$/],
    [{ n: -1 }, /^'n' must be an integer in digits of at least 0, not -1\.$/],
    [{ samples, median: -4, min: -5, q1: -5 }, /^'min' is -5; it must not be negative\.$/],
    [{ metric: 'time', unit: 's', median: -1e-6, min: -1e-6, q1: -1e-6, q3: 1, max: 1, mean: 0 }, /^'min' is -1e-06; it must not be negative\.$/],
    [{ samples, q1: 5 }, /^'median' is 4; it must not be less than 'q1', 5\.$/],
    [{ samples, q3: 3 }, /^'q3' is 3; it must not be less than 'median', 4\.$/],
    [{ samples, min: 9 }, /^'q1' is 2; it must not be less than 'min', 9\.$/],
    [{ samples, max: 0 }, /^'max' is 0; it must not be less than 'q3', 6\.$/],
    [{ samples, mean: 100 }, /^'mean' is 100; it must be from 'min' to 'max'\.$/],
    [{ samples, stdev: -0.5 }, /^'stdev' is -0\.5; it must not be negative\.$/],
    [{ samples, noise: -0.5 }, /^'noise' is -0\.5; it must not be negative\.$/],
    [{ samples, n: 3 }, /^'n' is 3; it must be the number of samples, 8\.$/],
    [{ samples, max: 6, q3: 6 }, /^A sample is 7; it must be from 'min', 1, to 'max', 6\.$/],
    [{ verified: true, wrong: 3 }, /^'wrong' is 3; it must be 0, because 'verified' is not false\.$/],
    [{ verified: false, wrong: 0 }, /^'wrong' is 0; it must be more than 0, because 'verified' is false\.$/],
    [{ wrong: -1 }, /^'wrong' is -1; it must not be negative\.$/],
    [{ unit: 'GiB/s' }, /^'unit' is 'GiB\/s'; the unit of 'bandwidth' of transfer is 'GB\/s'\.$/],
    [{ side: 'left' }, /^'side' must be base or head or null, not "left"\.$/],
    [{ rounds: [1, 2, 3], n: 2 }, /^'n' is 2; it must not be less than the number of 'rounds'\.$/],
    [{ rounds: [[1, 2], [3, null]], n: 3 }, /^'n' is 3; it must not be less than the number of 'rounds'\.$/],
    ...[[[1, 2], 3], [1, [2, 3]], [[1], ['2']], [[1], [[2]]], [[1], null], ['1'], [{}], [[true]], [[], []]].map((rounds) =>
      [{ rounds, n: 9 }, /^'rounds' must be a list of blocks, which are lists of at least one number or null, or a list of numbers and null\.$/]),
    [{ peak: { value: 'high', what: 'x' } }, /^'peak\/value': 'value' must be a number, not "high"\.$/],
    [{ conditions: { sm_clock_mhz: 1, throttle: 'x', temperature_c: 1, power_w: 1 } }, /^'conditions\/throttle': 'throttle' must be a list of strings, not "x"\.$/],
    [{ kernel: { name: 'k', registers: -1, local_bytes: 0, shared_bytes: 0, blocks_per_multiprocessor: 1, occupancy: 1, block: 1 } }, /^'kernel\/registers': 'registers' must be an integer in digits of at least 0 or null, not -1\.$/],
    [{ position: 7 }, /^'position' is 7; the next measurement of the run is 0\.$/],
    [{ colour: 'red' }, /^'colour' is not a member that this version of gpulab knows\.$/],
  ];
  for (const [fields, message] of cases) assert.match(await refused(fields), message);
  assert.match(await refused({ stop_reason: undefined }), /^'stop_reason' is missing; it must be converged, noise-stable, drifting, sample-limit, budget or cancelled or null\.$/);
  assert.match(await refused({}, { measurement_count: 0 }), /^The run has more measurements than its 'measurement_count', 0\.$/);
  assert.match(await refused({}, { measurement_count: 2 }), /^The run has 1 measurements; its 'measurement_count' says 2\.$/);
});

test('rounds of blocks, and those of older versions without blocks, come out of an export as they were imported', async () => {
  const compare_with = { experiment: 'transfer', devices: [], parameters: { seed: 2 } };
  const all = [[[1, 2], [3, null]], [[1.25]], [1, 2.5, null], [], null];
  const lines = linesOf({ at: at(), compare_with }, all.flatMap((rounds, i) => ['base', 'head'].map((side) => ({ axes: { bytes: i }, side, rounds, n: 4 }))));
  assert.equal((await importInto(lab, lines)).json.imported, 1);
  const measured = (list) => list.filter(({ type, run }) => type === 'measurement' && run === lines[0].id).map(({ side, rounds }) => [side, rounds]);
  const exported = (await lab.get('/api/v1/export')).text.trim().split('\n').map((line) => JSON.parse(line));
  assert.deepEqual(measured(exported), measured(lines));
  const { measurements } = (await lab.get(`/api/v1/runs/${lines[0].id}/measurements`)).json;
  assert.deepEqual(measurements.map(({ side, rounds }) => [side, rounds]), measured(lines));
});

test('the headlines of a run are picked from its measurements by the rules of this version', async () => {
  const points = [4096, 1048576].map((bytes, i) => ({ axes: { direction: 'h2d', bytes }, samples: [50 - 10 * i], peak: { value: 80, what: 'the link' } }));
  const luckiest = [{ title: 'Fastest', metric: 'bandwidth', unit: 'GB/s', value: 50, axes: points[0].axes, lowest: false }];
  const headlineAfter = async (fields) => {
    const lines = linesOf({ at: at(), headline: luckiest, ...fields }, points);
    for (const [name, count] of [['imported', 1], ['skipped', 1]]) assert.equal((await importInto(lab, lines)).json[name], count, name);
    return (await lab.get(`/api/v1/runs/${lines[0].id}`)).json.headline;
  };
  const [picked, ...others] = await headlineAfter({});
  assert.deepEqual([picked, others], [{ title: 'Host to device', metric: 'bandwidth', unit: 'GB/s', value: 40, axes: points[1].axes, lowest: false, share: { title: 'Share of the link', value: 0.5 } }, []]);
  assert.deepEqual(await headlineAfter({ experiment: 'elsewhere.thing' }), luckiest, 'of an experiment that the lab does not have');
  assert.equal(await headlineAfter({ headline: null }), null);
});

test('an unknown experiment keeps its units, and numbers without a unit may be negative', async () => {
  for (const fields of [{ unit: 'furlongs' }, { metric: 'temperature', unit: '°C', samples: [-3, -2, -1] }]) {
    assert.equal((await importInto(lab, linesOf({ at: at(), experiment: 'elsewhere.thing' }, [fields]))).json.imported, 1, JSON.stringify(fields));
  }
  assert.match(await refused({ unit: 's', samples: [-3, -2, -1] }, { experiment: 'elsewhere.thing' }), /^'min' is -3; it must not be negative\.$/);
});

test('members of a run that no run can have are refused, and the runs beside it are added', async () => {
  const cases = [
    [{ devices: [5] }, /^'devices\/0': Each of 'devices' must be an object, not 5\.$/],
    [{ devices: [{ id: 5, name: 'x', node: null }] }, /^'devices\/0\/id': 'id' must be a string, not 5\.$/],
    [{ revision: -1 }, /^'revision' must be an integer in digits from 1 to 9007199254740991, not -1\.$/],
    [{ headline: [1] }, /^'headline\/0': Each of 'headline' must be an object, not 1\.$/],
    [{ error: { type: 5 } }, /^'error\/type': 'type' must be a string, not 5\.$/],
    [{ experiment: '' }, /^'experiment' must be a string of 1 to 64 characters, not ""\.$/],
    [{ tags: ['a', 'a'] }, /^'tags\/1': 'tags' must not have a value twice: "a"\.$/],
    [{ note: 'n'.repeat(5000) }, /^'note' must be a string of at most 4096 characters, not "n/],
    [{ requested_by: 'ada\r\nadmin' }, /^'requested_by' must have 1 to 64 bytes and no control characters, or be null\.$/],
    [{ environment: { a: JSON.parse('['.repeat(31) + ']'.repeat(31)) } }, /nested at most 32 levels deep/],
    [{ warnings: [1] }, /^'warnings\/0': Each of 'warnings' must be a string, not 1\.$/],
    [{ time_limit_s: -1 }, /^'time_limit_s' must be a number above 0 or null, not -1\.$/],
    [{ started_at: '2020-01-01T00:00:00Z' }, /^'started_at' must not be before 'created_at'\.$/],
    [{ created_at: '0001-01-01T00:00:00Z' }, /^'created_at' must not be before 1970\.$/],
    [{ created_at: 'yesterday' }, /^'created_at' must be an RFC 3339 time such as \S+ or a date such as \S+, not "yesterday"\.$/],
    [{ status: 'running' }, /^'status' must be succeeded, failed, cancelled or interrupted, not "running"\.$/],
    [{ favourite: true }, /^'favourite' is not a member that this version of gpulab knows\.$/],
  ];
  for (const [fields, message] of cases) {
    const good = [runLine({ at: at() }), runLine({ at: at() })], bad = { ...runLine({ at: at() }), ...fields };
    const { imported, errors } = await answerOf(textOf([good[0], bad, good[1]]));
    assert.equal(imported, 2, JSON.stringify(fields));
    assert.deepEqual(errors.map(({ line }) => line), [2]);
    assert.match(errors[0].detail, message);
  }
});

test('a faulty run is reported once, and what follows is read', async () => {
  const run = () => linesOf({ at: at() }, [1, 2, 3].map((bytes) => ({ axes: { direction: 'h2d', bytes }, samples })));
  const bad = run(), good = run(), after = run();
  bad[0].status = 'lost';
  assert.deepEqual((await answerOf(textOf([...bad, ...good]))).errors.map(({ line }) => line), [1]);
  assert.equal(await hasRun(good[0].id), true);
  const text = textOf([...after, ...run(), ...run()]).split('\n');
  text[7] = text[7].replace('"transfer"', 'NaN'); // the line of the second run
  text[10] = text[10].replace('"n":8', '"n":1e400');
  const { imported, errors } = await answerOf(text.join('\n'));
  assert.equal(imported, 2);
  assert.deepEqual(errors.map(({ line }) => line), [8], 'once, and no word of the number of runs');
  assert.match(errors[0].detail, /^The line is not JSON that can be imported: column \d+: invalid token near 'NaN'\.$/);
  const part = textOf(run()).split('\n');
  part[3] = '{"type":"measurement", ]';
  assert.deepEqual((await errorsOf(part.join('\n'))).map((each) => parseInt(each, 10)), [4]);
});

test('a point that a run has twice is refused: tables would show one of the two', async () => {
  const twice = (fields) => linesOf({ at: at() }, [{ axes: { bytes: 1, direction: 'h2d' }, samples }, { axes: { direction: 'h2d', bytes: 1 }, samples, ...fields }]);
  assert.deepEqual(await errorsOf(textOf(twice({}))), ['4: Measurement 1 has the axes and the metric of measurement 0.']);
  assert.deepEqual(await errorsOf(textOf(twice({ axes: { direction: 'h2d', bytes: 2 } }))), []);
  assert.deepEqual(await errorsOf(textOf(twice({ metric: 'time', unit: 's' }))), []);
});

// --- texts ----------------------------------------------------------------------------------------------------------

test('a byte order mark, CRLF, blank lines and gzip are taken', async () => {
  const forms = [(text) => `\uFEFF${text}`, (text) => text.replaceAll('\n', '\r\n'), (text) => text.replaceAll('\n', '\n\n  \n'), (text) => `\n${text}`, (text) => text.trimEnd(),
    (text) => gzipSync(text), (text) => Buffer.concat([gzipSync(text.slice(0, 700)), gzipSync(text.slice(700))]), (text) => gzipSync(`\uFEFF${text}`)];
  for (const form of forms) {
    const lines = linesOf({ at: at() }, [{ samples }]);
    assert.deepEqual(await answerOf(form(textOf(lines))), { imported: 1, completed: 0, skipped: 0, errors: [] }, String(form));
    assert.deepEqual(await samplesOf(lab, lines[0].id), [samples]);
  }
  assert.equal((await answerOf(gzipSync(textOf([runLine({ at: at() })])), { 'content-encoding': 'gzip' })).imported, 1);
});

test('a file that is something else is named once, with what is expected', async () => {
  const text = textOf(linesOf({ at: at() }, [{ samples }])), utf16 = Buffer.from(text, 'utf16le');
  const cases = [
    ['', /^1: The file is empty\./],
    ['\uFEFF\n', /^1: The file is empty\./],
    [' \n'.repeat(500), /^500: The file is empty\./],
    [Buffer.concat([Buffer.from([0xff, 0xfe]), utf16]), /^1: The file is in UTF-16/],
    [utf16, /^1: The file is in UTF-16/],
    [Buffer.concat([Buffer.from([0xfe, 0xff]), Buffer.from(utf16).swap16()]), /^1: The file is in UTF-16/],
    [Buffer.from(utf16).swap16(), /^1: The file is in UTF-16/],
    [JSON.stringify([{ a: 1 }], null, 2), /^1: The file is a JSON array\./],
    ['run_id,created_at,status\r\nx,y,z\r\n', /^1: The file is CSV, as 'gpulab export --csv' writes it/],
    ['a,b,c\n1,2,3\n', /^1: The file is not JSON, perhaps CSV: it begins with 'a,b,c'\./],
    ['nonsense\n', /^1: The file is not JSON: it begins with 'nonsense'\./],
    [JSON.stringify({ nvbandwidth: { testcases: [] } }, null, 4), /^1: The file is JSON, but not of gpulab/],
    ['{"a":1}\n{"a":2}\n{"a":3}\n', /^1: The file is JSON, but not of gpulab/],
    ['{\n  "a": 1,\n  "b": \n}\n', /^4: The file is neither JSON lines nor one JSON document: /],
    [Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0, 0]), /^1: The file is binary, or text that is not in UTF-8\./],
    [Buffer.from('caf\u00e9,b\n1,2\n', 'latin1'), /^1: The file is binary, or text that is not in UTF-8\./],
    ['PK\u0003\u0004rest', /^1: The file is a zip archive/],
    [Buffer.from('SQLite format 3\0'), /^1: The file is a database/],
    [gzipSync(gzipSync(text)), /^1: The file is gzip within gzip/],
  ];
  for (const [body, message] of cases) {
    const errors = await errorsOf(body);
    assert.equal(errors.length, 1, JSON.stringify(errors));
    assert.match(errors[0], message);
    assert.match(errors[0], /'gpulab import' takes the JSON lines of 'gpulab export', also as gzip, or the document of one run/);
  }
});

test('gzip that is cut, corrupt or a bomb is named, and the runs before it are whole', async () => {
  const whole = linesOf({ at: at() }, [{ samples }]), packed = gzipSync(textOf(whole));
  const corrupt = Buffer.from(packed);
  corrupt[corrupt.length - 6] ^= 0xff; // of the check sum
  const cases = [
    [packed.subarray(0, packed.length - 12), /^\d+: The gzip file is cut: it ends before its last member does, after \d+ bytes of text\.$/],
    [packed.subarray(0, 15), /The gzip file is cut/],
    [corrupt, /The gzip file is corrupt/],
    [Buffer.concat([packed, Buffer.from('and something else')]), /The gzip file is corrupt/],
    [gzipSync(Buffer.alloc(96 << 20, ' ')), /^1: The gzip file is compressed more than 250 to 1/],
  ];
  for (const [body, message] of cases) {
    const errors = await errorsOf(body);
    assert.equal(errors.length, 1, JSON.stringify(errors));
    assert.match(errors[0], message);
  }
  const plain = await answerOf(textOf(whole), { 'content-encoding': 'gzip' });
  assert.match(plain.errors[0].detail, /^The gzip file is corrupt, after 0 bytes of text\.$/);
});

test('depth, members that are there twice, long lines and other encodings name the line', async () => {
  const run = runLine({ at: at() }), deep = (depth) => JSON.stringify({ ...run, environment: '@' }).replace('"@"', `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`);
  const file = (line) => Buffer.concat([Buffer.from(textOf([runLine({ at: at() })]).split('\n')[0]), Buffer.from('\n'), Buffer.from(line), Buffer.from('\n{"type":"end","runs":2}\n')]);
  const latin = Buffer.from(JSON.stringify({ ...run, note: 'caf@' }));
  latin[latin.indexOf('@')] = 0xe9;
  const cases = [
    [deep(2000), /^2: .*nested at most 32 levels deep\.$/],
    [deep(31), /^2: .*nested at most 32 levels deep\.$/],
    [JSON.stringify(run).replace('"note"', '"id":"x","note"'), /^2: .*duplicate object key near '"id"'\.$/],
    [JSON.stringify({ ...run, note: 'x'.repeat(1 << 20) }), /^2: The line is longer than 1 MiB\.$/],
    [latin, /^2: .*unable to decode byte 0xe9/],
    [JSON.stringify({ ...run, ['n'.repeat(5000)]: 1 }), /^2: 'n{64}' is not a member/],
    [JSON.stringify(run).replace('1.5', '1e400'), /^2: .*too large a number/],
    [JSON.stringify(run).replace('1.5', '17000000000000000000'), /^2: .*too large a number/],
    [`${JSON.stringify(run)}\0 nonsense`, /^2: /],
  ];
  for (const [line, message] of cases) {
    const { imported, errors } = await answerOf(file(line));
    assert.equal(imported, 1);
    assert.deepEqual(errors.length, 1, JSON.stringify(errors));
    assert.match(`${errors[0].line}: ${errors[0].detail}`, message);
  }
  const first = Buffer.concat([latin, Buffer.from('\n'), Buffer.from(textOf([runLine({ at: at() })]).replace('"runs":1', '"runs":2'))]);
  const { imported, errors } = await answerOf(first);
  assert.deepEqual([imported, errors.map(({ line }) => line)], [1, [1]], 'also in the first line, and the other run is added');
  assert.equal((await answerOf(`${deep(29)}\n{"type":"end","runs":1}\n`)).imported, 1, 'as deep as is allowed');
});

// --- documents ------------------------------------------------------------------------------------------------------

test('the document of a run is imported, on one line or several, with samples where it has them', async (t) => {
  const run = await lab.complete({ ...small, min_samples: 8, max_samples: 8 }, { tags: ['document'], note: 'a note' });
  const place = new Place(t), file = join(place.folder, 'run.json');
  const shown = await place.gpulab(['show', run.id, '--json', '--server', `http://127.0.0.1:${lab.port}`]);
  assert.equal(shown.code, SUCCESS, shown.stderr);
  writeFileSync(file, shown.stdout);
  const imported = await place.gpulab(['import', file, '--db', place.database]);
  assert.equal(imported.code, SUCCESS, imported.stderr);
  assert.equal(imported.stdout, '1 runs imported, 0 were there already\n');
  const again = await place.gpulab(['show', run.id, '--json', '--db', place.database]);
  const without = ({ revision, ...rest }) => rest;
  assert.deepEqual(without(JSON.parse(again.stdout)), without(JSON.parse(shown.stdout)));
  const withSamples = { ...run, ...(await lab.get(`/api/v1/runs/${run.id}/measurements?samples=true`)).json };
  await withLab({}, async (second) => {
    assert.deepEqual((await importInto(second, JSON.stringify(run))).json, { imported: 1, completed: 0, skipped: 0, errors: [] });
    assert.deepEqual((await importInto(second, JSON.stringify(withSamples))).json, { imported: 0, completed: 1, skipped: 0, errors: [] });
    assert.deepEqual(await samplesOf(second, run.id), withSamples.measurements.map((each) => each.samples));
    assert.deepEqual((await importInto(second, (await lab.get(`/api/v1/export?samples=true&tag=document`)).text)).json, { imported: 0, completed: 0, skipped: 1, errors: [] });
    const wrong = structuredClone(run);
    wrong.id = idAt(at());
    wrong.measurements[1].q1 = -1;
    assert.deepEqual((await importInto(second, JSON.stringify(wrong))).json.errors.map(({ detail }) => detail), ["'measurements', item 2: 'q1' is -1; it must not be negative."]);
    wrong.measurements[1] = 5;
    assert.deepEqual((await importInto(second, JSON.stringify(wrong))).json.errors.map(({ detail }) => detail), ["'measurements/1': Each of 'measurements' must be an object, not 5."]);
    assert.match((await importInto(second, `${JSON.stringify(run)}\n${JSON.stringify(run)}\n`)).json.errors[0].detail, /^Nothing may follow the document of a run/);
  });
});

// --- runs that the lab has ------------------------------------------------------------------------------------------

test('a run that is there without samples is completed, once, and stays the same otherwise', async () => {
  const lines = linesOf({ at: at(), tags: ['x'] }, [{ samples }, { axes: { direction: 'd2h', bytes: 4096 }, samples: samples.map((each) => each / 3) }]);
  const bare = lines.filter(({ type }) => type !== 'samples').map(({ samples: _, ...line }) => line);
  assert.equal((await importInto(lab, bare)).json.imported, 1);
  const before = await lab.run(lines[0].id);
  assert.deepEqual((await importInto(lab, lines)).json, { imported: 0, completed: 1, skipped: 0, errors: [] });
  const completed = await lab.run(lines[0].id);
  assert.deepEqual(completed.measurements.map(({ shape }) => shape.outliers), [0, 0], 'the shape follows from the samples');
  for (const measurement of completed.measurements) measurement.shape = null;
  assert.deepEqual(completed, before);
  assert.deepEqual(await samplesOf(lab, lines[0].id), [samples, samples.map((each) => Number((each / 3).toPrecision(15)))]);
  assert.deepEqual((await importInto(lab, lines)).json, { imported: 0, completed: 0, skipped: 1, errors: [] });
  assert.deepEqual((await importInto(lab, bare)).json, { imported: 0, completed: 0, skipped: 1, errors: [] }, 'a file without samples takes none away');
  await lab.request('PATCH', `/api/v1/runs/${lines[0].id}`, { json: { pinned: true }, headers: { 'if-match': '*' } });
  await lab.request('PATCH', `/api/v1/runs/${lines[0].id}`, { json: { pinned: false }, headers: { 'if-match': '*' } });
  assert.equal((await importInto(lab, lines)).json.skipped, 1, 'the revision is that of this lab');
});

test('a time of creation that the lab moved, because a clock was set back, is no difference', async () => {
  const first = at(), second = new Date(first.getTime() + 1), created_at = (ms) => new Date(first.getTime() + ms).toISOString();
  const lines = [runLine({ at: first, created_at: created_at(500), started_at: created_at(500), finished_at: created_at(500) }),
    runLine({ at: second, created_at: created_at(200), started_at: created_at(300), finished_at: created_at(900) })];
  assert.equal((await importInto(lab, lines)).json.imported, 2);
  assert.notEqual((await lab.run(lines[1].id)).created_at, lines[1].created_at.replace('Z', '000Z'));
  assert.deepEqual((await importInto(lab, lines)).json, { imported: 0, completed: 0, skipped: 2, errors: [] });
  const time = at(), alone = runLine({ at: time });
  assert.equal((await importInto(lab, [alone])).json.imported, 1);
  const earlier = new Date(time.getTime() - 1).toISOString();
  assert.match((await importInto(lab, [{ ...alone, created_at: earlier }])).json.errors[0].detail, /'created_at' is 2026-\S+ there and 2026-\S+ in the file\.$/);
});

test('a run that is there and differs is not changed, and the first difference is named', async () => {
  const lines = linesOf({ at: at(), environment: { devices: [{ name: 'A' }] } }, [{}, { axes: { direction: 'd2h', bytes: 4096 }, samples }]);
  lines.push({ type: 'span', run: lines[0].id, lane: 'stream 1', kind: 'compute', label: 'x', axes: {}, start_ns: 0, end_ns: 5 });
  assert.equal((await importInto(lab, lines)).json.imported, 1);
  const before = (await lab.get('/api/v1/export?samples=true')).text;
  const changed = (change) => {
    const copy = structuredClone(lines);
    copy[1].samples = 1; // and samples that the lab does not have
    copy.splice(2, 0, { type: 'samples', run: copy[0].id, position: 0, first: 0, values: [1] });
    change(copy);
    return copy;
  };
  const cases = [
    [([run]) => { run.note = 'other'; }, /'note' is "" there and "other" in the file\.$/],
    [([run]) => { run.pinned = true; }, /'pinned' is false there and true in the file\.$/],
    [([run]) => { run.environment.devices[0].name = 'B'; }, /'environment\/devices\/0\/name' is "A" there and "B" in the file\.$/],
    [([run]) => { run.parameters = {}; }, /'parameters\/seed' is 1 there and missing in the file\.$/],
    [([, first]) => { first.stdev = 0.5; }, /measurement 0: 'stdev' is 0\.01 there and 0\.5 in the file\.$/],
    [([, , , second]) => { second.axes.bytes = 8192; }, /measurement 1: 'axes\/bytes' is 4096 there and 8192 in the file\.$/],
    [(copy) => { copy[4].values[2] = 3.5; }, /sample 2 of measurement 1 is 3 there and 3\.5 in the file\.$/],
    [(copy) => { copy[5].label = 'y'; }, /span 0: 'label' is "x" there and "y" in the file\.$/],
    [(copy) => { copy.splice(5, 1); }, /the number of spans is 1 there and 0 in the file\.$/],
  ];
  for (const [change, message] of cases) {
    const { imported, completed, skipped, errors } = (await importInto(lab, changed(change))).json;
    assert.deepEqual([imported, completed, skipped, errors.length], [0, 0, 0, 1], String(change));
    assert.ok(errors[0].detail.startsWith(`The lab has another run ${lines[0].id}: `), errors[0].detail);
    assert.match(errors[0].detail, message);
    assert.equal(errors[0].line, 1);
  }
  assert.equal((await lab.get('/api/v1/export?samples=true')).text, before);
  assert.equal((await importInto(lab, changed(() => {}))).json.completed, 1);
});

test('gpulab import of what cannot be read says so, and why', async (t) => {
  const place = new Place(t), missing = join(place.folder, 'missing');
  for (const [file, reason] of [[place.folder, 'Is a directory'], [missing, 'No such file or directory']]) {
    const { code, stderr } = await place.gpulab(['import', file, '--db', place.database]);
    assert.deepEqual([code, stderr], [USAGE, `gpulab: ${file}: cannot be read: ${reason}\n`]);
  }
});

test('gpulab import exits with 2 where a run was not added, also with --json', async (t) => {
  const place = new Place(t), file = join(place.folder, 'runs.jsonl');
  writeFileSync(file, textOf([runLine({ at: at() }), { ...runLine({ at: at() }), status: 'lost' }]));
  for (const options of [[], ['--json']]) {
    const command = await place.gpulab(['import', file, '--db', place.database, ...options]);
    assert.equal(command.code, USAGE, command.stdout);
  }
});
