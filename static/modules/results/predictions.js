// Predictions beside measurements: an experiment that computes what to expect of the metric NAME reports it as the
// metric predicted_NAME at the same points.

import { measurementFinder } from './stepgroups.js';

/** The metric that predicts `name`; null if the experiment has none. */
export const predictionOf = ({ metrics }, name) =>
  (metrics ?? []).find((metric) => metric.name === `predicted_${name}`) ?? null;

/** The series (series.js) with the value of the metric `prediction` at each point as `predicted`, null where there is
 * none. */
export function withPredictions(series, measurements, prediction) {
  const find = measurementFinder(measurements);
  return series.map((one) => ({
    ...one,
    points: one.points.map((point) => ({
      ...point,
      predicted: find(prediction.name, point.measurement.axes)?.median ?? null,
    })),
  }));
}
