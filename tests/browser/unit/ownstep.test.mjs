// An edited step beside the others of its experiment.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withOwnStep } from '../../../static/modules/results/ownstep.js';
import { orderOf } from '../../../static/modules/text/valueorder.js';

const experiment = {
  views: [{ kind: 'line', x: 'bytes' }, { kind: 'ladder', x: 'step' }],
  sources: [{ step: 'tiled', title: 'Tiles' }],
  parameters: { properties: { step: { anyOf: [{ enum: ['naive', 'tiled', 'library', 'all'] }, {}] }, bytes: { default: 1 } } },
};
const request = { experiment: 'transpose', devices: [{ id: 'GPU-1', name: 'NVIDIA H200' }], parameters: { step: ['all'], bytes: 1 } };
/** A run whose base is the same request with the original kernel, and what `base` changes of it. */
const run = ({ base = {}, ...more } = {}) => {
  const own = { ...request, kernel: { edits: 'transpose/tiled' }, ...more };
  const { experiment: name, devices: [{ id }], parameters } = own;
  return { ...own, compare_with: base && { experiment: name, devices: [{ id }], parameters, ...base } };
};
const one = (side, step) => ({ side, metric: 'bandwidth', axes: { step, bytes: 4 } });
/** The steps that are shown of both sides. */
const shownOf = (more, described = experiment) => {
  const { shown } = withOwnStep(described, run(more));
  return ['naive', 'tiled'].flatMap((step) => ['base', 'head'].map((side) => shown(one(side, step))?.axes.step ?? null));
};

test('the edited step and its original are two steps, the others are shown once', () => {
  for (const more of [{}, { base: { kernel: null } }, { parameters: { step: ['naive', 'tiled'] } }])
    assert.deepEqual(shownOf(more), [null, 'naive', 'tiled', 'Tiles, edited']);
  assert.deepEqual(shownOf({}, { ...experiment, sources: [] }), [null, 'naive', 'tiled', 'tiled, edited']);
});

test('the edited step follows the original, and knows its measurement', () => {
  const { experiment: listed, shown } = withOwnStep(experiment, run());
  assert.deepEqual(orderOf(listed, 'step'), ['naive', 'tiled', 'Tiles, edited', 'library', 'all']);
  assert.deepEqual(orderOf(experiment, 'step'), ['naive', 'tiled', 'library', 'all']);
  assert.deepEqual(shown(one('head', 'tiled')).of, one('head', 'tiled'));
});

test('other runs show what their request has measured', () => {
  const own = [null, 'naive', null, 'tiled'];
  for (const more of [
    { kernel: null },
    { kernel: { source: '' } },
    { parameters: { step: ['tiled'] } },
    { parameters: { step: 'tiled' } },
    { parameters: {} },
    { base: null },
    { base: { kernel: { edits: 'transpose/tiled' } } },
    { base: { parameters: { step: ['all'], bytes: 2 } } },
    { base: { experiment: 'copy' } },
    { base: { devices: [{ id: 'GPU-2' }] } },
  ])
    assert.deepEqual(shownOf(more), own, JSON.stringify(more));
  assert.deepEqual(shownOf({}, { ...experiment, views: [] }), own);
  assert.equal(withOwnStep(experiment, run({ kernel: null })).experiment, experiment);
});
