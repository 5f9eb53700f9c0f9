// Experiments by subject.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { groupBySubject } from '../../../static/modules/lab/subjects.js';

test('experiments are grouped in the order of the subjects; none is lost', () => {
  const subjects = ['memory', 'execution', 'matmul'].map((name) => ({ name, title: name.toUpperCase() }));
  const experiments = [['vector-add', 'execution'], ['stream', 'memory'], ['laplace', 'cases'], ['transpose', 'memory']]
    .map(([name, subject]) => ({ name, subject }));
  assert.deepEqual(
    groupBySubject(subjects, experiments).map(({ title, experiments: own }) => [title, own.map(({ name }) => name)]),
    [['MEMORY', ['stream', 'transpose']], ['EXECUTION', ['vector-add']], ['Other', ['laplace']]],
  );
  assert.deepEqual(groupBySubject([], []), []);
});
