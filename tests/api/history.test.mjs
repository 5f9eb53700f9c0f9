// What the history says: comparisons, series, and what is normal. The runs are made up and imported.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { idAt, importInto, linesOf } from '../harness/exports.mjs';
import { execute, Lab, small } from '../harness/lab.mjs';

const hour = (n) => new Date(Date.UTC(2026, 0, 1) + n * 3600e3);

/** Samples around a value, whose order and spread are the same for every value. */
const around = (value, count = 60) => Array.from({ length: count }, (_, i) => value * (1 + 0.001 * (((i * 37) % 60) / 60 - 0.5)));

const point = (axes, value, fields = {}) => ({ axes, samples: around(value), ...fields });
const two = (axes, value) => [point(axes, value), point(axes, 1 / value, { metric: 'time', unit: 's' })];

/** As many earlier runs as a comparison uses; each measures `measurementsOf(share)`, where the share is about 1. */
const earlier = (measurementsOf) => Array.from({ length: 28 }, (_, i) => measurementsOf(1 + 0.0002 * ((i % 3) - 1)));

/** Two rounds for each of `count` blocks around a value; the order of `turn` differs from that of the other side. */
const blocks = (value, turn = 0, count = 8) => Array.from({ length: count }, (_, i) => [1, -1].map((sign) => value * (1 + 0.0005 * (((i * 3 + turn) % count) / count + 0.1 * sign - 0.5))));

let lab, n = 0;
before(async () => (lab = await Lab.start()));
after(() => lab.close());

/** Imports runs, one for each list of measurements, an hour apart; returns their ids. */
async function add(model, runs, fields = () => ({})) {
  const first = n, devices = [{ id: `id of ${model}`, name: model, node: null }];
  const lines = runs.flatMap((measurements, i) => linesOf({ at: hour(n++), devices, ...fields(i) }, measurements));
  const answer = await importInto(lab, lines);
  assert.deepEqual(answer.json, { imported: runs.length, completed: 0, skipped: 0, errors: [] });
  return runs.map((_, i) => idAt(hour(first + i)));
}

const compare = async (query) => (await lab.get(`/api/v1/compare?${new URLSearchParams(query)}`)).json;
const series = async (axes, query = {}) => lab.get(`/api/v1/series?${new URLSearchParams({ experiment: 'transfer', metric: 'bandwidth', axes: JSON.stringify(axes), ...query })}`);

/** A value for each run, that varies a little. */
const steady = (value, count) => Array.from({ length: count }, (_, i) => value * (1 + 0.002 * (((i * 7) % 5) - 2) / 2));

test('a comparison has a verdict for each point, decided by one metric', async () => {
  const [base, head] = (await add('A', [
    ...earlier((share) => [1, 2, 3].flatMap((bytes) => two({ bytes }, 10 * share))),
    [...two({ bytes: 1 }, 10), ...two({ bytes: 2 }, 10), ...two({ bytes: 3 }, 10), point({ bytes: 4 }, 10)],
    [...two({ bytes: 3 }, 9), ...two({ bytes: 1 }, 10.001), ...two({ bytes: 2 }, 11), point({ bytes: 5 }, 10), point({ bytes: 6 }, 10)],
  ])).slice(-2);
  const found = await compare({ base, head });
  assert.deepEqual([found.base.id, found.head.id], [base, head]);
  assert.deepEqual(found.summary, { faster: 1, slower: 1, same: 1, unclear: 0 });
  assert.deepEqual(found.only_base, { count: 1, axes: [{ bytes: 4 }] });
  assert.deepEqual(found.only_head, { count: 2, axes: [{ bytes: 5 }, { bytes: 6 }] });
  const rows = found.points.map(({ axes, metric, verdict }) => [axes.bytes, metric, verdict]);
  assert.deepEqual(rows, [[3, 'bandwidth', 'slower'], [3, 'time', null], [1, 'bandwidth', 'same'], [1, 'time', null], [2, 'bandwidth', 'faster'], [2, 'time', null]]);
  const [slower, time] = found.points;
  assert.ok(Math.abs(slower.ratio - 0.9) < 1e-3 && slower.low < slower.ratio && slower.ratio < slower.high && slower.high < 0.99);
  assert.ok(Math.abs(time.ratio - 1 / 0.9) < 1e-3);
  assert.deepEqual([slower.method, slower.reason, time.low, time.method], ['samples-and-history', null, null, null]);
  assert.deepEqual([found.verdict, found.minimum_effect, slower.needed, time.detectable, time.reason], ['slower', 0.01, null, null, null]);
  assert.ok(slower.detectable > 0.01 && slower.detectable < 0.2, `${slower.detectable}`);
  assert.deepEqual((await compare({ base: head, head: base })).summary, { faster: 1, slower: 1, same: 1, unclear: 0 });
  const coarse = await compare({ base, head, minimum_effect: 0.2 });
  assert.deepEqual([coarse.summary, coarse.verdict, coarse.minimum_effect], [{ faster: 0, slower: 0, same: 3, unclear: 0 }, 'same', 0.2]);
});

