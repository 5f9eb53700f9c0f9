// The attempts at a kernel or a program.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attemptRows } from '../../../static/modules/results/attempts.js';

const attempt = (text, value) => ({
  text,
  headline: value && [{ title: 'Best', metric: 'bandwidth', unit: 'GB/s', value }],
});

test('each attempt has its figure, its share of the best and its change', () => {
  const rows = attemptRows([attempt('a\nb\nc', 400), attempt('a\nb', null), attempt('a\nb', 1000)], 'a');
  assert.deepEqual(rows.map(({ figure, share, change }) => [figure?.text, share, change]), [
    ['400.0\u00a0GB/s', 0.4, '+1 −0'], [undefined, 0, 'no change'], ['1.000\u00a0TB/s', 1, '+1 −0'],
  ]);
});
