// Where labels go beside points, so that none hides another or a point: to the right where there is room, else to the
// left, else moved up or down by as little as will do.

const AWAY = 9; // px from the point's middle to its label
const LEFT = 10; // px that a label may rather be moved than stand at the left
const STEP = 2;
const FARTHEST = 90;

/** Whether two boxes {left, right, top, bottom} share a place. */
export const overlap = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

/** The places to be tried for a label, the best first: [{left, right, top, bottom, shift, side}]. */
function candidates({ x, y, width }, height) {
  const list = [];
  for (let shift = 0; shift <= FARTHEST; shift += STEP) {
    for (const sign of shift ? [1, -1] : [1]) {
      for (const side of ['right', 'left']) {
        const away = AWAY + Math.min(8, shift / 2); // room for the line between
        const left = side === 'right' ? x + away : x - away - width;
        const top = y + sign * shift - height / 2;
        const cost = shift + (side === 'left' ? LEFT : 0);
        list.push({ left, right: left + width, top, bottom: top + height, shift: sign * shift, side, cost });
      }
    }
  }
  return list.sort((a, b) => a.cost - b.cost);
}

/** For each of `points` ({x, y, width: its label's}) the box of its label: {left, right, top, bottom, shift, side}, or
 * null where there is no room. `area` is the box they must stay in, `taken` are boxes and `marks` points that they must
 * not touch. */
export function placeLabels(points, { height, area, taken = [], marks = points, radius = 5 }) {
  const inside = (box) =>
    box.left >= area.left && box.right <= area.right && box.top >= area.top && box.bottom <= area.bottom;
  const full = [
    ...taken,
    ...marks.map(({ x, y }) => ({ left: x - radius, right: x + radius, top: y - radius, bottom: y + radius })),
  ];
  const found = new Map();
  for (const point of [...points].sort((a, b) => a.y - b.y)) {
    const box = candidates(point, height).find((one) => inside(one) && !full.some((other) => overlap(one, other)));
    if (box) full.push(box);
    found.set(point, box ?? null);
  }
  return points.map((point) => found.get(point));
}
