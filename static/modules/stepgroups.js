// The ladder: what a view measured of each step at one size, group by group (a group for each series: a type, a
// layout), in the order of the steps, beside the vendor's library.

import { fieldsOf } from './schema.js';

/** The steps that others are held against. */
const LIBRARIES = new Set(['cublas', 'openblas']);
export const isReference = (step) => LIBRARIES.has(step);

/** The values of an axis in the order of the parameter of that name, which is the order of the ladder. */
export const orderOf = (experiment, name) =>
  fieldsOf(experiment.parameters).find((field) => field.name === name)?.choices ?? [];

/** Measurements in the order of the ladder: by type before layout before step, as the experiment's axes and the choices
 * of their parameters have it. */
export function inOrder(measurements, experiment) {
  const orders = (experiment.axes ?? []).map(({ name }) => [name, orderOf(experiment, name)]);
  const compare = (a, b) => {
    for (const [name, order] of orders) {
      const apart = order.indexOf(a.axes[name]) - order.indexOf(b.axes[name]);
      if (apart) return apart;
    }
    return 0;
  };
  return [...measurements].sort(compare);
}

/** A function that finds what else was measured at a place: the measurement of `metric` on axes that are the same where
 * it has them (a ceiling has no step), or undefined. */
export function finder(measurements) {
  const byMetric = new Map();
  for (const measurement of measurements) {
    if (measurement.skipped) continue;
    const list = byMetric.get(measurement.metric);
    if (list) list.push(measurement);
    else byMetric.set(measurement.metric, [measurement]);
  }
  return (metric, axes) =>
    byMetric
      .get(metric)
      ?.find((other) => Object.entries(other.axes ?? {}).every(([name, value]) => axes[name] === value));
}

/** [{key, label, one, largest, reference, rungs: [{step, measurement, share}]}] of the series of a view over `step`, as
 * series.js has them; `largest` is what its longest bar reaches, `reference` the library's rung, null where there is
 * none or its result was wrong, `share` a rung's share of it or null. */
export function ladderOf(series, measurements) {
  const find = finder(measurements);
  return series.map((one) => {
    const library = one.points.find(({ x }) => isReference(x))?.measurement;
    const wrong = library?.verified === false;
    const rungs = one.points.map(({ x: step, measurement }) => ({
      step,
      measurement,
      share: wrong ? null : (find('share_of_reference', measurement.axes)?.median ?? null),
    }));
    return {
      key: one.key,
      label: one.label,
      one,
      rungs,
      largest: Math.max(0, ...rungs.map(({ measurement: { q3, median } }) => q3 ?? median ?? 0)),
      reference: wrong ? null : (rungs.find(({ step }) => isReference(step)) ?? null),
    };
  });
}
