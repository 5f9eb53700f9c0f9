// Prepares series (series.js) for a line chart: the ranges of the axes, the points to draw, and the point nearest to a
// position. A scale is {at(value) -> px}; `window` is the range of x that the user has zoomed to, or null for all.

import { idealOf } from './ideal.js';

const COUNT_RANGE_MAX = 64; // an axis of whole numbers over a larger range is an ordinary axis
const COUNT_MARGIN_MAX = 0.9; // so that its margins have no whole number, which would have a tick
const LOG_MARGIN = { x: 1.12, y: 1.5 }; // factor of space at the ends of a logarithmic axis
const PEAK_RATIO_MAX = { log: 25, linear: 2.5 }; // higher lines are not drawn, because they would flatten the others

export const isDrawn = (value, log) => typeof value === 'number' && Number.isFinite(value) && (!log || value > 0);

/** Whether an axis has ticks at powers of two: for sizes in bytes, and for values that are all powers of two. */
export const isBinary = ({ unit }, xs) => unit === 'B' || (xs.length > 0 && xs.every((x) => Number.isInteger(Math.log2(x))));

/** Whether an axis has ticks at whole numbers: for counts, such as the number of devices. */
export const isCount = (xs, log) => !log && xs.every(Number.isInteger) && extent(xs)[1] - extent(xs)[0] <= COUNT_RANGE_MAX;

/** Axes of which a value says nothing about those beside it: a stride of 31 words has no conflicts, one of 32 the
 * most. */
const SEPARATE = new Set(['stride', 'shift']);

/** Whether the points over an axis are not joined, because a line would show values that nobody has measured. */
export const isSeparate = ({ name }) => SEPARATE.has(name);

/** The smallest and the largest of some numbers; [Infinity, -Infinity] if there are none. */
const extent = (values) => {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return [low, high];
};

const known = new WeakMap(); // by series: {columns, log_x, log_y}

/** The points of a series that are drawn, and their values as columns of numbers: {points, x, median, low, high,
 * predicted}. `low` and `high` are the quartiles, or the median where there are none; `predicted` is NaN where there is
 * none. They are kept, because a chart is drawn many times, and columns because it may have ten thousand points. */
export function columnsOf(one, { log_x, log_y }) {
  const found = known.get(one);
  if (found && found.log_x === log_x && found.log_y === log_y) return found.columns;
  const points = one.points.filter(({ x, measurement }) => isDrawn(x, log_x) && isDrawn(measurement.median, log_y));
  const columns = { points };
  for (const name of ['x', 'median', 'low', 'high', 'predicted']) columns[name] = new Float64Array(points.length);
  points.forEach(({ x, predicted, measurement: { median, q1, q3 } }, at) => {
    columns.x[at] = x;
    columns.median[at] = median;
    columns.low[at] = isDrawn(q1, log_y) ? q1 : median;
    columns.high[at] = isDrawn(q3, log_y) ? q3 : median;
    columns.predicted[at] = isDrawn(predicted, log_y) ? predicted : NaN;
  });
  known.set(one, { columns, log_x, log_y });
  return columns;
}

/** The values of x that have a point that is drawn, ascending; all of them, or those within `window`. */
export function xsOf(series, view, window = null) {
  const xs = new Set();
  for (const one of series) for (const x of columnsOf(one, view).x) xs.add(x);
  const inside = window ? (x) => x >= window[0] && x <= window[1] : () => true;
  return [...xs].filter(inside).sort((a, b) => a - b);
}

/** The range [low, high] of the horizontal axis. */
export function xRange(xs, view, window) {
  if (window) return window;
  const [low, high] = extent(xs);
  if (!(high >= low)) return view.log_x ? [1, 10] : [0, 1];
  if (view.log_x) return [low / LOG_MARGIN.x, high * LOG_MARGIN.x];
  const counts = isCount(xs, false);
  const margin = Math.min(0.04 * (high - low || 4), counts ? COUNT_MARGIN_MAX : Infinity);
  return counts || low < 0 ? [low - margin, high + margin] : [low > 0.5 * high ? low - margin : 0, high + margin];
}

/** The range [low, high] of the vertical axis: of the medians, quartiles and predictions at the x in `range`, extended
 * to the values `lines` of horizontal lines that are not too far away and to the ideal. */
export function yRange(series, view, range, lines = []) {
  let [low, high] = [Infinity, -Infinity];
  for (const one of series) {
    const { x, ...columns } = columnsOf(one, view);
    for (const column of [columns.median, columns.low, columns.high, columns.predicted])
      for (let at = 0; at < x.length; at += 1) {
        if (x[at] < range[0] || x[at] > range[1]) continue;
        if (column[at] < low) low = column[at];
        if (column[at] > high) high = column[at];
      }
  }
  if (low > high) return view.log_y ? [1, 10] : [0, 1];
  const ideal = idealOf(view);
  const ratio = view.log_y ? PEAK_RATIO_MAX.log : PEAK_RATIO_MAX.linear;
  high = Math.max(high, ...lines.filter((value) => value <= high * ratio && value > 0), ideal ? ideal.at(xsOf(series, view).at(-1)) : high);
  if (view.log_y) return [low / LOG_MARGIN.y, high * LOG_MARGIN.y];
  low = Math.min(0, low);
  return [low < 0 ? low - 0.05 * (high - low) : 0, high + 0.08 * (high - low || 1)];
}

/** The points of a series that a line needs, as columns of px: {left, top, low, high}: x, median, first and third
 * quartile. Where there are more points than pixels, those of one pixel are reduced to the first, the smallest, the
 * largest and the last. */
export function linePoints(one, view, scales) {
  const columns = columnsOf(one, view);
  const left = columns.x.map(scales.x.at);
  const top = columns.median.map(scales.y.at);
  const [low, high] = [columns.low, columns.high].map((column) => column.map(scales.y.at));
  const all = { left, top, low, high };
  const isDense = left.length > 2 * Math.abs(left.at(-1) - left[0]);
  return isDense ? picked(all, thinned(left, top)) : all;
}

/** The columns with the elements at `indices` only. */
const picked = (columns, indices) =>
  Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, Float64Array.from(indices, (at) => column[at])]));

/** The indices of the first, smallest, largest and last point of each pixel. */
function thinned(left, top) {
  const kept = [];
  for (let start = 0, end = 0; start < left.length; start = end) {
    let [lowest, highest] = [start, start];
    for (end = start + 1; end < left.length && Math.round(left[end]) === Math.round(left[start]); end += 1) {
      if (top[end] < top[highest]) highest = end;
      if (top[end] > top[lowest]) lowest = end;
    }
    kept.push(...new Set([start, Math.min(lowest, highest), Math.max(lowest, highest), end - 1]));
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
