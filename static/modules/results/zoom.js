// The visible window of a timeline, [from, to] in ns, within the total time [0, total]. All functions return a new
// window.

const WIDTH_MIN_SHARE = 2e-5; // smallest window as a share of the total
const WIDTH_MIN_NS = 40; // smallest window; the larger of the two limits applies

/** The window made `factor` times as wide (a factor below 1 zooms in); the time `at` keeps its position in it. */
export function zoomed([from, to], factor, at, total) {
  const minimum = Math.min(total, Math.max(WIDTH_MIN_NS, total * WIDTH_MIN_SHARE));
  const width = Math.min(total, Math.max(minimum, (to - from) * factor));
  const share = to > from ? (at - from) / (to - from) : 0.5;
  return clamped([at - share * width, at + (1 - share) * width], total);
}

/** The window moved by `by` ns, at most to the end of the total time. */
export const moved = ([from, to], by, total) => clamped([from + by, to + by], total);

/** The window moved as little as possible so that the span [start, end] is visible. If the span is too long to fit and
 * a part of it is visible, the window does not move. */
export function showing([from, to], start, end, total) {
  const margin = 0.04 * (to - from);
  if (end - start > to - from - 2 * margin)
    return start < to && end > from ? [from, to] : moved([from, to], start - from, total);
  if (start < from + margin) return moved([from, to], start - margin - from, total);
  if (end > to - margin) return moved([from, to], end + margin - to, total);
  return [from, to];
}

/** The window between two times, in either order, at least as wide as the smallest window. */
export function between(a, b, total) {
  const [from, to] = [Math.min(a, b), Math.max(a, b)];
  return zoomed(clamped([from, to], total), 1, (from + to) / 2, total);
}

/** Whether the window shows the total time. */
export const isWhole = ([from, to], total) => from <= 0 && to >= total;

function clamped([from, to], total) {
  const width = Math.min(total, to - from);
  const start = Math.min(Math.max(0, from), total - width);
  return [start, start + width];
}
