// Finding and replacing a text in another one.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findAll, nextOf, previousOf, replaceAt } from '../../../static/modules/text/finding.js';

const found = (text, wanted, matchCase = false) => findAll(text, wanted, { matchCase }).map(({ from, to }) => text.slice(from, to));

test('a text is found as it is written, whatever its letters mean elsewhere', () => {
  for (const wanted of ['a[i]', '(x) * 2', '$1', '^', '\\n', 'a-b', '}', '/', '.', '|'])
    assert.deepEqual(found(`int ${wanted} + x`, wanted), [wanted]);
  assert.deepEqual(found('abc', ''), []);
  assert.deepEqual(found('abc', '.'), []);
});

test('upper and lower case count if it is wanted; letters that grow keep the positions after them', () => {
  assert.deepEqual(found('İ tile TILE', 'tile'), ['tile', 'TILE']);
  assert.deepEqual(found('İ tile TILE', 'TILE', true), ['TILE']);
});

test('places do not overlap', () => assert.deepEqual(findAll('aaaa', 'aa', { matchCase: true }), [{ from: 0, to: 2 }, { from: 2, to: 4 }]));

test('the next and the previous place go round', () => {
  const places = findAll('x x x', 'x', {});
  assert.deepEqual([0, 1, 4, 5].map((at) => nextOf(places, at)), [0, 1, 2, 0]);
  assert.deepEqual([0, 1, 4, 5].map((at) => previousOf(places, at)), [2, 0, 1, 2]);
  assert.deepEqual([nextOf([], 0), previousOf([], 0)], [-1, -1]);
});

test('what is replaced is put in as it is', () => {
  const text = 'a.b.c';
  assert.equal(replaceAt(text, findAll(text, '.', {}), '$&'), 'a$&b$&c');
  assert.equal(replaceAt(text, [], 'x'), text);
  assert.equal(replaceAt('aa', findAll('aa', 'a', {}), ''), '');
});