test('without five other runs of the point two runs are unclear, and the reason says what is missing', async () => {
  const ids = await add('no history', Array.from({ length: 4 }, (_, i) => [point({ bytes: 1 }, i === 3 ? 5 : 10)]));
  const compared = await compare({ base: ids[2], head: ids[3] }), { points: [few] } = compared;
  assert.deepEqual([compared.verdict, few.verdict, few.method, few.detectable, few.needed], ['unclear', 'unclear', 'samples', null, null]);
  assert.ok(few.high < 0.51, 'the ratio has its interval');
  assert.match(few.reason, /how much runs of this point vary: 5 others show it, or a comparison .*\(compare_with\)/);
  const [, , seventh] = await add('no history', Array.from({ length: 3 }, () => [point({ bytes: 1 }, 10)]));
  const { points: [enough] } = await compare({ base: ids[2], head: seventh });
  assert.deepEqual([enough.method, enough.needed], ['samples-and-history', null]);
  assert.ok(enough.detectable > 0.01, `${enough.detectable}`);
});

test('of a time, lower is faster', async () => {
  const fields = { metric: 'latency', unit: 's' };
  const at = (value) => [point({ bytes: 1 }, value, fields)];
  const [base, head] = (await add('B', [...earlier((share) => at(1e-6 * share)), at(1e-6), at(2e-6)])).slice(-2);
  assert.deepEqual((await compare({ base, head })).points.map(({ verdict }) => verdict), ['slower']);
});

test('the variation of earlier runs widens the interval', async () => {
  const values = [10, 10.8, 9.7, 10.5, 9.6, 10.4, 9.8, 10.6];
  const ids = await add('C', values.map((value) => [point({ bytes: 1 }, value)]));
  const { points: [found] } = await compare({ base: ids.at(-2), head: ids.at(-1) });
  assert.deepEqual([found.verdict, found.method], ['unclear', 'samples-and-history']);
  assert.ok(found.low < 1 && found.high > 1.2);
  assert.ok(found.reason.length > 0);
});

test('results that are wrong and points without samples are unclear, and the reason says so', async () => {
  const [base, head] = await add('D', [
    [point({ bytes: 1 }, 10), { axes: { bytes: 2 } }],
    [point({ bytes: 1 }, 20, { verified: false, wrong: 7 }), { axes: { bytes: 2 } }],
  ]);
  const found = await compare({ base, head });
  assert.deepEqual(found.points.map(({ verdict }) => verdict), ['unclear', 'unclear']);
  assert.equal(found.points[0].reason, 'the results of the head are wrong');
  assert.equal(found.points[1].reason, 'neither side has its samples');
  assert.deepEqual(found.samples_missing, { base: 1, head: 1 });
  assert.deepEqual(found.warnings, ['1 results of head are wrong']);
});

test('three samples are too few, and the reason says only that', async () => {
  const three = (value) => [{ axes: { bytes: 1 }, samples: [value, value * 1.01, value * 0.99] }], [base, head] = await add('few', [three(100), three(50)]);
  const { points: [found] } = await compare({ base, head });
  assert.deepEqual([found.verdict, found.reason], ['unclear', 'a side has too few values: 6 are needed']);
});

