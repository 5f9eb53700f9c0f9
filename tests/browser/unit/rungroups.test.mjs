// Groups of runs, ranges of a selection, and which runs can be compared.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { groupRuns, obstacleToComparison, rangeOf } from '../../../static/modules/results/rungroups.js';

const title = (name) => name.toUpperCase();
const run = (id, more) => ({ id, experiment: 'stream', sweep: null, host: 'a', compare_with: null, ...more });

test('runs are grouped by sweep, those without one together', () => {
  const runs = [run('5', { sweep: 's/1' }), run('4'), run('3', { sweep: 's/1' }), run('2', { sweep: 's2' }), run('1')];
  const groups = groupRuns(runs, 'sweep', title);
  assert.deepEqual(groups.map(({ title: text, href, runs: own }) => [text, href, own.map(({ id }) => id)]), [
    ['Sweep: STREAM', '/sweeps/s%2F1', ['5', '3']],
    ['Not part of a sweep', null, ['4', '1']],
    ['Sweep: STREAM', '/sweeps/s2', ['2']],
  ]);
});

test('runs are grouped by machine; without a grouping they are one group', () => {
  const runs = [run('3', { host: 'b' }), run('2', { host: null }), run('1', { host: 'b' })];
  assert.deepEqual(groupRuns(runs, 'machine', title).map(({ title: text, runs: own }) => [text, own.length]), [['b', 2], ['Machine unknown', 1]]);
  assert.deepEqual(groupRuns(runs, '', title).map(({ title: text, runs: own }) => [text, own.length]), [['', 3]]);
  assert.deepEqual(groupRuns([], '', title), []);
});

test('a range has both ends, in either direction', () => {
  assert.deepEqual(rangeOf(['a', 'b', 'c', 'd'], 'b', 'd'), ['b', 'c', 'd']);
  assert.deepEqual(rangeOf(['a', 'b', 'c', 'd'], 'c', 'a'), ['a', 'b', 'c']);
  assert.deepEqual(rangeOf(['a', 'b'], 'gone', 'b'), ['b']);
});

test('two runs of an experiment can be compared, and one that compares', () => {
  assert.equal(obstacleToComparison([run('1'), run('2')]), '');
  assert.equal(obstacleToComparison([run('1', { compare_with: {} })]), '');
  assert.match(obstacleToComparison([run('1')]), /Select two or more runs/);
  assert.equal(obstacleToComparison([run('1'), run('2'), run('3')]), '');
  assert.match(obstacleToComparison([run('1'), run('2', { experiment: 'matmul' })]), /same experiment/);
});
