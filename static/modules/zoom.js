// The part of a timeline that is seen: [from, to] in ns within [0, total].

const NARROWEST = 2e-5; // of the whole; closer than this there is nothing more to see
const NARROWEST_NS = 40;

/** `window` made `factor` times as wide (below 1: closer) around the time `at`, which keeps its place. */
export function zoomed([from, to], factor, at, total) {
  const narrowest = Math.min(total, Math.max(NARROWEST_NS, total * NARROWEST));
  const width = Math.min(total, Math.max(narrowest, (to - from) * factor));
  const share = to > from ? (at - from) / (to - from) : 0.5;
  return within([at - share * width, at + (1 - share) * width], total);
}

/** `window` moved by `by` ns, as far as there is something. */
export const moved = ([from, to], by, total) => within([from + by, to + by], total);

/** `window` moved so that [start, end] is in it, as little as possible; as it is when it does not fit. */
export function showing([from, to], start, end, total) {
  const margin = 0.04 * (to - from);
  if (end - start > to - from - 2 * margin)
    return start < to && end > from ? [from, to] : moved([from, to], start - from, total);
  if (start < from + margin) return moved([from, to], start - margin - from, total);
  if (end > to - margin) return moved([from, to], end + margin - to, total);
  return [from, to];
}

/** The part between two times, in whichever order, not narrower than can be. */
export function between(a, b, total) {
  const [from, to] = [Math.min(a, b), Math.max(a, b)];
  return zoomed(within([from, to], total), 1, (from + to) / 2, total);
}

export const isWhole = ([from, to], total) => from <= 0 && to >= total;

function within([from, to], total) {
  const width = Math.min(total, to - from);
  const start = Math.min(Math.max(0, from), total - width);
  return [start, start + width];
}
