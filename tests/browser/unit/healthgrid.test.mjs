// The grid of a health run: which finding stands for a cell, and the order of checks and devices.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findingText, healthGrid, worstFirst } from '../../../static/modules/results/healthgrid.js';

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
  const shownOf = (...pairs) => {
    const { finding: { peer, value }, standing } = healthGrid(pairs).rows[0].cells.get('a');
    return [peer, value, standing];
  };
  assert.deepEqual(shownOf(pair('b', 95), pair('c', 92), pair('d', 99)), ['c', 92, 'nearest of 3 to its limit']);
  const share = (peer, value, opposite) => ({ ...pair(peer, value), expected: opposite, limit: 0.9 * opposite });
  assert.deepEqual(shownOf(share('b', 394.5, 394.6), share('c', 394.6, 394.9)), ['c', 394.6, 'nearest of 2 to its limit'], 'it need not be the lowest');
  assert.deepEqual(shownOf(pair('b', 95), pair('c', 60, 'warning')), ['c', 60, 'worst of 2']);
  assert.equal(shownOf(pair('b', 95))[2], '');
});

test('findings without a device are in no cell, but in the list', () => {
  const failed = finding(null, null, { level: 'failure' }), ok = finding('a', 'h2d');
  assert.deepEqual(healthGrid([failed]), { devices: [], rows: [] });
  assert.deepEqual(worstFirst([ok, failed]), [failed, ok]);
});

test('the text of a finding has the names of devices and checks that the page has elsewhere', () => {
  const nameOf = (id) => `H200 ${id}`;
  const textOf = (check, fields) => findingText(finding('#1', check, { statement: 'is as it should be', ...fields }), nameOf);
  assert.equal(textOf('gemm'), 'H200 #1: matrix product is as it should be');
  assert.equal(textOf('gemm', { metric: 'clock' }), 'H200 #1: matrix product clock is as it should be');
  assert.equal(textOf('p2p', { peer: '#2' }), 'H200 #1: device → device to H200 #2 is as it should be');
  assert.equal(textOf('remapped-rows'), 'H200 #1: remapped rows is as it should be');
  assert.equal(findingText(finding(null, null, { statement: 'the run has failed' }), nameOf), 'the run has failed');
});
