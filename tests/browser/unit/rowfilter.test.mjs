// Order and filter of a table's rows.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matchingRows, nextOrder, orderOf, sortedRows } from '../../../static/modules/results/rowfilter.js';

const columns = [
  { title: 'Memory', value: ({ memory }) => memory, text: ({ memory }) => memory },
  { title: 'Size', value: ({ bytes }) => bytes, text: ({ bytes }) => `${bytes} B` },
  { title: 'Plain' },
];
const rows = [{ memory: 'pinned', bytes: 16 }, { memory: 'pageable', bytes: 4 }, { memory: 'pinned', bytes: NaN }, { memory: 'mapped', bytes: 128 }];

test('a head sorts up, then down, then not', () => {
  const orders = ['', 'Size', '-Size', 'Memory'].map((order) => nextOrder(columns, order, 'Size'));
  assert.deepEqual(orders, ['Size', '-Size', '', 'Size']);
});

test('numbers are sorted as numbers; rows without a value come last in both directions', () => {
  const sizes = (order) => sortedRows(rows, orderOf(columns, order)).map(({ bytes }) => bytes);
  assert.deepEqual(sizes('Size'), [4, 16, 128, NaN]);
  assert.deepEqual(sizes('-Size'), [128, 16, 4, NaN]);
  assert.deepEqual(sizes(''), [16, 4, NaN, 128]);
  assert.equal(orderOf(columns, 'Plain'), null, 'a column without values');
  assert.equal(orderOf(columns, 'nonsense'), null);
});

test('every word must occur in some column, case ignored', () => {
  const found = (text) => matchingRows(rows, columns, text).length;
  assert.deepEqual(['', ' ', 'PINNED', 'pinned 16', 'pinned 128', 'ma'].map(found), [4, 4, 2, 1, 0, 1]);
});
