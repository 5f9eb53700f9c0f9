// Tables of coloured cells: which tables there are, their rows, columns and cells, the colour scale, the tables as
// text.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matricesTsv } from '../../../static/modules/results/charttext.js';
import { largestAsymmetry, matricesOf, rowTitleOf, scalePosition, symmetryText } from '../../../static/modules/results/matrix.js';

const DEVICES = ['a', 'b', 'c'].map((id, ordinal) => ({ id, ordinal, name: 'GPU', short: `#${ordinal}`, peers: [] }));
const AXES = ['pattern', 'peer_access', 'access', 'source', 'target'].map((name) => ({
  name,
  title: name,
  unit: null,
}));
const EXPERIMENT = { axes: AXES };
const VIEW = { name: 'bandwidth', kind: 'matrix', metric: 'bandwidth', x: 'target' };

const pair = (source, target, median, axes = {}, more = {}) => ({
  metric: 'bandwidth',
  unit: 'GB/s',
  axes: { pattern: 'pair', peer_access: true, access: 'read', ...axes, source, target },
  median,
  verified: true,
  wrong: 0,
  skipped: null,
  ...more,
});
const matrices = (list, view = VIEW) => matricesOf(view, list, EXPERIMENT, DEVICES);
const cell = ({ cells }, source, target) => cells.get(source)?.get(target)?.median;

test('measurements without a source or a target are left out', () => {
  const sum = { ...pair('a', 'b', 90), axes: { pattern: 'host-up', target: 'b' } };
  const { groups, rows, columns } = matrices([sum, pair('a', 'b', 10), pair('b', 'a', 11)]);
  assert.deepEqual([rows, columns], [DEVICES.map(({ id }) => id), DEVICES.map(({ id }) => id)]);
  assert.equal(groups.length, 1);
  assert.equal(groups[0].label, '');
  const [table] = groups[0].tables;
  assert.equal(table.label, '');
  assert.equal(cell(table, 'a', 'b'), 10);
  assert.equal(cell(table, 'b', 'a'), 11);
  assert.equal(cell(table, 'a', 'a'), undefined);
  assert.equal(cell(table, 'c', 'a'), undefined);
  assert.equal(table.oneWay, false);
});

test('there is a table for each combination of the varying axes, grouped by the first of them', () => {
  const list = [true, false].flatMap((peer_access) =>
    ['read', 'write'].flatMap((access) => [
      pair('a', 'b', 1, { peer_access, access }),
      pair('b', 'c', 2, { peer_access, access }),
    ]),
  );
  const { groups, constant, varying } = matrices(list);
  assert.deepEqual(
    groups.map(({ label, tables }) => [label, tables.map((table) => table.label)]),
    [
      ['peer access', ['reads', 'writes']],
      ['no peer access', ['reads', 'writes']],
    ],
  );
  assert.deepEqual(
    varying.map(({ name }) => name),
    ['peer_access', 'access'],
  );
  assert.deepEqual(
    constant.map(({ axis, value }) => [axis.name, value]),
    [['pattern', 'pair']],
  );
  assert.ok(groups[0].tables[0].oneWay, 'no pair was measured in both directions');
  const one = matrices(list.filter(({ axes }) => axes.access === 'read'));
  assert.deepEqual(
    one.groups.map(({ label, tables }) => [label, tables.map((table) => table.label)]),
    [['', ['peer access', 'no peer access']]],
    'if one axis varies, there is one group',
  );
});

test('a table skipped as a whole is listed with its reason, a skipped pair keeps its cell', () => {
  const skippedPair = (source, target, axes) => pair(source, target, null, axes, { skipped: 'no way', verified: null });
  const list = [
    pair('a', 'b', 5, { access: 'write' }),
    skippedPair('b', 'a', { access: 'write' }),
    ...['a', 'b'].map((source) => skippedPair(source, source === 'a' ? 'b' : 'a', { access: 'read' })),
  ];
  const { groups } = matrices(list);
  assert.deepEqual(
    groups[0].tables.map(({ label }) => label),
    ['writes'],
  );
  assert.equal(groups[0].tables[0].cells.get('b').get('a').skipped, 'no way');
  assert.deepEqual(groups[0].skipped, [{ reason: 'no way', labels: ['reads'] }]);
});

test('a table skipped for several reasons has two of them', () => {
  const why = (...reasons) => {
    const read = reasons.map((skipped, at) => pair('abcd'[at], 'abcd'[at + 1], null, { access: 'read' }, { skipped, verified: null }));
    return matrices([pair('a', 'b', 5, { access: 'write' }), ...read]).groups[0].skipped;
  };
  assert.deepEqual(why('slow', 'old'), [{ reason: 'slow; old', labels: ['reads'] }]);
  assert.deepEqual(why('slow', 'old', 'lost', 'slow'), [{ reason: 'slow; old; and 1 other reason', labels: ['reads'] }]);
});

