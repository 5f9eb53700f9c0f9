// The grid of a health run: which finding stands for a cell, and the order of checks and devices.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { healthGrid, worstFirst } from '../../../static/modules/results/healthgrid.js';

const finding = (device, check, fields) => ({ device, check, metric: 'bandwidth', unit: 'GB/s', peer: null, level: 'ok', basis: 'peak', value: 90, expected: 100, limit: 75, text: '', ...fields });

test('the worst check and the worst device come first', () => {
  const { devices, rows } = healthGrid([
    finding('a', 'h2d'), finding('a', 'memory', { value: 80 }),
    finding('b', 'h2d', { value: 76 }), finding('b', 'memory'),
    finding('c', 'h2d'), finding('c', 'memory', { level: 'failure', value: 30 }),
  ]);
  assert.deepEqual(devices, ['c', 'b', 'a']);
  assert.deepEqual(rows.map(({ check }) => check), ['memory', 'h2d']);
});

test('checks that are sound keep their order, and those that were skipped are not worse', () => {
  const { rows } = healthGrid([finding('a', 'x', { level: 'skipped' }), finding('a', 'h2d'), finding('a', 'gemm', { metric: 'throughput' }), finding('a', 'gemm', { metric: 'clock' })]);
  assert.deepEqual(rows.map(({ check, metric }) => [check, metric]), [['x', 'bandwidth'], ['h2d', 'bandwidth'], ['gemm', 'throughput'], ['gemm', 'clock']]);
});

test('a cell shows its worst finding, of equally bad ones the share of the peak', () => {
  const cellOf = (...findings) => healthGrid(findings).rows[0].cells.get('a');
  const result = finding('a', 'h2d', { basis: 'result', expected: null, limit: null }), peak = finding('a', 'h2d'), peers = finding('a', 'h2d', { basis: 'peers' });
  assert.equal(cellOf(result, peers, peak).finding, peak);
  assert.equal(cellOf(result, peers, peak).findings.length, 3);
  const slow = { ...peers, level: 'warning' };
  assert.deepEqual([cellOf(peak, slow).finding, cellOf(peak, slow).level], [slow, 'warning']);
});

test('a check with several peers shows the pair that is nearest to its limit', () => {
  const pair = (peer, value, level = 'ok') => finding('a', 'p2p', { peer, value, level, basis: 'opposite' });
  const { finding: shown, peers } = healthGrid([pair('b', 95), pair('c', 92), pair('d', 99)]).rows[0].cells.get('a');
  assert.deepEqual([shown.peer, peers], ['c', 3]);
});

test('findings without a device are in no cell, but in the list', () => {
  const failed = finding(null, null, { level: 'failure' }), ok = finding('a', 'h2d');
  assert.deepEqual(healthGrid([failed]), { devices: [], rows: [] });
  assert.deepEqual(worstFirst([ok, failed]), [failed, ok]);
});
