// Lines that differ between two texts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changedLines } from '../../../static/modules/text/linediff.js';

const changed = (before, after) => changedLines(before.join('\n'), after.join('\n'));

test('lines that are new or changed are marked, removed ones leave no mark', () => {
  assert.deepEqual(changed(['a', 'b', 'c'], ['a', 'b', 'c']), [false, false, false]);
  assert.deepEqual(changed(['a', 'b', 'c'], ['a', 'x', 'c']), [false, true, false]);
  assert.deepEqual(changed(['a', 'b', 'c'], ['a', 'c']), [false, false]);
  assert.deepEqual(changed(['a', 'c'], ['a', 'b', 'c', 'd']), [false, true, false, true]);
  assert.deepEqual(changed(['a'], ['b']), [true]);
});

test('a repeated line is common only as often as it occurs in order', () => {
  assert.deepEqual(changed(['{', 'a', '}'], ['{', '}', '{', 'a', '}']), [false, true, true, false, false]);
  assert.deepEqual(changed(['x', 'y'], ['y', 'x']).filter(Boolean).length, 1);
});
