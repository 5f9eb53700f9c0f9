// The data of comparisons: sentences, ratios, curves, and the pairs of runs to compare.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { counterChangesOf, curvesOf, curveViews, cutEnds, detectableText, intervalText, medianRatios, missingSamples, neededText, ratioRange, ratioText, reasonsOf, summaryText } from '../../../static/modules/results/comparison.js';
import { newestPair } from '../../../static/modules/results/runpairs.js';

const side = (median) => ({ median, q1: median * 0.99, q3: median * 1.01, n: 9, verified: true });
const point = (axes, ratio, verdict, more) => ({
  axes, metric: 'bandwidth', unit: 'GB/s', base: side(10), head: side(10 * ratio), ratio, low: ratio * 0.99, high: ratio * 1.01, verdict, reason: null, ...more,
});
const titles = { bandwidth: 'Bandwidth', time: 'Time' };
const sentence = (verdict, points, more) => {
  const count = (word) => points.filter((one) => one.verdict === word).length;
  const summary = { faster: count('faster'), slower: count('slower'), same: count('same'), unclear: count('unclear') };
  return summaryText({ points, verdict, summary, minimum_effect: 0.01, ...more }, (name) => titles[name]).replaceAll('\u00a0', ' ');
};

test('the sentence begins with the verdict of the whole comparison, and says at how many points', () => {
  const a = point({ bytes: 1 }, 1.1, 'faster'), b = point({ bytes: 2 }, 0.9, 'slower'), c = point({ bytes: 4 }, 1, 'same'), d = point({ bytes: 8 }, 1.02, 'unclear');
  assert.equal(sentence('slower', [a, b, c, d]), 'Slower at 1 of 4 points, faster at 1, unclear at 1; median bandwidth 1.010×');
  assert.equal(sentence('faster', [a, a]), 'Faster at all 2 points; median bandwidth 1.100×');
  assert.equal(sentence('faster', [c, d, a]), 'Faster at 1 of 3 points, unclear at 1; median bandwidth 1.020×');
  assert.equal(sentence('unclear', [c, d]), 'Unclear at 1 of 2 points; median bandwidth 1.010×');
  assert.equal(sentence('same', [c, c]), 'Same: no point differs by more than 1 %; median bandwidth 1.000×');
  assert.equal(sentence('same', [c, c], { minimum_effect: 0.07 }), 'Same: no point differs by more than 7 %; median bandwidth 1.000×');
});

test('the sentence about one point has its ratio, where there is one', () => {
  for (const [verdict, ratio, text] of [['faster', 1.1, 'Faster: bandwidth 1.100×'], ['same', 1, 'Same: bandwidth 1.000×'], ['unclear', null, 'Unclear']])
    assert.equal(sentence(verdict, [point({ bytes: 1 }, ratio, verdict)]), text);
});

test('the sentence does not call points same or unclear that were not judged', () => {
  assert.equal(sentence('unclear', []), 'No point in common');
  assert.equal(sentence('unclear', [point({ bytes: 1 }, 1, null)]), 'No point in common can be judged');
});

test('the counters that differ are those of all points that were counted', () => {
  const change = (base, head) => ({ name: 'l2_hits', title: 'L2 sectors found', unit: '1', base, head });
  const points = [point({ n: 1 }, 1, 'same', { counters: [change(4, 2), change(0, 3)] }), point({ n: 2 }, 1, null, { counters: [change(4, 2)] }), point({ n: 3 }, 1, 'same', { counters: null })];
  assert.deepEqual(counterChangesOf(points).map(({ point: of, ratio }) => [of.axes.n, ratio]), [[1, 0.5], [1, null], [2, 0.5]]);
});

test('the sides without samples', () => {
  assert.deepEqual(missingSamples({ samples_missing: { base: 2, head: 0 } }), { sides: ['base'], count: 2 });
  assert.equal(missingSamples({ samples_missing: { base: 0, head: 0 } }), null);
  assert.equal(missingSamples({}), null);
});

test('metrics without a verdict do not count', () => {
  const other = point({ bytes: 1 }, 0.5, null, { metric: 'time' });
  assert.equal(sentence('faster', [point({ bytes: 1 }, 2, 'faster'), other]), 'Faster: bandwidth 2.000×');
  assert.deepEqual(medianRatios([other]), []);
});

test('what would have been found, and how much time would decide', () => {
  const found = (detectable) => detectableText({ detectable }).replaceAll('\u00a0', ' ');
  assert.deepEqual([0.0144, 0.1, 1, 1.31, 6812.39, null].map(found), ['1.4 %', '10 %', '100 %', 'over 100 %', 'over 100 %', '']);
  assert.deepEqual([1.375, 3.44, 14.2, 100, 101, 1e9, 0, null].map((needed) => neededText({ needed })), ['1.4×', '3.4×', '14×', '100×', 'over 100×', 'over 100×', '', '']);
});

test('ratios and intervals as text', () => {
  assert.deepEqual([1.03149, 1, 0.994, 12.346, 1234.56].map(ratioText), ['1.031×', '1.000×', '0.9940×', '12.35×', '1,235×']);
  assert.equal(ratioText(null), '–');
  assert.equal(intervalText({ low: 1, high: 1.5 }), '1.000× to 1.500×');
  assert.equal(intervalText({ low: null, high: 1.5 }), '… to 1.500×');
  assert.equal(intervalText({ low: null, high: null }), 'no interval');
});

