// The data of trends: sentences, shifts, order of the overview, ranges.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changeText, inOverviewOrder, isBetter, latestShift, marksOf, noShiftReason, placedMarks, sparkline, tightRange, trendText, valuesOf, weekBefore } from '../../../static/modules/results/trend.js';

const value = (run, median, more) => ({
  run, at: `2026-01-0${run}T12:00:00.000000Z`, median, q1: median - 1, q3: median + 1, n: 5,
  verified: true, contended: false, cautions: [], pinned: false, environment_changed: false, ...more,
});
const shift = { run: '2', before: 100, after: 90, relative: -0.1, p: 0.001 };
const series = (more) => ({
  point: { axes: {}, metric: 'bandwidth', unit: 'GB/s', better: 'higher' }, values: [value('3', 90), value('2', 90), value('1', 100)],
  shifts: [], shift_runs_missing: 5, baseline: null, next: null, ...more,
});

test('values are oldest first, with the shift that begins there', () => {
  const values = valuesOf(series({ shifts: [shift] }));
  assert.deepEqual(values.map(({ run, index, shift: own }) => [run, index, own?.relative ?? null]), [['1', 0, null], ['2', 1, -0.1], ['3', 2, null]]);
});

test('the sentence names newest value, baseline and shift', () => {
  const base = { run: '1', median: 100 };
  assert.equal(trendText(series({ shifts: [shift], baseline: base })),
    '90.00 GB/s in the newest of 3 runs. That is 10 % lower than the baseline of 100.0 GB/s. The level has been 10 % lower since 2026-01-02, a regression.'
      .replace(/(\d) (GB|%)/g, '$1\u00a0$2'));
  assert.match(trendText(series({})), /Too few runs to find a lasting shift\.$/);
  const enough = series({ shift_runs_missing: 0 });
  assert.match(trendText(enough), /No lasting shift\.$/);
  assert.deepEqual([series({}), enough].map(noShiftReason), ['too few runs', 'none']);
  assert.match(trendText(series({ next: 'x' })), /of 3 runs or more\./);
  assert.doesNotMatch(trendText(series({ baseline: { run: '3', median: 90 } })), /baseline/);
  assert.equal(trendText(series({ values: [] })), 'No run has measured this point.');
});

test('the newest value is compared with the newest that is a week older', () => {
  const old = (run, days, median) => value(run, median, { at: new Date(Date.parse(value('3', 0).at) - days * 86_400_000).toISOString() });
  const values = [value('3', 90), old('2', 6, 91), old('1', 8, 100), old('0', 30, 50)];
  assert.deepEqual(weekBefore({ values }), { median: 100, at: values[2].at, relative: 90 / 100 - 1, change: '10\u00a0% lower' });
  assert.equal(weekBefore({ values: [values[0], { ...values[2], median: 90 }] }).change, 'the same');
  assert.equal(weekBefore({ values: values.slice(0, 2) }), null);
  assert.match(trendText(series({ values })).replaceAll('\u00a0', ' '), /A week before, on 2025-12-26, it was 100\.0 GB\/s: now 10 % lower\. Too few runs/);
});

test('whether a change is an improvement depends on the metric', () => {
  assert.equal(isBetter(0.1, 'higher'), true);
  assert.equal(isBetter(0.1, 'lower'), false);
  assert.equal(isBetter(-0.1, 'lower'), true);
  assert.equal(isBetter(0.1, null), null);
  assert.equal(changeText(-0.031), '3.1\u00a0% lower');
});

test('the latest shift counts the runs since', () => {
  assert.equal(latestShift(series({})), null);
  assert.deepEqual(latestShift(series({ shifts: [shift] })), { shift, runs: 2, recent: true });
  const old = series({ shifts: [shift], values: [...Array.from({ length: 20 }, (_, at) => value(`9${at}`, 90)), value('2', 90)] });
  assert.equal(latestShift(old).recent, false);
  assert.equal(latestShift(series({ shifts: [{ ...shift, run: 'older' }] })).recent, false);
});

test('remarks name what casts doubt on a value', () => {
  assert.deepEqual(marksOf(value('1', 1, { verified: false, cautions: [{ name: 'drifting', text: '' }], contended: true, pinned: true, environment_changed: true })).map(({ word }) => word),
    ['wrong result', 'contended', 'drifting', 'pinned', 'environment changed']);
  assert.deepEqual(marksOf(value('1', 1, { verified: null })), []);
});

test('marks are between the values before and after them, those of one place together', () => {
  const at = (day) => `2026-01-${day}T00:00:00.000000Z`, values = ['02', '04', '06'].map((day) => ({ at: at(day) }));
  const placed = (...days) => placedMarks(values, days.map((day) => ({ at: at(day), text: day })));
  assert.deepEqual(placed('01'), [], 'before the first value');
  assert.deepEqual(placed('03', '05', '05', '09'), [{ index: 1, texts: ['03'] }, { index: 2, texts: ['05', '05'] }, { index: 3, texts: ['09'] }]);
  assert.deepEqual(placed('04'), [{ index: 1, texts: ['04'] }], 'at a value it is before it');
  assert.deepEqual(placedMarks([], [{ at: at('01'), text: '' }]), []);
});

test('an overview begins with recent shifts, then most runs', () => {
  const rows = [{ name: 'few', series: series({ values: [value('1', 1)] }) }, { name: 'many', series: series({}) }, { name: 'shifted', series: series({ shifts: [shift], values: series({}).values.slice(0, 2) }) }];
  assert.deepEqual(inOverviewOrder(rows).map(({ name }) => name), ['shifted', 'many', 'few']);
});

test('a range is close to the values, and never empty', () => {
  const [low, high] = tightRange([value('1', 100), value('2', 102)]);
  assert.ok(low < 99 && low > 98 && high > 103 && high < 104, `${low} to ${high}`);
  const [least, most] = tightRange([{ median: 0, q1: null, q3: null }]);
  assert.ok(least < 0 && most > 0);
  assert.deepEqual(tightRange([]), [0, 1]);
});

test('a sparkline stays within its box, oldest to the left; noise is flat', () => {
  assert.equal(sparkline([value('2', 200), value('1', 100)], 100, 20), 'M0 20L100 0');
  assert.equal(sparkline([value('1', 1234)], 100, 20), 'M50 10');
  assert.equal(sparkline([value('2', 1001), value('1', 1000)], 100, 20), 'M0 10.2L100 9.8');
});
