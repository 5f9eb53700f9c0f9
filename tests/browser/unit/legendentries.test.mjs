// Which entries a legend has.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { legendEntries, repeatsBars } from '../../../static/modules/results/legendentries.js';

const CHUNKS = { name: 'chunks', title: 'Chunks' };
const one = (chunks, streams, points = 2) => ({
  key: JSON.stringify([chunks, streams]), axes: { chunks, streams }, label: `chunks ${chunks} · streams ${streams}`, colour: chunks ?? 7, points: Array.from({ length: points }),
});
const textsOf = (entries) => entries.map(({ label, keys }) => [label, keys.length]);

test('bars of the same colour share an entry', () => {
  const series = [one(1, 1), one(4, 1), one(4, 4), one(16, 1), one(16, 4)];
  const entries = legendEntries({ series, coloured: CHUNKS }, 'bars');
  assert.deepEqual(textsOf(entries), [['chunks 1', 1], ['chunks 4', 2], ['chunks 16', 2]]);
  assert.equal(new Set(entries.map(({ one: { colour } }) => colour)).size, entries.length);
});

test('bars without a value of the axis of the colours have an entry, too', () => {
  const entries = legendEntries({ series: [one(undefined, 1), one(4, 1)], coloured: CHUNKS }, 'bars');
  assert.deepEqual(textsOf(entries), [['chunks: not applicable', 1], ['chunks 4', 1]]);
});

test('lines and marks have an entry for each series, which dash and marker tell apart', () => {
  const series = [one(4, 1), one(4, 4)];
  for (const kind of ['line', 'scatter', 'roofline'])
    assert.deepEqual(textsOf(legendEntries({ series, coloured: CHUNKS }, kind)), [['chunks 4 · streams 1', 1], ['chunks 4 · streams 4', 1]]);
  assert.deepEqual(textsOf(legendEntries({ series: series.slice(0, 1), coloured: null }, 'bars')), [['chunks 4 · streams 1', 1]]);
});

test('a legend that only repeats the labels of bars is known', () => {
  const repeats = (series) => repeatsBars(legendEntries({ series, coloured: CHUNKS }, 'bars'), { series });
  assert.equal(repeats([one(1, 1, 1), one(4, 1, 1)]), true);
  assert.equal(repeats([one(4, 1, 1), one(4, 4, 1)]), false, 'one colour of two bars');
  assert.equal(repeats([one(1, 1), one(4, 1)]), false, 'bars of one series in several groups');
});
