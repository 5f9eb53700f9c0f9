// Groups of step bars: the order of steps and their shares of the reference.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { measurementFinder, inStepOrder, stepGroupsOf, stepShownFirst } from '../../../static/modules/results/stepgroups.js';
import { orderOf } from '../../../static/modules/text/valueorder.js';
import { seriesOf } from '../../../static/modules/results/series.js';

const STEPS = ['naive', 'tiled-16', 'mma', 'cublas'];
const EXPERIMENT = {
  axes: ['type', 'layout', 'step', 'm', 'n', 'k'].map((name) => ({ name, title: name, unit: null })),
  parameters: {
    properties: {
      step: { type: 'array', anyOf: [{ type: 'string', enum: STEPS }], default: STEPS },
      type: { type: 'array', anyOf: [{ type: 'string', enum: ['fp32', 'bf16'] }], default: ['fp32'] },
      min_size: { type: 'integer', default: 1 },
    },
  },
};
const VIEW = { kind: 'ladder', metric: 'throughput', x: 'step', order: STEPS };

const measured = (metric, type, step, median, more) => ({
  metric,
  axes: { type, layout: 'nn', step, m: 512, n: 512, k: 512 },
  median,
  q1: median * 0.9,
  q3: median * 1.1,
  skipped: null,
  ...more,
});
// As runs report them: the reference of each group first.
const MEASURED = [
  measured('throughput', 'bf16', 'cublas', 800),
  measured('throughput', 'bf16', 'mma', 400),
  measured('share_of_reference', 'bf16', 'mma', 0.5),
  measured('throughput', 'fp32', 'cublas', 50),
  measured('throughput', 'fp32', 'tiled-16', 8),
  measured('share_of_reference', 'fp32', 'tiled-16', 0.16),
  measured('throughput', 'fp32', 'naive', 1),
  measured('share_of_reference', 'fp32', 'naive', null, { skipped: 'no reference' }),
];

const RATE = { better: 'higher' }, COST = { better: 'lower' };

const groupsOf = (list = MEASURED) => {
  const own = inStepOrder(
    list.filter(({ metric }) => metric === 'throughput'),
    EXPERIMENT,
  );
  return stepGroupsOf(seriesOf(VIEW, own, EXPERIMENT.axes).series, list, RATE);
};

test('steps are in the order of the parameter', () => {
  assert.deepEqual(orderOf(EXPERIMENT, 'step'), STEPS);
  assert.deepEqual(orderOf(EXPERIMENT, 'layout'), []);
  assert.deepEqual(orderOf({ parameters: {} }, 'step'), []);
});

test('a group for each type, its steps in order, independent of the order of measurement', () => {
  assert.deepEqual(
    groupsOf().map(({ label, bars }) => [label, bars.map(({ step, share }) => [step, share])]),
    [
      [
        'fp32',
        [
          ['naive', null],
          ['tiled-16', 0.16],
          ['cublas', null],
        ],
      ],
      [
        'bf16',
        [
          ['mma', 0.5],
          ['cublas', null],
        ],
      ],
    ],
  );
});

test('each group has its reference and the value of its longest bar', () => {
  const [fp32, bf16] = groupsOf();
  assert.equal(fp32.reference.measurement.median, 50);
  assert.ok(Math.abs(fp32.maximum - 55) < 1e-9);
  assert.ok(Math.abs(bf16.maximum - 880) < 1e-9);
  const [alone] = groupsOf(MEASURED.filter(({ axes }) => axes.step === 'naive'));
  assert.equal(alone.reference, null);
});

test('a measured share that differs from that of the bars is told, of the fastest step', () => {
  const contrasts = (list) => groupsOf(list).map(({ contrast }) => contrast);
  assert.deepEqual(contrasts(), [null, null]);
  const shares = { 'tiled-16': 0.2, mma: 0.505 }; // 0.16 and 0.5 by the bars
  const list = MEASURED.map((one) => (one.metric === 'share_of_reference' && one.axes.step in shares ? { ...one, median: shares[one.axes.step] } : one));
  assert.deepEqual(contrasts(list), [{ step: 'tiled-16', share: 0.2, ofBars: 0.16 }, null]);
  assert.deepEqual(contrasts(list.filter(({ metric }) => metric === 'throughput')), [null, null], 'where shares are computed, they are those of the bars');
});

test('a library with a wrong result is not a reference, and no step has a share of it', () => {
  const list = MEASURED.map((one) =>
    one.axes.step === 'cublas' && one.axes.type === 'fp32' ? { ...one, verified: false } : one,
  );
  const [fp32, bf16] = groupsOf(list);
  assert.equal(fp32.reference, null);
  assert.deepEqual(
    fp32.bars.map(({ step, share }) => [step, share]),
    [
      ['naive', null],
      ['tiled-16', null],
      ['cublas', null],
    ],
  );
  assert.equal(bf16.reference.measurement.median, 800);
  assert.equal(bf16.bars[0].share, 0.5);
});

