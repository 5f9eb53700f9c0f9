// Prepares series (series.js) for a line chart: the ranges of the axes, the points to draw, and the point nearest to a
// position. A scale is {at(value) -> px}; `window` is the range of x that the user has zoomed to, or null for all.

import { idealOf } from './ideal.js';

const COUNT_RANGE_MAX = 64; // an axis of whole numbers over a larger range is an ordinary axis
const LOG_MARGIN = { x: 1.12, y: 1.5 }; // factor of space at the ends of a logarithmic axis
const PEAK_RATIO_MAX = { log: 25, linear: 2.5 }; // higher lines are not drawn, because they would flatten the others

export const isDrawn = (value, log) => typeof value === 'number' && Number.isFinite(value) && (!log || value > 0);

/** Whether an axis has ticks at powers of two: for sizes in bytes, and for values that are all powers of two. */
export const isBinary = ({ unit }, xs) => unit === 'B' || (xs.length > 0 && xs.every((x) => Number.isInteger(Math.log2(x))));

/** Whether an axis has ticks at whole numbers: for counts, such as the number of devices. */
export const isCount = (xs, log) => !log && xs.every(Number.isInteger) && extent(xs)[1] - extent(xs)[0] <= COUNT_RANGE_MAX;

/** The smallest and the largest of some numbers; [Infinity, -Infinity] if there are none. */
const extent = (values) => {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return [low, high];
};

/** The values of x that have a point that is drawn, ascending; all of them, or those within `window`. */
export function xsOf(series, view, window = null) {
  const xs = new Set();
  for (const { points } of series)
    for (const { x, measurement } of points)
      if (isDrawn(x, view.log_x) && isDrawn(measurement.median, view.log_y)) xs.add(x);
  const inside = window ? (x) => x >= window[0] && x <= window[1] : () => true;
  return [...xs].filter(inside).sort((a, b) => a - b);
}

/** The range [low, high] of the horizontal axis. */
export function xRange(xs, view, window) {
  if (window) return window;
  const [low, high] = extent(xs);
  if (!(high >= low)) return view.log_x ? [1, 10] : [0, 1];
  if (view.log_x) return [low / LOG_MARGIN.x, high * LOG_MARGIN.x];
  const margin = 0.04 * (high - low || 4);
  return isCount(xs, false) || low < 0 ? [low - margin, high + margin] : [low > 0.5 * high ? low - margin : 0, high + margin];
}

/** The range [low, high] of the vertical axis: of the medians, quartiles and predictions at the x in `range`, extended to
 * the values `lines` of horizontal lines that are not too far away and to the ideal. */
export function yRange(series, view, range, lines = []) {
  const values = [];
  for (const { points } of series)
    for (const { x, measurement: { median, q1, q3 }, predicted } of points)
      if (x >= range[0] && x <= range[1])
        for (const value of [median, q1, q3, predicted]) if (isDrawn(value, view.log_y)) values.push(value);
  let [low, high] = extent(values);
  if (!values.length) return view.log_y ? [1, 10] : [0, 1];
  const ideal = idealOf(view);
  const ratio = view.log_y ? PEAK_RATIO_MAX.log : PEAK_RATIO_MAX.linear;
  high = Math.max(high, ...lines.filter((value) => value <= high * ratio && value > 0), ideal ? ideal.at(xsOf(series, view).at(-1)) : high);
  if (view.log_y) return [low / LOG_MARGIN.y, high * LOG_MARGIN.y];
  low = Math.min(0, low);
  return [low < 0 ? low - 0.05 * (high - low) : 0, high + 0.08 * (high - low || 1)];
}

/** The points of a series that a line needs, as [{left, top, low, high}] in px: median, first and third quartile. Where
 * there are more points than pixels, those of one pixel are reduced to the first, the smallest, the largest and the
 * last. */
export function linePoints({ points }, view, scales) {
  const all = [];
  for (const { x, measurement: { median, q1, q3 } } of points) {
    if (!isDrawn(x, view.log_x) || !isDrawn(median, view.log_y)) continue;
    const [low, high] = [q1, q3].map((value) => scales.y.at(isDrawn(value, view.log_y) ? value : median));
    all.push({ left: scales.x.at(x), top: scales.y.at(median), low, high });
  }
  if (all.length < 2) return all;
  return all.length > 2 * Math.abs(all.at(-1).left - all[0].left) ? thinned(all) : all;
}

function thinned(points) {
  const kept = [];
  for (let start = 0; start < points.length; ) {
    const column = Math.round(points[start].left);
    let end = start + 1;
    while (end < points.length && Math.round(points[end].left) === column) end += 1;
    const group = points.slice(start, end);
    const by = (better) => group.reduce((a, b) => (better(b.top, a.top) ? b : a));
    const wanted = new Set([group[0], by((a, b) => a < b), by((a, b) => a > b), group.at(-1)]);
    kept.push(...group.filter((point) => wanted.has(point)));
    start = end;
  }
  return kept;
}

/** Differences of x below this share count as the same x: parts of an array on several devices differ by rounding. */
const SAME_X = 0.05;

/** The point of a series at `x`, or at nearly the same x; null if it has none. */
export function pointAt(points, x) {
  const near = (point) => Math.abs(point.x / x - 1) < SAME_X;
  return points.find((point) => point.x === x) ?? points.find(near) ?? null;
}

/** The element of the ascending `xs` whose position is nearest to `left` px. */
export const nearestX = (xs, scale, left) =>
  xs.reduce((best, x) => (Math.abs(scale.at(x) - left) < Math.abs(scale.at(best) - left) ? x : best), xs[0]);

/** The points at `x`, largest first: [{one: series, point}]. */
export function pointsAt(series, x, view) {
  return series
    .map((one) => ({ one, point: pointAt(one.points, x) }))
    .filter(({ point }) => point && isDrawn(point.measurement.median, view.log_y))
    .sort((a, b) => b.point.measurement.median - a.point.measurement.median);
}

/** The window written in the address, "LOW..HIGH"; null if the text is not one. */
export function windowOf(text) {
  const [low, high] = text.split('..').map(Number);
  return text && Number.isFinite(low) && high > low ? [low, high] : null;
}

export const windowText = (window) => (window ? window.map((value) => Number(value.toPrecision(4))).join('..') : '');
