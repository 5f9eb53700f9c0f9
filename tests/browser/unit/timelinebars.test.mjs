// What is drawn of a row of a timeline, and which of its spans are in a part of the time.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rowsOf, variantsOf } from '../../../static/modules/results/timeline.js';
import { barsOf, itemsBetween } from '../../../static/modules/results/timelinebars.js';

/** The row of spans [kind, start, end] of one lane. */
const rowWith = (...spans) => rowsOf(variantsOf(spans.map(([kind, start_ns, end_ns]) => ({ lane: 'a', kind, start_ns, end_ns })))[0], 'stream')[0];
const heightOf = (slots) => 20 / slots;
const drawn = (row, view) => {
  const { bars, columns } = barsOf(row, view, heightOf);
  return { bars: bars.map(({ span }) => [span.start, span.end]), columns: columns.map(({ kind, x, width, low, high }) => [kind, x, width, low, high]) };
};

test('the spans of a part of the time are found, also those that began long before it', () => {
  const row = rowWith(['range', 0, 900], ['range', 10, 20], ['range', 30, 40], ['range', 500, 510], ['range', 950, 960]);
  assert.deepEqual(itemsBetween(row, 35, 505), [0, 4]);
  assert.deepEqual(itemsBetween(row, 905, 949), [4, 4]);
  assert.deepEqual(itemsBetween(row, 961, 2000), [5, 5]);
  assert.deepEqual(drawn(row, { from: 100, scale: 1, plot: 300 }), { bars: [[0, 900]], columns: [] });
});

test('spans of a pixel and more, and narrower ones that are alone, are bars', () => {
  const row = rowWith(['compute', 0, 100], ['compute', 200, 201], ['compute', 310, 315]);
  assert.deepEqual(drawn(row, { from: 0, scale: 0.01, plot: 100 }), { bars: [[0, 100], [200, 201], [310, 315]], columns: [] });
});

test('narrower spans that share a pixel are a column, as high as the part of its time that they take', () => {
  const half = Array.from({ length: 40 }, (_, at) => ['compute', at * 10, at * 10 + 5]);
  assert.deepEqual(drawn(rowWith(...half), { from: 0, scale: 0.01, plot: 10 }), { bars: [], columns: [['compute', 0, 4, 0, 10]] });
  const mixed = [['copy-up', 0, 25], ['compute', 30, 80], ['copy-up', 100, 101], ['copy-up', 110, 111]];
  assert.deepEqual(drawn(rowWith(...mixed), { from: 0, scale: 0.01, plot: 10 }).columns, [
    ['copy-up', 0, 1, 0, 5],
    ['compute', 0, 1, 5, 15],
    ['copy-up', 1, 1, 0, 2], // hardly anything, but seen
  ]);
});

test('the columns of spans that overlap are in their slots', () => {
  const nested = [['range', 0, 1000], ...Array.from({ length: 10 }, (_, at) => ['range', 100 + at * 10, 105 + at * 10])];
  const { bars, columns } = barsOf(rowWith(...nested), { from: 0, scale: 0.01, plot: 10 }, heightOf);
  assert.deepEqual(bars.map(({ span, slot }) => [span.end, slot]), [[1000, 0]]);
  assert.deepEqual(columns.map(({ slot, slots, x, high }) => [slot, slots, x, high]), [[1, 2, 1, 5]]);
});

test('as much is drawn as pixels can show', () => {
  const many = Array.from({ length: 100_000 }, (_, at) => ['compute', at * 10, at * 10 + 1 + (at % 9)]);
  const { bars, columns } = barsOf(rowWith(...many), { from: 0, scale: 1e-3, plot: 1000 }, heightOf);
  assert.ok(bars.length + columns.length <= 1000, `${bars.length} ${columns.length}`);
});
