// Zooming and moving the visible window of a timeline.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as zoom from '../../../static/modules/results/zoom.js';

const TOTAL = 1_000_000;

test('zooming keeps the position of the time around which it zooms', () => {
  assert.deepEqual(zoom.zoomed([0, TOTAL], 0.5, 250_000, TOTAL), [125_000, 625_000]);
  assert.deepEqual(zoom.zoomed([200_000, 400_000], 0.5, 200_000, TOTAL), [200_000, 300_000]);
});

test('a window is limited to the total and to a minimum width', () => {
  assert.deepEqual(zoom.zoomed([0, 500_000], 10, 0, TOTAL), [0, TOTAL]);
  assert.deepEqual(zoom.zoomed([800_000, TOTAL], 2, TOTAL, TOTAL), [600_000, TOTAL]);
  const [from, to] = zoom.zoomed([0, TOTAL], 1e-9, 500_000, TOTAL);
  assert.equal(Math.round(to - from), 40);
  assert.deepEqual(zoom.zoomed([0, 10], 0.001, 5, 10), [0, 10]);
});

test('moving stops at the ends', () => {
  assert.deepEqual(zoom.moved([100, 200], -500, TOTAL), [0, 100]);
  assert.deepEqual(zoom.moved([100, 200], 50, TOTAL), [150, 250]);
  assert.deepEqual(zoom.moved([0, TOTAL], 50, TOTAL), [0, TOTAL]);
});

test('a span is made visible with the smallest move', () => {
  assert.deepEqual(zoom.showing([0, 1000], 200, 300, TOTAL), [0, 1000]);
  assert.deepEqual(zoom.showing([0, 1000], 1500, 1600, TOTAL), [640, 1640]);
  assert.deepEqual(zoom.showing([5000, 6000], 1500, 1600, TOTAL), [1460, 2460]);
  assert.deepEqual(
    zoom.showing([5000, 6000], 5100, 9000, TOTAL),
    [5000, 6000],
    'a span too long to fit, of which a part is visible, does not move the window',
  );
  assert.deepEqual(zoom.showing([5000, 6000], 7000, 9000, TOTAL), [7000, 8000]);
});

test('the ends of a window can be given in either order', () => {
  assert.deepEqual(zoom.between(300, 100, 1000), [100, 300]);
  assert.deepEqual(zoom.between(-50, 100, 1000), [0, 150]);
  assert.ok(zoom.isWhole([0, 10], 10));
  assert.ok(!zoom.isWhole([1, 10], 10));
});
