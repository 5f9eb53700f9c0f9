// Positions of roof names and axis labels.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { overlap } from '../../../static/modules/results/labelplacement.js';
import { dimensionsOf, flatNames, slopeName } from '../../../static/modules/charts/points/rooflineframe.js';
import { areaOf, scalesOf } from '../../../static/modules/charts/xyframe.js';
import { boundsOf, linesOf } from '../../../static/modules/results/roofline.js';

const textWidth = (text) => 7 * text.length;
const dimensions = (bounds) => dimensionsOf(bounds, { title: 'Throughput', unit: 'GFLOP/s' });

test('the left margin is wide enough for the labels of the vertical axis', () => {
  const left = (high) => areaOf(360, dimensionsOf({ y: [1, high] }, { title: 'Rate', unit: 'cycles' }).y, textWidth).left;
  assert.ok(left(3e6) >= left(300) + 7 * ('1,000,000'.length - '100'.length));
  assert.equal(areaOf(100, dimensions({ y: [1, 10] }).y, textWidth), null);
});

const roofs = (bandwidth, flat) => ({
  memory: { measured: bandwidth, theoretical: null },
  compute: flat.map((measured, at) => ({ type: `type-${at}`, name: `type-${at}`, measured, theoretical: null, series: null })),
});

/** The name of the memory roof when the boxes in `taken` are occupied. */
function slopeAt(total, taken) {
  const all = roofs(8, [60, 150]);
  const both = dimensions(boundsOf([], all));
  const area = areaOf(total, both.y, textWidth);
  const scales = scalesOf(both, area);
  return slopeName(all, linesOf(all, scales.x.range), scales, area, textWidth, taken);
}

test('the name of the memory roof does not cover other names: it is moved, shortened or left out', () => {
  for (const total of [640, 900]) {
    const free = slopeAt(total, []);
    assert.equal(free.text.replaceAll('\u00a0', ' '), 'memory: 8 GB/s measured');
    for (const box of free.boxes) {
      const found = slopeAt(total, [box]);
      assert.ok(found && !found.boxes.some((other) => overlap(box, other)), `${total}: ${found?.text}`);
    }
    const { left, top } = free.boxes[0];
    assert.equal(slopeAt(total, [{ left: left - 900, right: left + 900, top: top - 900, bottom: top + 900 }]), null);
  }
});

test('a roof without a line has no name', () => {
  const all = roofs(8, [60]);
  all.compute.push({ type: 'wrong', name: 'wrong', measured: null, theoretical: null, series: null });
  const both = dimensions({ x: [1, 100], y: [1, 1000] });
  const area = areaOf(640, both.y, textWidth);
  const scales = scalesOf(both, area);
  assert.equal(flatNames(all, linesOf(all, both.x.range), scales, area, textWidth, []).length, 1);
});
