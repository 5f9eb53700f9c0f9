// Places labels beside points so that no label covers another label or a point. A label is to the right of its point if
// there is space, otherwise to the left, or else shifted up or down as little as possible. All lengths are in px.

const LABEL_DISTANCE = 9; // from the centre of a point to its label
const LEFT_COST = 10; // a label on the right is shifted by up to this much before the left side is tried
const SHIFT_STEP = 2;
const SHIFT_MAX = 90;

/** Whether two boxes {left, right, top, bottom} overlap. */
export const overlap = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

/** Possible boxes of the label of a point, the best first: [{left, right, top, bottom, shift, side, cost}]. `shift` is
 * the distance downwards from the height of the point, `side` "right" or "left". */
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

/** Returns for each of `points` ({x, y, width: width of its label}) the box of its label as candidates() describes it,
 * or null if there is no free position. `height` is the height of a label. Labels stay within the box `area` and
 * overlap neither the boxes in `taken` nor the points in `marks`, which have the given `radius`. */
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
