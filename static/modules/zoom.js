// The visible window of a timeline: [from, to] in ns within [0, total].

const WIDTH_MIN_SHARE = 2e-5; // smallest window as a share of the total
const WIDTH_MIN_NS = 40;

/** `window` made `factor` times as wide (below 1 zooms in) around the time `at`, which keeps its position. */
export function zoomed([from, to], factor, at, total) {
  const minimum = Math.min(total, Math.max(WIDTH_MIN_NS, total * WIDTH_MIN_SHARE));
  const width = Math.min(total, Math.max(minimum, (to - from) * factor));
  const share = to > from ? (at - from) / (to - from) : 0.5;
  return clamped([at - share * width, at + (1 - share) * width], total);
}

/** `window` moved by `by` ns, stopping at the ends. */
export const moved = ([from, to], by, total) => clamped([from + by, to + by], total);

/** `window` moved as little as possible so that [start, end] is visible. A span too long to fit leaves the window as it
 * is if part of it is visible. */
export function showing([from, to], start, end, total) {
  const margin = 0.04 * (to - from);
  if (end - start > to - from - 2 * margin)
    return start < to && end > from ? [from, to] : moved([from, to], start - from, total);
  if (start < from + margin) return moved([from, to], start - margin - from, total);
  if (end > to - margin) return moved([from, to], end + margin - to, total);
  return [from, to];
}

/** The window between two times in either order, widened to the minimum width. */
export function between(a, b, total) {
  const [from, to] = [Math.min(a, b), Math.max(a, b)];
  return zoomed(clamped([from, to], total), 1, (from + to) / 2, total);
}

export const isWhole = ([from, to], total) => from <= 0 && to >= total;

function clamped([from, to], total) {
  const width = Math.min(total, to - from);
  const start = Math.min(Math.max(0, from), total - width);
  return [start, start + width];
}