test('a measurement of another metric at the same point is found by the axes that it has', () => {
  const list = [
    ...MEASURED,
    { metric: 'compute_ceiling', axes: { type: 'fp32' }, median: 60, skipped: null },
    { metric: 'memory_ceiling', axes: {}, median: 4, skipped: null },
    { metric: 'compute_ceiling', axes: { type: 'bf16' }, median: null, skipped: 'no such unit' },
  ];
  const find = measurementFinder(list);
  assert.equal(find('compute_ceiling', list[3].axes).median, 60);
  assert.equal(find('memory_ceiling', list[3].axes).median, 4);
  assert.equal(find('compute_ceiling', list[0].axes), undefined);
  assert.equal(find('share_of_reference', { ...list[1].axes, m: 1024 }), undefined);
  assert.equal(find('latency', list[3].axes), undefined);
});

test('without the metric share_of_reference, shares of a library are ratios of medians; of times, of its time', () => {
  const shares = (metric, values) => {
    const list = Object.entries(values).map(([step, median]) => measured('value', 'fp32', step, median));
    const experiment = { axes: EXPERIMENT.axes };
    const [group] = stepGroupsOf(seriesOf({ ...VIEW, metric: 'value' }, list, experiment.axes).series, list, metric);
    return group.bars.map(({ step, share }) => [step, share]);
  };
  assert.deepEqual(shares(RATE, { naive: 10, library: 40 }), [['naive', 0.25], ['library', 1]]);
  assert.deepEqual(shares(COST, { naive: 10, library: 4 }), [['naive', 0.4], ['library', 1]]);
  assert.deepEqual(shares(COST, { naive: 10 }), [['naive', null]]);
});

test('the largest jump is that of a step over the one before it; libraries and wrong results do not count', () => {
  const jumps = (list) => groupsOf(list).map(({ jump }) => jump);
  assert.deepEqual(jumps(), [{ step: 'tiled-16', factor: 8 }, null]);
  const more = [...MEASURED, measured('throughput', 'fp32', 'mma', 40)];
  assert.deepEqual(jumps(more)[0], { step: 'tiled-16', factor: 8 });
  assert.equal(jumps([measured('throughput', 'fp32', 'naive', 8), measured('throughput', 'fp32', 'mma', 4)])[0], null);
  const wrong = measured('throughput', 'fp32', 'tiled-16', 1000, { verified: false });
  assert.deepEqual(jumps([measured('throughput', 'fp32', 'naive', 8), wrong, measured('throughput', 'fp32', 'mma', 16)])[0], { step: 'mma', factor: 2 });
});

test('groups that differ only in their load share a scale', () => {
  const axes = [...EXPERIMENT.axes, { name: 'load', title: 'Load', unit: null }];
  const at = (type, load, median) => measured('throughput', type, 'mma', median, { axes: { type, step: 'mma', m: 512, load } });
  const list = [at('fp32', 'sustained', 40), at('fp32', 'burst', 60), at('bf16', 'sustained', 700), at('bf16', 'burst', 500)];
  const groups = stepGroupsOf(seriesOf(VIEW, list, axes).series, list, RATE);
  assert.deepEqual(
    groups.map(({ label, maximum }) => [label, Math.round(maximum)]),
    [['fp32 · sustained', 66], ['fp32 · burst', 66], ['bf16 · sustained', 770], ['bf16 · burst', 770]],
  );
  const single = list.slice(0, 2);
  const ofOneType = stepGroupsOf(seriesOf(VIEW, single, axes).series, single, RATE);
  assert.deepEqual(ofOneType.map(({ maximum }) => Math.round(maximum)), [66, 66]);
});

test('the step of the headline is shown first, of a run without one the first', () => {
  const [metric, axis] = [{ name: 'throughput' }, { name: 'step' }];
  const headline = [{ metric: 'share_of_reference', axes: { step: 'tiled-16' } }, { metric: 'throughput', axes: { step: 'cublas' } }, { metric: 'throughput', axes: { step: 'mma' } }];
  const shown = (run) => stepShownFirst(run, metric, axis, ['naive', 'tiled-16', 'mma']);
  assert.equal(shown({ headline }), 'mma', 'the library has no code to show');
  assert.equal(shown({ headline: headline.slice(0, 2) }), 'naive');
  assert.equal(shown({ headline: null }), 'naive');
});
