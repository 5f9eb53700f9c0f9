// The rows, columns and cells of a sweep's grid.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sweepGrid, variedOf } from '../../../static/modules/results/sweepgrid.js';

const run = (id, parameters, device = 'a') => ({ id, parameters, devices: [{ id: device }] });

test('the last varied parameter makes the columns, the others the rows', () => {
  const sweep = { parameters: { n: [1, 2], step: [['a'], ['a', 'b']], seed: 1, one: [5] }, devices: null };
  assert.deepEqual(variedOf(sweep).map(({ name }) => name), ['n', 'step']);
  const runs = [run('x', { n: 1, step: ['a'] }), run('y', { n: 2, step: ['b', 'a'] }), run('z', { n: 1, step: ['a', 'b'] })];
  const { columns, rows } = sweepGrid(sweep, runs);
  assert.deepEqual(columns, [['a'], ['a', 'b']]);
  assert.deepEqual(rows.map(({ values, cells }) => [values, cells.map((cell) => cell?.id ?? null)]), [[[1], ['x', 'z']], [[2], [null, 'y']]]);
});

test('devices are varied where they are a list of lists', () => {
  const sweep = { parameters: { n: [1, 2] }, devices: [['a'], ['b']] };
  const { across, rows } = sweepGrid(sweep, [run('x', { n: 2 }, 'b')]);
  assert.equal(across.name, 'devices');
  assert.deepEqual(rows.map(({ cells }) => cells.map((cell) => cell?.id ?? null)), [[null, null], [null, 'x']]);
});

test('a value that a run has as a list of one item is the same', () => {
  const { rows } = sweepGrid({ parameters: { step: ['a', 'b'] }, devices: null }, [run('x', { step: ['b'] })]);
  assert.deepEqual(rows[0].cells.map((cell) => cell?.id ?? null), [null, 'x']);
});

test('a sweep of one run has one cell', () => {
  const { rows } = sweepGrid({ parameters: { n: 3 }, devices: ['a'] }, [run('x', { n: 3 })]);
  assert.deepEqual(rows.map(({ cells }) => cells.map(({ id }) => id)), [['x']]);
});

test('machines make the columns, and the other varied parameters the rows', () => {
  const on = (id, n, node) => ({ id, parameters: { n }, devices: [{ id: `${node}-gpu`, node }], host: node });
  const { across, columns, rows } = sweepGrid({ parameters: { n: [1, 2] }, devices: null, nodes: ['a', 'b'] }, [on('x', 1, 'b'), on('y', 2, 'a')]);
  assert.deepEqual([across.name, columns], ['nodes', ['a', 'b']]);
  assert.deepEqual(rows.map(({ cells }) => cells.map((cell) => cell?.id ?? null)), [[null, 'x'], ['y', null]]);
});
