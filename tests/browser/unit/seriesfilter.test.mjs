// Views of more series than can be told apart.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { narrow } from '../../../static/modules/seriesfilter.js';

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

test('few series are all shown', () => {
  const list = pairs(['copy', 'sm'], IDS.slice(0, 4));
  const { picks, measurements } = narrow(list, AXES, 'bytes', new Map(), {});
  assert.deepEqual(picks, []);
  assert.equal(measurements, list);
});

test('of many, devices are picked first, and no more than it takes', () => {
  const found = narrow(pairs(['copy', 'sm']), AXES, 'bytes', new Map(), {});
  assert.deepEqual(picksOf(found), { engine: null, source: 'a', target: null });
  assert.equal(found.measurements.length, 14);
  assert.deepEqual(
    found.picks.map(({ values }) => values.length),
    [2, 8, 8],
  );
});

test('a person’s picks go before', () => {
  const list = pairs(['copy', 'sm']);
  const found = narrow(
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
  assert.equal(narrow(list, AXES, 'bytes', all, {}).measurements.length, list.length, 'all of them, when asked for');
});

const emptyOf = ({ picks }) => Object.fromEntries(picks.map(({ axis, empty }) => [axis.name, empty]));

test('what a person picks is never shown beside a pick that excludes it', () => {
  const list = pairs(['copy', 'sm', 'both']);
  const found = narrow(list, AXES, 'bytes', new Map([['target', 'a']]), {});
  assert.equal(found.measurements.length, 21, 'few enough: no source is picked');
  const many = pairs(['1', '2', '3', '4', '5', '6']);
  const other = narrow(many, AXES, 'bytes', new Map([['target', 'a']]), {});
  assert.deepEqual(picksOf(other), { engine: null, source: 'b', target: 'a' });
  assert.equal(other.measurements.length, 6);
  assert.deepEqual(emptyOf(other), { engine: [], source: ['a'], target: [] }, 'the source was not the person’s');
});

test('values that were not measured under a person’s other picks are told', () => {
  const list = pairs(['copy', 'sm']).map((one) =>
    one.axes.engine === 'sm' && one.axes.source === 'b' ? { ...one, skipped: 'no way' } : one,
  );
  const found = narrow(list, AXES, 'bytes', new Map([['source', 'b']]), {});
  assert.deepEqual(emptyOf(found), { engine: ['sm'], source: [], target: ['b'] });
  assert.deepEqual(emptyOf(narrow(list, AXES, 'bytes', new Map(), {})), { engine: [], source: [], target: [] });
  const first = narrow(
    list.map((one) => (one.axes.source === 'a' ? { ...one, skipped: 'no way' } : one)),
    AXES,
    'bytes',
    new Map(),
    {},
  );
  assert.equal(picksOf(first).source, 'b', 'none is picked where nothing was measured');
});

test('what has no such axis is never picked out', () => {
  const sums = ['copy', 'sm'].map((engine) => ({ axes: { engine, bytes: 4 } }));
  const { measurements } = narrow([...pairs(['copy', 'sm']), ...sums], AXES, 'bytes', new Map(), {});
  assert.equal(measurements.filter(({ axes }) => !('source' in axes)).length, 2);
});
