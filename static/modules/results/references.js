// Compares a run with reference results: finds the run's measurements at the axes of each reference, the best of them,
// and the ratio of the two. Times at other sizes are not comparable; where a system's times come with speedups, the
// speedups are compared instead, each relative to its own baseline.

import { labelOf, splitAxes } from './series.js';

/** Axes that are ignored when the baseline of a time is searched: a baseline has another variant, and neither chunks
 * nor streams. */
const VARIANT_AXES = new Set(['variant', 'streams', 'chunks', 'replay']);

/** Axes ignored when speedups are compared: a speedup hardly depends on the size. */
const SIZE_AXES = new Set(['bytes']);

/** Metrics other than times for which smaller is better. */
const SMALLER_IS_BETTER = new Set(['max_error', 'polls', 'imbalance']);

/** Groups the references by system: [{system, source, remark, rows: [{reference, base, speedup, own, where, count,
 * ratio}]}]. `base` is true for the time that is the baseline of the system's speedups. `speedup` is the reference's
 * speedup that belongs to a time, otherwise null. `own` is the best of the `count` values of this run at the
 * reference's axes (null if there is none), `where` describes the axes in which this best value differs from the other
 * values, `ratio` is own / reference. */
export function compareWithReferences(references, measurements, experiment) {
  const valid = measurements.filter(
    ({ skipped, verified, median }) => !skipped && verified !== false && typeof median === 'number',
  );
  const systems = new Map();
  for (const reference of references) {
    const { system } = reference;
    if (!systems.has(system)) systems.set(system, []);
    systems.get(system).push({ ...reference, axes: reference.axes ?? {} });
  }
  const all = [...systems].map(([system, list]) => {
    // A speedup is shown in the row of its time.
    const rows = list.filter(
      (reference) => reference.metric !== 'speedup' || !sameAxesReference(reference, list, 'time'),
    );
    return {
      system,
      source: [...new Set(rows.map(({ source }) => source).filter(Boolean))].join('; '),
      remark: [...new Set(rows.map(({ remark }) => remark).filter(Boolean))].join('; '),
      rows: rows.map((reference) => ({ reference, ...compareReference(reference, list, valid, experiment) })),
    };
  });
  // Systems that this run can be compared with come first.
  const comparable = ({ rows }) => rows.some(({ own }) => own !== null);
  return [...all.filter(comparable), ...all.filter((one) => !comparable(one))];
}

const NO_MATCH = { own: null, where: '', count: 0, ratio: null };

/** The row of a reference; `list` are all references of its system, `valid` the measurements of the run that count. */
function compareReference(reference, list, valid, experiment) {
  const bySpeedup = reference.metric === 'time' && list.some(({ metric }) => metric === 'speedup');
  if (!bySpeedup) return { base: false, speedup: null, ...bestOfMetric(reference, valid, experiment) };
  const speedup = sameAxesReference(reference, list, 'speedup');
  if (!speedup) return { base: true, speedup: null, ...NO_MATCH };
  const base = list.find(
    (other) =>
      other.metric === 'time' &&
      !sameAxesReference(other, list, 'speedup') &&
      sameAxes(other.axes, reference.axes, VARIANT_AXES),
  );
  const found = base?.axes.variant ? speedupsOver(base.axes.variant, speedup, valid) : null;
  return {
    base: false,
    speedup: speedup.value,
    ...(found ? bestOf(found, speedup, experiment) : bestOfMetric(speedup, valid, experiment)),
  };
}

/** Whether two points have the same values of all axes, except those in `ignored`. */
const sameAxes = (a, b, ignored = new Set()) =>
  [...new Set([...Object.keys(a), ...Object.keys(b)])].every((name) => ignored.has(name) || a[name] === b[name]);

/** Whether `measured` has the values of all axes that `wanted` names, except those in `ignored`. */
const matchesAxes = (measured, wanted, ignored = new Set()) =>
  Object.entries(wanted).every(([name, value]) => ignored.has(name) || measured?.[name] === value);

/** The reference of another metric at the same axes. */
const sameAxesReference = ({ axes }, list, metric) =>
  list.find((other) => other.metric === metric && sameAxes(other.axes, axes));

/** Compares with the run's measurements of the same metric. */
function bestOfMetric(reference, valid, experiment) {
  const ignored = reference.metric === 'speedup' ? SIZE_AXES : new Set();
  const found = valid
    .filter(({ metric, axes }) => metric === reference.metric && matchesAxes(axes, reference.axes, ignored))
    .map((measurement) => ({ measurement, value: measurement.median }));
  return bestOf(found, reference, experiment);
}

/** The speedups of this run's times at the reference's axes, relative to its times of `variant`: [{measurement,
 * value}]. */
function speedupsOver(variant, reference, valid) {
  const times = valid.filter(({ metric }) => metric === 'time');
  const speedupOf = ({ axes, median }) => {
    const bases = times.filter((other) => other.axes.variant === variant && sameAxes(other.axes, axes, VARIANT_AXES));
    const base = bases.find((other) => other.axes.chunks === axes.chunks) ?? bases[0];
    return base && median > 0 ? base.median / median : null;
  };
  return times
    .filter(({ axes }) => matchesAxes(axes, reference.axes, SIZE_AXES))
    .map((measurement) => ({ measurement, value: speedupOf(measurement) }))
    .filter(({ value }) => value > 0);
}

/** The best of the `found` values ([{measurement, value}]) of this run, compared with a reference. */
function bestOf(found, { metric, unit, value: referenceValue, axes: named }, experiment) {
  if (!found.length) return NO_MATCH;
  const smallerIsBetter = unit === 's' || SMALLER_IS_BETTER.has(metric);
  const best = found.reduce((a, b) => ((smallerIsBetter ? b.value < a.value : b.value > a.value) ? b : a));
  const { varying } = splitAxes(
    found.map(({ measurement }) => measurement),
    experiment.axes,
    null,
  );
  const naming = varying.filter(({ name }) => !(name in named) || SIZE_AXES.has(name));
  return {
    own: best.value,
    where: labelOf(best.measurement, naming, ''),
    count: found.length,
    ratio: referenceValue > 0 ? best.value / referenceValue : null,
  };
}
