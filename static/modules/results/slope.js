// The slope of theory, drawn as a line beside the measurements: an error that falls with the eighth power of n.

import { columnsOf } from './lines.js';

/** The line {name, at(x)} of the view's slope, the exponent of the power of x to which theory says that the metric is
 * proportional; null if it has none, or if a scale is not logarithmic, where the power is a curve. The line begins at
 * the smallest x, in the geometric mean of the values there, because at larger x rounding may decide the error. */
export function slopeLine(view, series) {
  const slope = view.log_x && view.log_y ? (view.slope ?? null) : null;
  const firsts = series.map((one) => columnsOf(one, view)).filter(({ x }) => x.length > 0);
  if (slope === null || !firsts.length) return null;
  const start = Math.min(...firsts.map(({ x }) => x[0]));
  const logs = firsts.filter(({ x }) => x[0] === start).map(({ median }) => Math.log(median[0]));
  const level = Math.exp(logs.reduce((sum, value) => sum + value, 0) / logs.length);
  return { name: `slope ${slopeText(slope)}`, at: (x) => level * (x / start) ** slope };
}

/** Says what the line of a view is; null if it has none. */
export function slopeSentence({ slope }, axis, metric) {
  if (typeof slope !== 'number') return null;
  const [of, over] = [metric, axis].map(({ title }) => title.toLowerCase());
  return `The dashed line has the slope of theory: ${of} proportional to ${over} to the power ${slopeText(slope)}.`;
}

const slopeText = (slope) => String(slope).replace('-', '−');