test('all tables have one logarithmic colour scale, whose ends have a minimum ratio', () => {
  const { scale } = matrices([pair('a', 'b', 100), pair('b', 'a', 101)]);
  assert.deepEqual(scale, { low: 50.5, high: 101 });
  assert.ok(scalePosition(100, scale) > 0.95);
  assert.equal(scalePosition(101, scale), 1);
  const wide = matrices([pair('a', 'b', 400), pair('b', 'a', 40), pair('b', 'c', 4)]).scale;
  assert.deepEqual(wide, { low: 4, high: 400 });
  assert.ok(Math.abs(scalePosition(40, wide) - 0.5) < 1e-9);
  assert.equal(scalePosition(4, wide), 0);
  assert.equal(scalePosition(0, wide), null);
  const wrong = matrices([pair('a', 'b', 100), pair('b', 'a', 9999, {}, { verified: false })]);
  assert.equal(wrong.scale.high, 100, 'wrong results do not affect the scale');
  assert.equal(matrices([pair('a', 'b', null, {}, { skipped: 'no' })]).scale, null);
});

test('the unit of times is chosen for the longest', () => {
  const latency = (source, target, median) => ({ ...pair(source, target, median), metric: 'latency', unit: 's' });
  const { unit, write } = matrices([latency('a', 'b', 9.5e-7), latency('b', 'a', 1.234567e-5)], {
    ...VIEW,
    metric: 'latency',
  });
  assert.equal(unit, 'µs');
  assert.equal(write(1.234567e-5), '12.35');
  assert.equal(write(9.5e-7), '0.9500');
  assert.equal(matrices([pair('a', 'b', 391.25)]).write(391.25), '391.3');
});

test('a measured device that the run does not list is appended', () => {
  const { rows, columns } = matrices([pair('z', 'a', 1)]);
  assert.deepEqual(rows, ['a', 'b', 'c', 'z']);
  assert.deepEqual(columns, ['a', 'b', 'c']);
});

test('the tables as text contain exact medians, one table after the other', () => {
  const list = [
    pair('a', 'b', 391.123456789),
    pair('b', 'a', 12, {}, { verified: false, wrong: 3 }),
    pair('c', 'a', null, {}, { skipped: 'no way' }),
    pair('a', 'b', 7, { access: 'write' }),
  ];
  const text = matricesTsv(
    matrices(list),
    { title: 'Bandwidth', unit: 'GB/s' },
    (id) => `GPU ${id}`,
    ['source', 'target'],
  );
  assert.deepEqual(
    text.split('\n').map((line) => line.split('\t')),
    [
      ['Bandwidth, in GB/s, reads, each pair · peer access'],
      ['source \\ target', 'GPU a', 'GPU b', 'GPU c'],
      ['GPU a', '', '391.123456789', ''],
      ['GPU b', 'wrong: 12', '', ''],
      ['GPU c', 'skipped', '', ''],
      [''],
      ['Bandwidth, in GB/s, writes, each pair · peer access'],
      ['source \\ target', 'GPU a', 'GPU b', 'GPU c'],
      ['GPU a', '', '7', ''],
      ['GPU b', '', '', ''],
      ['GPU c', '', '', ''],
      [''],
    ],
  );
});

// --- any two axes
// ------------------------------------------------------------------------------------------------------

const HEAT = { name: 'warps', kind: 'heat', metric: 'bandwidth', x: 'warps', y: 'ilp' };
const HEAT_AXES = ['work', 'order', 'warps', 'ilp'].map((name) => ({ name, title: name, unit: null }));
const heat = (list, view = HEAT, order) => matricesOf(view, list, { axes: HEAT_AXES }, DEVICES, order);
const at = (warps, ilp, median, axes = {}) => ({
  metric: 'bandwidth',
  unit: 'GB/s',
  axes: { work: 'copy', ...axes, warps, ilp },
  median,
  verified: true,
});

test('the rows and columns of two axes of numbers are in rising order; equal numbers are an ordinary cell', () => {
  const { rows, columns, groups, scale } = heat([at(16, 4, 90), at(4, 4, 40), at(4, 1, 10), at(16, 1, 20)]);
  assert.deepEqual([rows, columns], [[1, 4], [4, 16]]);
  const [{ tables: [table] }] = groups;
  assert.equal(cell(table, 4, 4), 40);
  assert.equal(cell(table, 1, 16), 20);
  assert.deepEqual(scale, { low: 10, high: 90 });
});