// A list of one value equals the value.
test('environment, other hardware, throttling, contention and parameters are pointed out', async () => {
  const environment = (driver) => ({ devices: [], machine: { kernel: '6.1', hostname: 'x' }, build: { version: driver } });
  const conditions = { sm_clock_mhz: 1980, throttle: ['power-cap', 'thermal'], temperature_c: 50, power_w: 700 };
  const [base] = await add('E', [[point({ bytes: 1 }, 10)]], () => ({ environment: environment('1'), parameters: { seed: 1, cache: 'warm' } }));
  const [head] = await add('F', [[point({ bytes: 1 }, 10, { conditions })]], () => ({ environment: environment('2'), contended: true, parameters: { seed: 2, cache: ['warm'] } }));
  const found = await compare({ base, head });
  assert.deepEqual(found.environment.map(({ path, base: before, head: now }) => [path, before, now]), [['/build/version', '1', '2']]);
  assert.deepEqual(found.warnings, [
    'other hardware: base ran on E, head on F', 'head was contended: another process used a device', 'head was throttled (thermal) in 1 measurements', 'the parameters differ: seed',
  ]);
});

test('"pinned" is the newest pinned run with the same experiment, model and a common point', async () => {
  const pinned = (i) => ({ pinned: i !== 3 });
  const ids = await add('G', [[point({ bytes: 1 }, 10)], [point({ bytes: 1 }, 10)], [point({ bytes: 9 }, 10)], [point({ bytes: 1 }, 10)]], pinned);
  await add('H', [[point({ bytes: 1 }, 10)]], () => ({ pinned: true }));
  assert.equal((await compare({ base: 'pinned', head: ids[3] })).base.id, ids[1]);
  assert.equal((await compare({ base: 'pinned', head: ids[1] })).base.id, ids[0]);
  assert.equal((await lab.get(`/api/v1/compare?base=pinned&head=${ids[2]}`)).status, 404);
});

test('what cannot be compared is refused with a pointer', async () => {
  const [base] = await add('I', [[point({ bytes: 1 }, 10)]]);
  const [stream] = await add('I', [[point({ bytes: 1 }, 10)]], () => ({ experiment: 'stream' }));
  const pointers = async (query) => {
    const answer = await lab.get(`/api/v1/compare?${new URLSearchParams(query)}`);
    return answer.status === 422 ? answer.json.errors.map(({ pointer }) => pointer) : answer.status;
  };
  assert.deepEqual(await pointers({ base, head: stream }), ['/query/head']);
  assert.deepEqual(await pointers({ base, head: base }), ['/query/head']);
  assert.deepEqual(await pointers({ base }), ['/query']);
  assert.deepEqual(await pointers({}), ['/query']);
  assert.deepEqual(await pointers({ base, head: stream, run: base }), ['/query']);
  assert.deepEqual(await pointers({ run: base }), ['/query/run']);
  assert.equal(await pointers({ base, head: 'nonsense' }), 404);
  assert.equal(await pointers({ base: 'nonsense', head: base }), 404);
});

const compares = () => ({ compare_with: { experiment: 'transfer', devices: [], parameters: { seed: 2 } } });
/** A pair of measurements, one of each side; the fields of the head are `fields`, too. */
const pair = (bytes, base, head, fields = {}) => [['base', base], ['head', head]].map(([side, rounds]) => ({ axes: { bytes }, side, rounds, ...fields }));

test('the sides of a run are compared by their blocks', async () => {
  const side = (name, value, fields = {}) => ({ axes: { bytes: 1 }, side: name, rounds: blocks(value, name === 'base' ? 0 : 4), ...fields });
  const time = { metric: 'time', unit: 's' };
  const [run] = await add('J', [[
    side('base', 10), side('base', 0.1, time), side('head', 12), side('head', 1 / 12, time),
    side('base', 10, { axes: { bytes: 2 } }), side('head', 9, { axes: { bytes: 2 } }),
    side('base', 5, { axes: { bytes: 3 } }), side('head', 10, { axes: { bytes: 4 }, skipped: 'no memory' }),
  ]], compares);
  const found = await compare({ run });
  assert.deepEqual(found.points.map(({ axes, metric, verdict, method }) => [axes.bytes, metric, verdict, method]), [
    [1, 'bandwidth', 'faster', 'blocks'], [1, 'time', null, null], [2, 'bandwidth', 'slower', 'blocks']]);
  assert.deepEqual([found.verdict, found.summary], ['slower', { faster: 1, slower: 1, same: 0, unclear: 0 }]);
  assert.ok(Math.abs(found.points[0].ratio - 1.2) < 1e-3);
  const [{ detectable, needed, reason }, time_] = found.points;
  assert.ok(detectable > 0.01 && detectable < 0.02, `${detectable}`);
  assert.deepEqual([needed, reason, time_.detectable, time_.needed, time_.reason], [null, null, null, null, null]);
  assert.deepEqual([found.base.parameters, found.head.parameters], [{ seed: 2 }, { seed: 1 }]);
  assert.deepEqual([found.only_base.count, found.only_head.count], [1, 0]);
});

