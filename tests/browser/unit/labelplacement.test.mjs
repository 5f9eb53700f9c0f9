// Placement of labels: a label covers neither another label nor a point, and stays within the area.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { overlap, placeLabels } from '../../../static/modules/results/labelplacement.js';

const area = { left: 0, right: 400, top: 0, bottom: 300 };
const around = ({ x, y }) => ({ left: x - 5, right: x + 5, top: y - 5, bottom: y + 5 });

test('a single point has its label to the right, at its own height', () => {
  const [box] = placeLabels([{ x: 100, y: 100, width: 50 }], { height: 14, area });
  assert.deepEqual([box.side, box.shift, (box.top + box.bottom) / 2], ['right', 0, 100]);
  assert.ok(box.left > 105);
});

test('at the right edge the label is to the left', () => {
  const [box] = placeLabels([{ x: 390, y: 100, width: 50 }], { height: 14, area });
  assert.equal(box.side, 'left');
  assert.ok(box.right < 385);
});

test('labels of a dense column of points do not overlap', () => {
  const points = Array.from({ length: 12 }, (_, index) => ({ x: 200, y: 100 + 6 * index, width: 70 }));
  const taken = [{ left: 205, right: 300, top: 95, bottom: 109 }];
  const boxes = placeLabels(points, { height: 14, area, taken });
  assert.ok(boxes.every(Boolean));
  boxes.forEach((box, index) => {
    assert.ok(box.left >= 0 && box.right <= 400 && box.top >= 0 && box.bottom <= 300);
    assert.ok(!overlap(box, taken[0]));
    for (const point of points) assert.ok(!overlap(box, around(point)));
    for (const other of boxes.slice(index + 1)) assert.ok(!overlap(box, other));
  });
});

test('a point without a free position has no label; labels do not cover unlabelled marks', () => {
  const everything = { left: 0, right: 400, top: 0, bottom: 300 };
  assert.deepEqual(placeLabels([{ x: 100, y: 100, width: 50 }], { height: 14, area, taken: [everything] }), [null]);
  const point = { x: 100, y: 100, width: 50 };
  const [box] = placeLabels([point], { height: 14, area, marks: [point, { x: 130, y: 100 }] });
  assert.ok(!overlap(box, around({ x: 130, y: 100 })));
});
