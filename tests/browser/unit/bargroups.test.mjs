// Groups of bars, and the values that bars are compared with.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { barGroups, barScales } from '../../../static/modules/results/bargroups.js';

const axis = { name: 'variant', title: 'Variant', unit: null };
const coloured = { name: 'type', title: 'Type', unit: null };
const other = { name: 'size', title: 'Size', unit: null };
const metric = { better: 'higher' };
const one = (type, size, xs) => ({
  key: `${type} ${size}`,
  label: `${type} · size ${size}`,
  points: xs.map((x, at) => ({ x, measurement: { median: size + at, verified: true, axes: { type, size, variant: x } } })),
});
const options = { axis, metric, varying: [coloured, other], coloured };

test('few bars of one value of the axis are one group', () => {
  const { groups, collapsed } = barGroups([one('fp32', 1, ['a']), one('fp32', 2, ['a'])], options);
  assert.deepEqual([groups.length, groups[0].title, collapsed], [1, null, false]);
});

test('bars of several values of the axis are grouped by value', () => {
  const { groups, collapsed } = barGroups([one('fp32', 1, ['a', 'b']), one('fp32', 2, ['a', 'b'])], options);
  assert.deepEqual(groups.map(({ title, bars }) => [title, bars.length]), [['a', 2], ['b', 2]]);
  assert.equal(collapsed, false);
});

test('a group of a number is titled with its axis', () => {
  const chunks = { name: 'chunks', title: 'Chunks', unit: null };
  const { groups } = barGroups([one('fp32', 1, [4, 16]), one('fp32', 2, [4, 16])], { ...options, axis: chunks });
  assert.deepEqual(groups.map(({ title }) => title), ['chunks 4', 'chunks 16']);
});

test('many bars are in groups that are closed and show their best bar', () => {
  const sizes = Array.from({ length: 20 }, (_, at) => at + 1);
  const many = sizes.flatMap((size) => [one('fp32', size, ['a']), one('int32', size, ['a'])]);
  const { groups, collapsed } = barGroups(many, options);
  assert.deepEqual(groups.map(({ title, bars }) => [title, bars.length]), [['fp32', 20], ['int32', 20]]);
  assert.equal(collapsed, true);
  assert.equal(groups[0].best.measurement.median, 20);
  assert.equal(groups[0].best.label, 'size 20', 'the label does not repeat the group');
  const times = barGroups(many, { ...options, metric: { better: 'lower' } });
  assert.equal(times.groups[0].best.measurement.median, 1, 'the best time is the shortest');
});

test('a bar is compared with its own peak and the references of its point', () => {
  const series = one('fp32', 4, ['a']);
  const [{ x, measurement }] = series.points;
  const references = [{ one: series, x, value: 5, system: 'S' }, { one: series, x: 'b', value: 6, system: 'S' }];
  const texts = (median) => {
    const bar = { one: series, x, measurement: { ...measurement, median, peak: { value: 8, what: 'bus' } } };
    const group = { bars: [bar] };
    const { levelsOf } = barScales([group], { ideal: null, levels: [], references }, false).get(group);
    return levelsOf.get(bar.measurement).map(({ text }) => text);
  };
  assert.deepEqual(texts(4), ['peak: bus', 'reference: S']);
  assert.deepEqual(texts(2), ['reference: S'], 'a peak far away is not drawn');
});

test('groups have one scale, or each its own', () => {
  const group = (median, peak) => ({ bars: [{ measurement: { median, q3: median + 1, peak: { value: peak, what: 'bus' } } }] });
  const groups = [group(54, 63), group(2940, 3352)];
  const maxima = (own) => [...barScales(groups, { ideal: null, levels: [], references: [] }, own).values()].map(({ maximum }) => maximum);
  assert.deepEqual(maxima(true), [63, 3352]);
  assert.deepEqual(maxima(false), [3352, 3352]);
});