test('the measurements of a point of both sides are compared in their order, by the direction of their metric', async () => {
  const side = (name, bytes, value, fields = {}) => ({ axes: { bytes }, side: name, rounds: blocks(value, name === 'base' ? 0 : 4), ...fields });
  const time = { metric: 'time', unit: 's' }, imbalance = { metric: 'imbalance', unit: '1' };
  const [run] = await add('J2', [[
    side('base', 1, 1, time), side('base', 2, 2, time), side('head', 1, 1, time), side('head', 2, 2, time),
    side('base', 3, 10), side('head', 3, 10, time), side('base', 4, 10, time), side('head', 4, 10),
    side('base', 5, 1, { rounds: [...blocks(1), [1000, 1000]] }), side('head', 5, 1),
    side('base', 6, 1, imbalance), side('head', 6, 2, imbalance),
  ]], compares);
  const found = await compare({ run });
  assert.deepEqual(found.points.map(({ axes, metric, verdict }) => [axes.bytes, metric, verdict]), [
    [1, 'time', 'same'], [2, 'time', 'same'], [5, 'bandwidth', 'same'], [6, 'imbalance', 'slower']]);
  assert.deepEqual([found.only_base.axes, found.only_head.axes], [[{ bytes: 3 }, { bytes: 4 }], [{ bytes: 3 }, { bytes: 4 }]]);
  const shown = await execute('gpulab', ['show', run, '--server', lab.address]);
  assert.match(shown.stdout, /^4 points: 1 slower, 0 faster, 3 same, 0 unclear; together slower$/m);
  assert.match(shown.stdout, / 2\.000 .* slower$/m);
});

test('the verdict of a comparison is slower, faster, unclear or same, whichever of its points comes first in this order', async () => {
  const slower = pair(1, blocks(10), blocks(9, 4)), faster = pair(2, blocks(10), blocks(11, 4)), same = pair(3, blocks(10), blocks(10, 4)), unclear = pair(4, blocks(10, 0, 2), blocks(10, 0, 2));
  for (const [word, points] of [['slower', [faster, slower, unclear, same]], ['faster', [unclear, faster, same]], ['unclear', [same, unclear]], ['same', [same]], ['unclear', []]]) {
    const [run] = await add(`all ${word} ${points.length}`, [points.flat()], compares), found = await compare({ run });
    assert.deepEqual([found.verdict, found.points.length], [word, points.length]);
  }
});

test('points that need more blocks say how many times as much time would decide them', async () => {
  const wide = (value, sign) => blocks(value).map((rounds, i) => rounds.map((round) => round * (1 + (i % 2 ? sign : -sign) * 0.02)));
  const [run] = await add('J3', [[
    ...pair(1, blocks(10, 0, 2), blocks(10, 0, 2)), ...pair(2, wide(10, 1), wide(10, -1)), ...pair(3, blocks(10), blocks(10)),
  ]], compares);
  const { points: [few, uncertain, equal] } = await compare({ run });
  assert.deepEqual([few.verdict, few.low, few.detectable, few.needed], ['unclear', null, null, 4]);
  assert.match(few.reason, /fewer than 3 blocks/);
  assert.equal(uncertain.verdict, 'unclear');
  assert.ok(uncertain.needed > 1 && uncertain.detectable > 0.05, JSON.stringify(uncertain));
  assert.deepEqual([equal.verdict, equal.ratio, equal.low, equal.high, equal.needed], ['same', 1, 1, 1, null], 'blocks that do not vary');
});

test('where the results are wrong, or no block is whole, more time is not said to help', async () => {
  const few = blocks(10, 0, 2), wrong = pair(1, few, few).map((each) => (each.side === 'head' ? { ...each, verified: false, wrong: 1 } : each));
  const [run] = await add('J5', [[...wrong, ...pair(2, [], [], { n: 1 })]], compares);
  assert.deepEqual((await compare({ run })).points.map(({ verdict, reason, needed }) => [verdict, reason, needed]), [
    ['unclear', 'the results of the head are wrong', null], ['unclear', 'the time was not enough for a block, or the value was measured outside of blocks', null]]);
});

