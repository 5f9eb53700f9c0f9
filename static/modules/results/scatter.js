// Prepares a view of kind "scatter" for drawing: one metric over another, with a point for each value of the axis `y`
// and a series for each combination of the other axes.

import { measurementFinder } from './stepgroups.js';

const isNumber = (value) => typeof value === 'number' && Number.isFinite(value);

/** The series (series.js) of a scatter view over its axis `y`, each point with `across` and `beside`: the measurements
 * of the metrics `name` and view.beside at the same values of all axes. Points without such a measurement are left out,
 * as are values below 0 on a logarithmic axis. */
export function joinMetric(series, measurements, name, view) {
  const find = measurementFinder(measurements);
  const isShown = ({ measurement, across }) =>
    isNumber(measurement.median) &&
    isNumber(across?.median) &&
    (!view.log_y || measurement.median >= 0) &&
    (!view.log_x || across.median >= 0);
  return series
    .map((one) => ({
      ...one,
      points: one.points
        .map((point) => ({
          ...point,
          across: find(name, point.measurement.axes),
          beside: (view.beside && find(view.beside, point.measurement.axes)) ?? null,
        }))
        .filter(isShown),
    }))
    .filter(({ points }) => points.length);
}

const FACTOR = 1.6; // space at both ends of a logarithmic range
const SPACE = 0.08; // space at the upper end of a linear range, as a share of it
const ZERO_DECADES = 1; // distance from values of 0 to the smallest other value on a logarithmic axis

/** The range of some values on an axis: {range: [low, high], zero}. On a logarithmic axis `zero` is true if there are
 * values of 0, which are drawn at `low`; a linear axis begins at 0. */
export function rangeOf(values, log) {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  if (!log) return { range: [Math.min(0, low), high + SPACE * (high - Math.min(0, low) || 1)], zero: false };
  const positive = values.filter((value) => value > 0);
  if (!positive.length) return { range: [0.1, 10], zero: true };
  const zero = low === 0;
  const least = Math.min(...positive);
  return { range: [zero ? least / 10 ** ZERO_DECADES : least / FACTOR, high * FACTOR], zero };
}

/** By how much a counted value is above its prediction, as a share of it; null if it predicts 0. */
export const aboveOf = ({ across, measurement }) => (across.median ? measurement.median / across.median - 1 : null);
