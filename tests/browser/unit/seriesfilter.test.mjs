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