test('a headline that is computed from other values does not decide', async () => {
  const time = { metric: 'time', unit: 's' }, speedup = { metric: 'speedup', unit: '1', stop_reason: null }, axes = { bytes: 1 };
  const fields = () => ({ experiment: 'scaling' });
  const [run] = await add('J6', [[...pair(1, blocks(1), blocks(1, 4), time), ...pair(1, null, null, speedup)]], () => ({ ...fields(), ...compares() }));
  const alone = (value) => [point(axes, value, time), { axes, ...speedup }];
  const [base, head] = (await add('J7', [...earlier((share) => alone(share)), alone(1), alone(1)], fields)).slice(-2);
  for (const query of [{ run }, { base, head }]) {
    const { points } = await compare(query);
    assert.deepEqual(points.map(({ metric, verdict, ratio }) => [metric, verdict, ratio > 0]), [['time', 'same', true], ['speedup', null, true]]);
  }
});

test('values that were not measured in blocks have a ratio and no verdict; those of older versions are unclear, and the reason says so', async () => {
  const flat = (value) => blocks(value).flat();
  const [run] = await add('J4', [[...pair(1, flat(10), flat(5)), ...pair(2, null, null, { metric: 'phase_time', unit: 's' })]], compares);
  const found = await compare({ run }), [older, outside] = found.points;
  assert.deepEqual([found.verdict, found.summary], ['unclear', { faster: 0, slower: 0, same: 0, unclear: 1 }]);
  assert.deepEqual([older.verdict, older.method, older.low, older.detectable, older.needed], ['unclear', 'blocks', null, null, null]);
  assert.match(older.reason, /^an older version measured it with the memory of each side in one place.*: measure it again$/);
  assert.deepEqual([outside.verdict, outside.method, outside.reason, outside.ratio], [null, null, null, 1]);
});

test('a series has the runs of a point, newest first, in pages', async () => {
  const axes = { direction: 'h2d', bytes: 100 }, values = steady(10, 25);
  const ids = await add('K', values.map((value) => [point(axes, value)]), (i) => ({ pinned: i === 4, contended: i === 24, environment: { build: { version: i < 20 ? '1' : '2' } } }));
  const { json: found } = await series({ bytes: 100, direction: 'h2d' }, { limit: 10 });
  assert.deepEqual([found.point.axes, found.point.better, found.model], [axes, 'higher', 'K']);
  assert.deepEqual(found.values.map(({ run }) => run), ids.slice(15).reverse());
  assert.deepEqual(found.values.map(({ environment_changed: changed }) => changed).indexOf(true), 4, 'of run 20');
  assert.equal(found.values.filter((each) => each.environment_changed).length, 1);
  assert.deepEqual([found.values[0].contended, found.values[1].contended], [true, false]);
  assert.equal(found.baseline.run, ids[4]);
  assert.deepEqual(found.shifts, []);
  const { json: rest } = await series(axes, { limit: 20, before: found.next });
  assert.deepEqual(rest.values.map(({ run }) => run), ids.slice(0, 15).reverse());
  assert.equal(rest.next, null);
});

test('a series is cut at times, and its shifts stay those of the whole', async () => {
  const axes = { bytes: 150 }, values = [...steady(10, 20), ...steady(9, 15)], first = n;
  const ids = await add('T', values.map((value) => [point(axes, value)]));
  const at = (i) => hour(first + i).toISOString();
  const runs = async (query) => (await series(axes, query)).json.values.map(({ run }) => ids.indexOf(run));
  assert.deepEqual(await runs({ since: at(30) }), [34, 33, 32, 31, 30]);
  assert.deepEqual(await runs({ until: at(3) }), [2, 1, 0]);
  assert.deepEqual(await runs({ since: at(10), until: at(12) }), [11, 10]);
  assert.deepEqual(await runs({ since: at(35) }), []);
  assert.deepEqual(await runs({ until: at(0) }), []);
  assert.deepEqual(await runs({ until: '1970-01-01T00:00:00Z' }), []);
  const { shifts: [shift] } = (await series(axes, { limit: 1000 })).json, of = ids.indexOf(shift.run);
  assert.deepEqual((await series(axes, { since: at(of) })).json.shifts, [shift]);
  assert.deepEqual((await series(axes, { since: at(of + 1) })).json.shifts, []);
  const { json: page } = await series(axes, { since: at(20), limit: 10 }), { json: rest } = await series(axes, { since: at(20), limit: 10, before: page.next });
  assert.deepEqual([page.values.length, rest.values.length, rest.next], [10, 5, null]);
  assert.equal((await series(axes, { since: at(25), limit: 10 })).json.next, null, 'the page ends at the time');
  for (const name of ['since', 'until']) assert.equal((await series(axes, { [name]: 'yesterday' })).status, 422);
});

