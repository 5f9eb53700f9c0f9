// The ranking of machines: medians, outliers, order, and machines without figures.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { medianOf } from '../../../static/modules/results/median.js';
import { deviationText, outliersOf, rankingOf, unrankedText } from '../../../static/modules/results/ranking.js';

const figure = (value, more) => ({ title: 'Host to device', metric: 'bandwidth', unit: 'GB/s', value, axes: {}, lowest: false, ...more });
const place = (machine, ...headline) => ({ machine, run: { id: machine, status: 'succeeded', headline } });
const marked = (values) => values.filter((_, at) => outliersOf(values)[at]);

test('the median is the middle value, or the mean of the two in the middle', () => {
  assert.equal(medianOf([3, 1, 2]), 2);
  assert.equal(medianOf([4, 1, 3, 2]), 2.5);
});

test('an outlier deviates by more than three scaled MADs and by more than 2 % of the median', () => {
  assert.deepEqual(marked([100, 101, 99, 100, 102, 98, 100, 83]), [83]);
  assert.deepEqual(marked([100, 100, 100, 100, 98.1]), [], 'less than 2 %, although the MAD is 0');
  assert.deepEqual(marked([100, 100, 100, 100, 97.9]), [97.9]);
  assert.deepEqual(marked([100, 80, 120, 90, 110, 70, 130]), [], 'far from the median, but so are the others');
  // The median is 100 and the MAD 1: three scaled MADs are 4.4478.
  assert.deepEqual(marked([99, 100, 101, 99, 101, 100, 104.4, 95.5]), [95.5]);
  assert.deepEqual(marked([100, 100, 100, 125]), [125], 'above the median as well');
});

test('among fewer than four machines an outlier deviates by more than 5 %', () => {
  assert.deepEqual(marked([100, 100, 95.1]), []);
  assert.deepEqual(marked([100, 100, 94.9]), [94.9]);
  assert.deepEqual(marked([100, 50]), [], 'of two nobody knows which one is right');
  assert.deepEqual(marked([100]), []);
  assert.deepEqual(marked([0, 0, 0, 1]), [], 'a median of 0 has no shares');
});

test('machines are ranked from best to worst, whether the highest or the lowest value is best', () => {
  const { figures, unranked } = rankingOf([
    place('a', figure(50), figure(2e-6, { title: 'Latency', metric: 'latency', unit: 's', lowest: true })),
    place('b', figure(55), figure(1e-6, { title: 'Latency', metric: 'latency', unit: 's', lowest: true })),
    place('c', figure(40), figure(4e-6, { title: 'Latency', metric: 'latency', unit: 's', lowest: true })),
  ]);
  assert.deepEqual(figures.map(({ title, median }) => [title, median]), [['Host to device', 50], ['Latency', 2e-6]]);
  assert.deepEqual(figures.map(({ entries }) => entries.map(({ machine }) => machine)), [['b', 'a', 'c'], ['b', 'a', 'c']]);
  assert.deepEqual(figures[0].entries.map(({ share }) => share), [1, 50 / 55, 40 / 55]);
  assert.deepEqual(unranked, []);
});

test('an outlier is better or worse by what is best, and says how far it is from the median', () => {
  const values = [10, 10, 10, 10, 8];
  const ranked = (lowest) => rankingOf(values.map((value, at) => place(`m${at}`, figure(value, { lowest })))).figures[0].entries;
  const outlier = (entries) => entries.find((entry) => entry.outlier);
  assert.deepEqual([outlier(ranked(false)).machine, outlier(ranked(false)).outlier], ['m4', 'worse']);
  assert.deepEqual([ranked(true)[0].machine, ranked(true)[0].outlier], ['m4', 'better']);
  assert.equal(deviationText(outlier(ranked(false)), values.length), '20\u00a0% below the median of 5');
  assert.equal(deviationText({ deviation: 0.034 }, 4), '3.4\u00a0% above the median of 4');
});

test('machines whose run failed, is not over or is missing are not ranked, and say why', () => {
  const places = [
    place('a', figure(1), figure(2, { title: 'Device to host' })),
    place('b', figure(1)),
    { machine: 'c', run: { status: 'failed', headline: [figure(9)], error: { title: 'The worker crashed', detail: 'It was killed by signal 11.' } } },
    { machine: 'd', run: { status: 'running', headline: null, error: null, progress: { done: 1, total: 4 } } },
    { machine: 'e', run: { status: 'queued', headline: null, error: null } },
    { machine: 'f', run: null },
    { machine: 'g', run: { status: 'succeeded', headline: [], error: null } },
  ];
  const { figures, unranked } = rankingOf(places);
  assert.deepEqual(figures.map(({ title, entries, missing }) => [title, entries.length, missing]), [['Host to device', 2, []], ['Device to host', 1, ['b']]]);
  assert.deepEqual(unranked.map((one) => [one.machine, unrankedText(one)]), [
    ['c', 'It was killed by signal 11.'], ['d', '25\u00a0%'], ['e', ''], ['f', 'its run was deleted'], ['g', 'its run has no headline figure'],
  ]);
});
