// The copied table.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tabSeparated } from '../../../static/modules/tabular.js';

test('one row a measurement, exact numbers, a column for each axis', () => {
  const text = tabSeparated(
    [
      {
        axes: { bytes: 1024, direction: 'h2d' },
        metric: 'bandwidth',
        unit: 'GB/s',
        median: 0.1234567890123456,
        n: 10,
        verified: true,
        peak: { value: 63, what: 'PCIe' },
      },
      {
        axes: { direction: 'd2h', extra: 'a\tb' },
        metric: 'bandwidth',
        unit: 'GB/s',
        median: null,
        skipped: 'no such engine',
      },
    ],
    [{ name: 'direction' }, { name: 'bytes' }, { name: 'memory' }],
  );
  const rows = text
    .slice(0, -1)
    .split('\n')
    .map((line) => line.split('\t'));
  assert.deepEqual(rows[0].slice(0, 6), ['direction', 'bytes', 'extra', 'metric', 'unit', 'median']);
  assert.deepEqual(rows[1].slice(0, 6), ['h2d', '1024', '', 'bandwidth', 'GB/s', '0.1234567890123456']);
  assert.deepEqual(rows[2].slice(0, 6), ['d2h', '', 'a b', 'bandwidth', 'GB/s', '']);
  assert.equal(rows[2][rows[0].indexOf('skipped')], 'no such engine');
  assert.equal(rows[1][rows[0].indexOf('peak')], '63');
  assert.ok(rows.every((row) => row.length === rows[0].length));
});