test('a lasting shift is found; wrong results and single bad runs are none', async () => {
  const axes = { bytes: 200 }, values = [...steady(10, 20), 5, ...steady(10, 9), ...steady(9, 10)];
  const ids = await add('L', values.map((value, i) => [point(axes, i === 35 ? 20 : value, i === 35 ? { verified: false, wrong: 1 } : {})]));
  const { json: found } = await series(axes, { limit: 1000 });
  assert.deepEqual(found.shifts.map(({ run }) => run), [ids[30]]);
  const [{ before, after: now, relative, p }] = found.shifts;
  assert.ok(Math.abs(before - 10) < 0.1 && Math.abs(now - 9) < 0.1 && Math.abs(relative + 0.1) < 0.01 && p < 0.01);
  assert.deepEqual((await series(axes, { limit: 12 })).json.shifts, found.shifts, 'the same from a page');
  assert.deepEqual((await series(axes, { limit: 5 })).json.shifts, [], 'it is not on this page');
});

test('a series says how many runs a first shift still needs; wrong results do not count', async () => {
  const axes = { bytes: 250 };
  const missing = async (query) => (await series(axes, query)).json.shift_runs_missing;
  await add('Q', [10, 10, 10].map((value, i) => [point(axes, value, i === 1 ? { verified: false, wrong: 1 } : {})]));
  assert.equal(await missing(), 6);
  await add('Q', steady(10, 6).map((value) => [point(axes, value)]));
  assert.deepEqual([await missing(), await missing({ limit: 1 })], [0, 0], 'the same from a page');
});

test('a value at the power limit is not throttled, in trends, answers and CSV', async () => {
  const axes = { bytes: 310 };
  const conditions = [null, [], ['power-cap'], ['power-cap', 'thermal']].map((throttle) =>
    throttle && { sm_clock_mhz: 1200, throttle, temperature_c: 60, power_w: 700 });
  await add('P', conditions.map((one) => [point(axes, 10, { conditions: one })]));
  const { values } = (await series(axes)).json;
  assert.deepEqual(values.map(({ throttled }) => throttled), [true, false, false, false], 'newest first');
  const answers = await Promise.all(values.map(({ run }) => lab.run(run)));
  assert.deepEqual(answers.map(({ measurements: [one] }) => one.conditions?.throttled_by ?? null), [['thermal'], [], [], null]);
  const csv = (await lab.get(`/api/v1/runs/${values[0].run}/measurements.csv`)).text.split('\r\n').map((line) => line.split(','));
  assert.equal(csv[1][csv[0].indexOf('throttled_by')], 'thermal');
  const [{ measurements: [measured], ...run }] = answers, id = idAt(hour(n++));
  const claimed = { ...measured, conditions: { ...measured.conditions, throttled_by: ['of another lab'] } };
  assert.equal((await importInto(lab, JSON.stringify({ ...run, id, measurements: [claimed] }))).json.imported, 1);
  assert.deepEqual((await lab.run(id)).measurements[0].conditions, measured.conditions, 'an import does not decide');
  assert.doesNotMatch((await lab.get('/api/v1/export')).text, /throttled_by/);
});

test('a series is that of one device model: of the newest run, or the one asked for', async () => {
  const axes = { bytes: 300 };
  const [old] = await add('M', [[point(axes, 10)]]), [current] = await add('N', [[point(axes, 20)]]);
  const runs = async (device) => (await series(axes, device ? { device } : {})).json.values.map(({ run }) => run);
  assert.deepEqual([await runs(), await runs('M'), await runs('id of M'), await runs('N')], [[current], [old], [old], [current]]);
  assert.equal((await series(axes, { device: 'O' })).status, 404);
  assert.equal((await series({ bytes: 301 })).status, 404);
  for (const text of ['[]', '7 ', '{"a":1,"a":2}', '{"a"']) {
    const answer = await lab.get(`/api/v1/series?experiment=transfer&metric=bandwidth&axes=${encodeURIComponent(text)}`);
    assert.deepEqual([answer.status, answer.json.errors[0].pointer], [422, '/query/axes'], text);
  }
});