test('reasons are counted, the most frequent first, each with the most that one of its points needs', () => {
  const points = [{ reason: 'few blocks', needed: 8 }, { reason: 'wide', needed: 2.5 }, { reason: 'wide', needed: 7 }, { reason: 'wide', needed: null }, { reason: null, needed: null }];
  assert.deepEqual(reasonsOf(points), [{ reason: 'wide', count: 3, needed: 7 }, { reason: 'few blocks', count: 1, needed: 8 }]);
});

test('only views with two numbers on their axis are curves', () => {
  const views = [
    { name: 'size', kind: 'line', metric: 'bandwidth', x: 'bytes' }, { name: 'steps', kind: 'line', metric: 'bandwidth', x: 'step' },
    { name: 'bars', kind: 'bars', metric: 'bandwidth', x: 'bytes' }, { name: 'time', kind: 'line', metric: 'time', x: 'bytes' },
  ];
  const points = [1, 2].map((bytes) => point({ bytes, step: `s${bytes}` }, 1, 'same'));
  assert.deepEqual(curveViews(views, points).map(({ name }) => name), ['size']);
  assert.deepEqual(curveViews(views, points.slice(1)), []);
});

test('a curve has the points of one series in the order of the axis', () => {
  const axes = [{ name: 'memory', title: 'Memory', unit: null }, { name: 'bytes', title: 'Size', unit: 'B' }];
  const points = ['pinned', 'pageable'].flatMap((memory) => [4, 1, 2].map((bytes) => point({ memory, bytes }, 1 + bytes / 10, 'faster')));
  const { curves } = curvesOf({ kind: 'line', metric: 'bandwidth', x: 'bytes' }, points, axes);
  assert.deepEqual(curves.map(({ label, colour, points: list }) => [label, colour, list.map(({ x, point: { ratio } }) => [x, ratio])]), [
    ['pinned', 0, [[1, 1.1], [2, 1.2], [4, 1.4]]], ['pageable', 1, [[1, 1.1], [2, 1.2], [4, 1.4]]],
  ]);
});

test('the axis of ratios has 1 and all ratios; an interval without an end does not stretch it', () => {
  const [low, high] = ratioRange([point({}, 1.2, 'faster', { low: 0.001, high: 900 }), point({}, 1.1, 'faster', { low: null, high: null })]);
  assert.ok(low < 1 && low > 0.8 && high > 1.2 && high < 1.5, `${low} to ${high}`);
  const far = ratioRange([point({}, 1, 'unclear', { low: 0.001, high: 1.05 })]);
  assert.deepEqual(cutEnds({ low: 0.001, high: 1.05 }, far), { low: true, high: false }, 'an end beyond the axis is marked');
  assert.deepEqual(cutEnds({ low: null, high: 1.05 }, far), { low: true, high: false }, 'and one without a limit');
  assert.deepEqual(cutEnds({ low: null, high: null }, far), { low: false, high: false });
  const alone = ratioRange([point({}, 1, 'same', { low: null, high: null })]);
  const [half, double] = ratioRange([1 / 2, 2].map((ratio) => point({}, ratio, 'unclear', { low: null, high: null })));
  assert.ok(Math.abs(half * double - 1) < 1e-9 && half > 0, 'half and double are equally far from 1');
  assert.ok(alone[0] < 1 && alone[1] > 1);
});

test('the axis of ratios that are close to each other has their whole intervals', () => {
  const intervals = [[0.971, 1.048], [0.974, 1.027], [0.996, 1.004]].map(([low, high]) => ({ low, high }));
  const range = ratioRange([1.009, 1, 0.9996].map((ratio, at) => point({}, ratio, 'unclear', intervals[at])));
  for (const interval of intervals) assert.deepEqual(cutEnds(interval, range), { low: false, high: false });
});

test('the newest pair had the same request: the same devices, by id where it is known, and parameters', () => {
  const run = (id, device, parameters) => ({ id, status: 'succeeded', compare_with: null, devices: [device], parameters });
  const a = { id: 'a', name: 'GPU' }, b = { id: 'b', name: 'GPU' }, unknown = { id: null, name: 'GPU' };
  assert.equal(newestPair([run('2', a, { n: 1 }), run('1', b, { n: 1 })]), null);
  assert.equal(newestPair([run('2', a, { n: 1 }), run('1', a, { n: 2 })]), null);
  const idsOf = ({ base, head }) => [base.id, head.id];
  assert.deepEqual(idsOf(newestPair([run('4', a, { n: 2 }), run('3', b, { n: 1 }), run('2', a, { n: 1 }), run('1', a, { n: 1 })])), ['1', '2']);
  assert.deepEqual(idsOf(newestPair([run('2', unknown, {}), run('1', unknown, {})])), ['1', '2']);
});

test('the newest pair is of the same devices, succeeded, and compares nothing itself', () => {
  const run = (id, name, more) => ({ id, status: 'succeeded', compare_with: null, devices: [{ id: name, name }], ...more });
  assert.equal(newestPair([run('3', 'A'), run('2', 'B'), run('1', 'C')]), null);
  const { base, head } = newestPair([run('6', 'A', { status: 'failed' }), run('5', 'A', { compare_with: {} }), run('4', 'B'), run('3', 'A'), run('2', 'B'), run('1', 'A')]);
  assert.deepEqual([base.id, head.id], ['2', '4']);
});