test('texts are in the order of their choices, and other axes that vary have tables of their own', () => {
  const list = ['add', 'copy'].flatMap((work) => [at(4, 1, 1, { work, order: 'row' }), at(4, 1, 2, { work, order: 'column' })]);
  const choices = { work: ['copy', 'other', 'add'] };
  const { rows, columns, groups } = heat(list, { ...HEAT, x: 'warps', y: 'work' }, (name) => choices[name] ?? []);
  assert.deepEqual([rows, columns], [['copy', 'add'], [4]]);
  assert.deepEqual(groups.map(({ tables }) => tables.map(({ label }) => label)), [['row', 'column']]);
});

test('a measurement without one of the two axes is left out', () => {
  const { groups } = heat([at(4, 1, 1), { ...at(4, 1, 5), axes: { work: 'copy', warps: 4 } }]);
  assert.equal(groups.length, 1);
  assert.equal(cell(groups[0].tables[0], 1, 4), 1);
});

test('the pair whose directions differ most; wrong results and single directions do not count', () => {
  const found = (list, doubtful) => {
    const { groups, rows } = matrices(list);
    return largestAsymmetry(groups[0].tables[0], rows, doubtful);
  };
  assert.equal(found([pair('a', 'b', 10)]), null);
  const list = [pair('a', 'b', 10), pair('b', 'a', 11), pair('a', 'c', 8), pair('c', 'a', 10), pair('b', 'c', 10), pair('c', 'b', 1, {}, { verified: false })];
  const { forward, backward, difference } = found(list);
  assert.deepEqual([forward.median, backward.median, difference], [8, 10, 0.25]);
  const without8 = found(list, ({ median }) => median === 8);
  assert.deepEqual([without8.forward.median, without8.backward.median], [10, 11], 'a doubtful value does not count');
  assert.equal(found(list, () => true), null);
});

test('the sentence about both directions says which pairs are judged', () => {
  const list = [pair('a', 'b', 100), pair('b', 'a', 101), pair('a', 'c', 21), pair('c', 'a', 33)];
  const textOf = (doubtful) => {
    const { groups, rows } = matrices(list);
    return symmetryText(largestAsymmetry(groups[0].tables[0], rows, doubtful), (id) => `#${id}`, 'GB/s').replaceAll('\u00a0', ' ');
  };
  assert.equal(textOf(({ median }) => median < 40), 'Judged: the 1 of 2 pairs without a caution. Symmetric: both directions within 1.0 %.');
  assert.equal(textOf(() => false), 'Not symmetric: up to 57 % between the directions: #a → #c 21.00 GB/s, #c → #a 33.00 GB/s.');
  assert.equal(symmetryText(null), '');
});

// --- rows of several axes
// ----------------------------------------------------------------------------------------------

const SHAPES = { name: 'shapes', kind: 'heat', metric: 'throughput', x: 'step', y: 'm n' };
const SHAPE_AXES = ['type', 'm', 'n', 'step'].map((name) => ({ name, title: name, unit: null }));
const shape = (type, step, m, n, median) => ({ metric: 'throughput', unit: 'GFLOP/s', axes: { type, step, m, n }, median, verified: true });
const SHAPED = [shape('fp32', 'naive', 16, 8, 1), shape('fp32', 'cublas', 16, 8, 2), shape('fp32', 'naive', 2, 100, 3), shape('fp32', 'naive', 2, 8, 4), shape('bf16', 'cublas', 2, 8, 5)];
const ofShapes = () => matricesOf(SHAPES, SHAPED, { axes: SHAPE_AXES }, [], (name) => (name === 'step' ? ['naive', 'cublas'] : []));
const row = (...numbers) => numbers.join('\u00a0×\u00a0');

test('rows of several axes are their combinations, in the order of their numbers', () => {
  const { rows, columns, groups } = ofShapes();
  assert.deepEqual(rows, [row(2, 8), row(2, 100), row(16, 8)]);
  assert.deepEqual(columns, ['naive', 'cublas']);
  const [{ tables: [fp32, bf16] }] = groups;
  assert.equal(cell(fp32, row(16, 8), 'cublas'), 2);
  assert.equal(cell(fp32, row(2, 100), 'naive'), 3);
  assert.equal(cell(bf16, row(2, 8), 'cublas'), 5);
});

test('a table of shapes has only the columns with measurements', () => {
  const [{ tables }] = ofShapes().groups;
  assert.deepEqual(tables.map(({ label, columns }) => [label, columns]), [['fp32', ['naive', 'cublas']], ['bf16', ['cublas']]]);
  const text = matricesTsv(ofShapes(), { title: 'Throughput', unit: 'GFLOP/s' }, String, [rowTitleOf(SHAPES, (name) => ({ title: name })), 'step']);
  assert.deepEqual(text.split('\n').slice(6, 9), ['Throughput, in GFLOP/s, bf16', `${row('m', 'n')} \\ step\tcublas`, `${row(2, 8)}\t5`]);
});