test('runs that compare, and points that were skipped, are in no series', async () => {
  const axes = { bytes: 400 };
  const [kept] = await add('P', [[point(axes, 10)], [{ axes, skipped: 'no memory' }], [point(axes, 10, { side: 'base' }), point(axes, 10, { side: 'head' })]]);
  assert.deepEqual((await series(axes)).json.values.map(({ run }) => run), [kept]);
});

test('the points of an experiment are listed with their count and last value', async () => {
  const ids = await add('Q', [[point({ bytes: 1 }, 10)], [point({ bytes: 1 }, 11), point({ bytes: 2 }, 12, { metric: 'latency', unit: 's' })]], () => ({ experiment: 'peer' }));
  const list = async (query) => (await lab.get(`/api/v1/series/points?experiment=peer${query}`)).json;
  const all = await list('');
  assert.deepEqual(all.points.map(({ axes, metric, model, runs, last }) => [axes.bytes, metric, model, runs, last.run]), [[1, 'bandwidth', 'Q', 2, ids[1]], [2, 'latency', 'Q', 1, ids[1]]]);
  assert.equal(all.more, false);
  assert.deepEqual((await list('&metric=latency')).points.length, 1);
  assert.deepEqual((await list('&device=nothing')).points, []);
  const first = await list('&limit=1');
  assert.deepEqual([first.points.length, first.more], [1, true]);
});

test('normal: the headlines of a run in the history of their points, and published results', async () => {
  const axes = { memory: 'pinned', engine: 'copy', pattern: 'contiguous', opposing: false, direction: 'h2d', bytes: 268435456 };
  const headline = (value) => [{ title: 'Host to device', metric: 'bandwidth', unit: 'GB/s', value, axes, lowest: false }];
  const values = [...steady(55, 8), 44];
  const ids = await add('NVIDIA H200', values.map((value) => [point(axes, value)]), (i) => ({ headline: headline(values[i]) }));
  const normal = async (id) => (await lab.get(`/api/v1/runs/${id}/normal`)).json;
  const { model, headlines: [low] } = await normal(ids[8]);
  assert.deepEqual([model, low.title, low.verdict, low.better, low.history.runs, low.history.percentile], ['NVIDIA H200', 'Host to device', 'lower', false, 8, 0]);
  assert.ok(Math.abs(low.value - 44) < 0.01, `${low.value}`);
  assert.ok(low.history.low < 55 && low.history.high > 55 && low.history.low > 44);
  assert.ok(low.references.length > 0);
  for (const { value, share, system } of low.references) {
    assert.match(system, /^NVIDIA H200/);
    assert.ok(Math.abs(share - low.value / value) < 1e-9);
  }
  const { headlines: [usual] } = await normal(ids[7]);
  assert.deepEqual([usual.verdict, usual.better, usual.history.runs], ['as-usual', null, 7]);
  const { headlines: [first] } = await normal(ids[0]);
  assert.deepEqual([first.verdict, first.history.median, first.history.low], ['too-few', null, null]);
  assert.equal((await lab.get('/api/v1/runs/nonsense/normal')).status, 404);
});

test('a run of this lab has headlines, and is normal for itself', async () => {
  const run = await lab.complete(small);
  assert.equal(run.headline[0].title, 'Host to device');
  const { headlines } = (await lab.get(`/api/v1/runs/${run.id}/normal`)).json;
  assert.deepEqual(headlines.map(({ title, value }) => [title, value]), run.headline.map(({ title, value }) => [title, value]));
});

test('a series is cached until the store changes', async () => {
  const axes = { bytes: 500 };
  await add('R', [[point(axes, 10)]]);
  const first = await series(axes);
  assert.equal((await series(axes)).headers.etag, first.headers.etag);
  await add('R', [[point(axes, 10)]]);
  assert.equal((await series(axes)).json.values.length, 2);
});
