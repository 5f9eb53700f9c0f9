// Ranges, points and the address of a line chart.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as lines from '../../../static/modules/results/lines.js';

const point = (x, median, more = {}) => ({ x, measurement: { median, q1: 0.9 * median, q3: 1.1 * median, ...more } });
const series = [{ key: 'a', points: [point(0, 5), point(1024, 1), point(4096, 3)] }, { key: 'b', points: [point(2048, 0)] }];
const LOG = { log_x: true, log_y: true };
const LINEAR = { log_x: false, log_y: false };
const scales = { x: { at: (x) => x }, y: { at: (y) => 100 - y } };

test('values without a logarithm are not on a logarithmic axis', () => {
  assert.deepEqual(lines.xsOf(series, LOG), [1024, 4096]);
  assert.deepEqual(lines.xsOf(series, LINEAR), [0, 1024, 2048, 4096]);
  assert.deepEqual([...lines.linePoints(series[0], LOG, scales).left], [1024, 4096]);
  assert.deepEqual(lines.xsOf(series, LINEAR, [1000, 3000]), [1024, 2048]);
});

test('a derived value without quartiles has a band of zero width', () => {
  const { low, high } = lines.linePoints({ points: [point(1, 2, { q1: null, q3: null }), point(2, 2)] }, LINEAR, scales);
  assert.deepEqual([low[0], high[0]], [98, 98]);
});

test('the vertical axis shows the points in the window, and lines that are near', () => {
  const view = { ...LINEAR, metric: 'm', x: 'n' };
  const [low, high] = lines.yRange(series, view, [1000, 5000]);
  assert.ok(low === 0 && high > 3.3 && high < 4, String(high));
  assert.ok(lines.yRange(series, view, [1000, 5000], [6, 600])[1] < 7, 'a line far away does not flatten the others');
  assert.ok(lines.yRange(series, view, [1000, 5000], [6])[1] > 6);
  assert.deepEqual(lines.yRange([], LOG, [1, 2]), [1, 10]);
});

test('of many points in one pixel, the first, smallest, largest and last are drawn', () => {
  const many = Array.from({ length: 4000 }, (_, at) => point(at / 1000, at % 100));
  const { left, top } = lines.linePoints({ points: many }, LINEAR, scales);
  assert.ok(left.length <= 5 * 4, String(left.length));
  assert.equal(Math.min(...top), 1, 'the largest value is kept');
  assert.equal(Math.max(...top), 100, 'the smallest value is kept');
  assert.equal(left.at(-1), 3.999);
});

test('a range of x is written into the address and read from it', () => {
  assert.deepEqual(lines.windowOf(lines.windowText([1024, 65536.4])), [1024, 65540]);
  for (const text of ['', 'x', '3', '4..3', '1..', '..']) assert.equal(lines.windowOf(text), null, text);
  assert.equal(lines.windowText(null), '');
});

test('the points at an x are those of all series, largest first', () => {
  const found = lines.pointsAt([{ key: 'a', points: [point(8, 1)] }, { key: 'b', points: [point(8.1, 4)] }], 8, LINEAR);
  assert.deepEqual(found.map(({ one }) => one.key), ['b', 'a']);
});
