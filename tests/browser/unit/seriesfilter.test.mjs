// Limiting the number of series in a chart by picking values of axes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { filterSeries } from '../../../static/modules/results/seriesfilter.js';

const IDS = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
const AXES = [
  { name: 'engine', title: 'Moved by' },
  { name: 'source', title: 'From', values: new Map(IDS.map((id) => [id, id])) },
  { name: 'target', title: 'To', values: new Map(IDS.map((id) => [id, id])) },
  { name: 'bytes', title: 'Size' },
];
const pairs = (engines, ids = IDS) =>
  engines.flatMap((engine) =>
    ids.flatMap((source) =>
      ids.filter((target) => target !== source).map((target) => ({ axes: { engine, source, target, bytes: 4 } })),
    ),
  );
const picksOf = ({ picks }) => Object.fromEntries(picks.map(({ axis, value }) => [axis.name, value]));

test('all series are shown if they are few', () => {
  const list = pairs(['copy', 'sm'], IDS.slice(0, 4));
  const { picks, measurements } = filterSeries(list, AXES, 'bytes', new Map(), {});
  assert.deepEqual(picks, []);
  assert.equal(measurements, list);
});

test('with many series, axes of devices are limited first, and no more axes than necessary', () => {
  const found = filterSeries(pairs(['copy', 'sm']), AXES, 'bytes', new Map(), {});
  assert.deepEqual(picksOf(found), { engine: null, source: 'a', target: null });
  assert.equal(found.measurements.length, 14);
  assert.deepEqual(
    found.picks.map(({ values }) => values.length),
    [2, 8, 8],
  );
});

test('picks of the user take precedence', () => {
  const list = pairs(['copy', 'sm']);
  const found = filterSeries(
    list,
    AXES,
    'bytes',
    new Map([
      ['source', null],
      ['engine', 'sm'],
    ]),
    {},
  );
  assert.deepEqual(picksOf(found), { engine: 'sm', source: null, target: 'b' });
  assert.ok(found.measurements.every(({ axes }) => axes.engine === 'sm' && axes.target === 'b'));
  const all = new Map(AXES.map(({ name }) => [name, null]));
  assert.equal(
    filterSeries(list, AXES, 'bytes', all, {}).measurements.length,
    list.length,
    'the user can select all values',
  );
});

const emptyOf = ({ picks }) => Object.fromEntries(picks.map(({ axis, empty }) => [axis.name, empty]));

test('a pick of the user is never combined with an automatic pick that excludes it', () => {
  const list = pairs(['copy', 'sm', 'both']);
  const found = filterSeries(list, AXES, 'bytes', new Map([['target', 'a']]), {});
  assert.equal(found.measurements.length, 21, 'the pick of the user leaves few enough series: no source is picked');
  const many = pairs(['1', '2', '3', '4', '5', '6']);
  const other = filterSeries(many, AXES, 'bytes', new Map([['target', 'a']]), {});
  assert.deepEqual(picksOf(other), { engine: null, source: 'b', target: 'a' });
  assert.equal(other.measurements.length, 6);
  assert.deepEqual(emptyOf(other), { engine: [], source: ['a'], target: [] }, 'the source was not picked by the user');
});

test('values that were not measured under the user’s other picks are returned as empty', () => {
  const list = pairs(['copy', 'sm']).map((one) =>
    one.axes.engine === 'sm' && one.axes.source === 'b' ? { ...one, skipped: 'no way' } : one,
  );
  const found = filterSeries(list, AXES, 'bytes', new Map([['source', 'b']]), {});
  assert.deepEqual(emptyOf(found), { engine: ['sm'], source: [], target: ['b'] });
  assert.deepEqual(emptyOf(filterSeries(list, AXES, 'bytes', new Map(), {})), { engine: [], source: [], target: [] });
  const first = filterSeries(
    list.map((one) => (one.axes.source === 'a' ? { ...one, skipped: 'no way' } : one)),
    AXES,
    'bytes',
    new Map(),
    {},
  );
  assert.equal(picksOf(first).source, 'b', 'a value without measurements is not selected');
});

test('measurements without the axis are always kept', () => {
  const sums = ['copy', 'sm'].map((engine) => ({ axes: { engine, bytes: 4 } }));
  const { measurements } = filterSeries([...pairs(['copy', 'sm']), ...sums], AXES, 'bytes', new Map(), {});
  assert.equal(measurements.filter(({ axes }) => !('source' in axes)).length, 2);
});

// --- lines
// ------------------------------------------------------------------------------------------------------------

const KERNELS = ['global', 'aggregated', 'shared', 'shared-per-warp', 'known'];
const ATOMIC_AXES = ['variant', 'type', 'distribution', 'addresses'].map((name) => ({ name, title: name }));
const atomic = KERNELS.flatMap((variant) => ['int32', 'fp32'].flatMap((type) => ['uniform', 'skewed'].flatMap((distribution) =>
  [1, 4].map((addresses) => ({ axes: { variant, type, distribution, addresses } })))));
const linesOf = (list, axes, chosen = [], headline = {}) => filterSeries(list, axes, 'addresses', new Map(chosen), {}, { lines: true, headline });

test('a chart of many lines begins with one value of the axes that have the fewest', () => {
  assert.deepEqual(picksOf(linesOf(atomic, ATOMIC_AXES)), { variant: null, type: 'int32', distribution: 'uniform' });
  assert.equal(linesOf(atomic, ATOMIC_AXES).measurements.length, KERNELS.length * 2);
  assert.deepEqual(filterSeries(atomic, ATOMIC_AXES, 'addresses', new Map(), {}).picks, [], 'bars are not limited');
});

test('a chart of many lines begins with the values of the first headline where they were measured', () => {
  const headline = { variant: 'shared', type: 'fp32', distribution: 'unknown', addresses: 4 };
  assert.deepEqual(picksOf(linesOf(atomic, ATOMIC_AXES, [], headline)), { variant: null, type: 'fp32', distribution: 'uniform' });
  assert.deepEqual(picksOf(linesOf(atomic, ATOMIC_AXES, [['type', 'int32']], headline)).type, 'int32', 'what the user picks comes first');
  const devices = filterSeries(pairs(['copy', 'sm']), AXES, 'bytes', new Map(), {}, { headline: { source: 'c' } });
  assert.equal(picksOf(devices).source, 'c');
});

test('what the user picks changes no other pick', () => {
  assert.deepEqual(picksOf(linesOf(atomic, ATOMIC_AXES, [['type', 'fp32']])), { variant: null, type: 'fp32', distribution: 'uniform' });
  assert.deepEqual(picksOf(linesOf(atomic, ATOMIC_AXES, [['type', null], ['distribution', null]])), { variant: null, type: null, distribution: null });
  assert.equal(linesOf(atomic, ATOMIC_AXES, [['type', null], ['distribution', null]]).measurements.length, atomic.length);
});

test('an axis is not limited where too few lines would be left', () => {
  const steps = Array.from({ length: 12 }, (_, at) => ({ axes: { variant: `step-${at}`, addresses: 1 } }));
  assert.deepEqual(linesOf(steps, ATOMIC_AXES).picks, []);
});

test('a pick has measurements under the picks of the user', () => {
  const list = [...atomic.filter(({ axes }) => axes.variant !== 'known' || axes.type === 'fp32')];
  const found = linesOf(list, ATOMIC_AXES, [['variant', 'known']]);
  assert.ok(found.measurements.length > 0);
  assert.deepEqual(picksOf(found), { variant: 'known', type: 'fp32', distribution: null });
});
