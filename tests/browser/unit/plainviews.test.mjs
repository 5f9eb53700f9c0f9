// Views of measurements that no view of their experiment shows.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plainViews } from '../../../static/modules/results/plainviews.js';

const measured = (metric, ...axes) => axes.map((own) => ({ metric, unit: 's', axes: own, median: 1 }));
const viewOf = (...axes) => {
  const [{ kind, x, log_x: log }] = plainViews(measured('time', ...axes), {});
  return [kind, x, log];
};

test('lines are over the numeric axis with the most values', () => {
  assert.deepEqual(viewOf({ type: 'a', n: 1, m: 5 }, { type: 'b', n: 2, m: 5 }, { type: 'c', n: 3, m: 6 }), ['line', 'n', false]);
  assert.deepEqual(viewOf({ a: 1, b: 1 }, { a: 2, b: 2 }), ['line', 'a', false], 'the first of several');
});

test('an axis over a wide range is logarithmic, unless it has values that have no logarithm', () => {
  assert.deepEqual(viewOf({ n: 1 }, { n: 32 }), ['line', 'n', true]);
  assert.deepEqual(viewOf({ n: 1 }, { n: 31 }), ['line', 'n', false]);
  assert.deepEqual(viewOf({ n: 0 }, { n: 1000 }), ['line', 'n', false]);
  assert.deepEqual(viewOf({ n: -1000 }, { n: -1 }), ['line', 'n', false]);
});

test('bars stand for the axis with the most values where no number varies', () => {
  assert.deepEqual(viewOf({ kind: 'a', n: 7 }, { kind: 'b', n: 7 }), ['bars', 'kind', false]);
  assert.deepEqual(viewOf({ n: 1 }, { n: 'all' }), ['bars', 'n', false], 'not all values are numbers');
  assert.deepEqual(viewOf({ n: 7 }), ['bars', 'n', false]);
  assert.deepEqual(viewOf({}), ['bars', null, false]);
});

test('an axis that some measurements lack is not chosen, so that all are shown', () => {
  assert.deepEqual(viewOf({ n: 1, kind: 'a' }, { n: 2, kind: 'a' }, { kind: 'b' }), ['bars', 'kind', false]);
});

test('each metric has a view, with the title that the experiment gives it', () => {
  const all = [...measured('time', { n: 1 }, { n: 2 }), ...measured('rate', { kind: 'a' })];
  const views = plainViews(all, { metrics: [{ name: 'rate', title: 'Rate of it', unit: 's' }] });
  assert.deepEqual(views.map(({ name, metric, title, kind }) => [name, metric, title, kind]), [['rate', 'rate', 'Rate of it', 'bars'], ['time', 'time', 'time', 'line']]);
});

test('a throughput has a roofline where the arithmetic intensity is assumed or counted', () => {
  const [n, other] = [{ n: 1 }, { n: 2 }];
  const rooflineOf = (...metrics) => plainViews(metrics.flatMap((metric) => measured(metric, n, other)), {}).find(({ kind }) => kind === 'roofline');
  for (const metric of ['intensity', 'counted_intensity']) {
    const { name, metric: of, y } = rooflineOf('throughput', metric);
    assert.deepEqual([name, of, y], ['roofline', 'throughput', 'n']);
  }
  assert.equal(rooflineOf('throughput', 'time'), undefined);
  assert.equal(rooflineOf('time', 'intensity'), undefined);
});
