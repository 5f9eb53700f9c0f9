// Places labels beside points so that no label covers another label or a point: to the right of the point where there
// is space, otherwise to the left, otherwise shifted up or down as little as possible.

const LABEL_DISTANCE = 9; // px from the centre of a point to its label
const LEFT_COST = 10; // px of shift that are preferred to a label on the left
const SHIFT_STEP = 2;
const SHIFT_MAX = 90;

/** Whether two boxes {left, right, top, bottom} overlap. */
export const overlap = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

/** Candidate boxes for a label, the best first: [{left, right, top, bottom, shift, side}]. */
function candidates({ x, y, width }, height) {
  const list = [];
  for (let shift = 0; shift <= SHIFT_MAX; shift += SHIFT_STEP) {
    for (const sign of shift ? [1, -1] : [1]) {
      for (const side of ['right', 'left']) {
        const distance = LABEL_DISTANCE + Math.min(8, shift / 2); // leaves space for the connecting line
        const left = side === 'right' ? x + distance : x - distance - width;
        const top = y + sign * shift - height / 2;
        const cost = shift + (side === 'left' ? LEFT_COST : 0);
        list.push({ left, right: left + width, top, bottom: top + height, shift: sign * shift, side, cost });
      }
    }
  }
  return list.sort((a, b) => a.cost - b.cost);
}

/** Returns for each of `points` ({x, y, width: that of its label}) the box of its label {left, right, top, bottom,
 * shift, side}, or null where no free position exists. Labels stay within the box `area` and overlap neither the boxes
 * in `taken` nor the points in `marks`. */
export function placeLabels(points, { height, area, taken = [], marks = points, radius = 5 }) {
  const isInside = (box) =>
    box.left >= area.left && box.right <= area.right && box.top >= area.top && box.bottom <= area.bottom;
  const occupied = [
    ...taken,
    ...marks.map(({ x, y }) => ({ left: x - radius, right: x + radius, top: y - radius, bottom: y + radius })),
  ];
  const boxes = new Map();
  for (const point of [...points].sort((a, b) => a.y - b.y)) {
    const box = candidates(point, height).find(
      (one) => isInside(one) && !occupied.some((other) => overlap(one, other)),
    );
    if (box) occupied.push(box);
    boxes.set(point, box ?? null);
  }
  return points.map((point) => boxes.get(point));
}
