// Compares a run with published results: finds the measurements at the axes of each published value, the best of them,
// and the ratio. Times at other sizes are not comparable; where a system's times come with speedups, the speedups are
// compared instead, each relative to its own baseline.

import { labelOf, splitAxes } from './series.js';

/** Axes in which a baseline may differ from the variants measured against it: it has no chunks and no streams. */
const VARIANT_AXES = new Set(['variant', 'streams', 'chunks', 'replay']);

/** Axes ignored when speedups are compared: a speedup hardly depends on the size. */
const SIZE_AXES = new Set(['bytes']);

/** Metrics other than times for which smaller is better. */
const SMALLER_IS_BETTER = new Set(['max_error', 'polls', 'imbalance']);

/** Groups the references by system: [{system, source, remark, rows: [{reference, base, speedup, own, where, count,
 * ratio}]}]. `base` is true for the baseline of the system's speedups; `speedup` is the published speedup that belongs
 * to a published time, otherwise null. `own` is the best value of this run at the reference's axes (null: none),
 * `where` says which of `count` values it is, `ratio` is own / published. */
export function compareWithReferences(references, measurements, experiment) {
  const done = measurements.filter(
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
      rows: rows.map((reference) => ({ reference, ...compareReference(reference, list, done, experiment) })),
    };
  });
  // Systems that this run can be compared with come first.
  const comparable = ({ rows }) => rows.some(({ own }) => own !== null);
  return [...all.filter(comparable), ...all.filter((one) => !comparable(one))];
}

const NO_MATCH = { own: null, where: '', count: 0, ratio: null };

function compareReference(reference, list, done, experiment) {
  const bySpeedup = reference.metric === 'time' && list.some(({ metric }) => metric === 'speedup');
  if (!bySpeedup) return { base: false, speedup: null, ...bestOfMetric(reference, done, experiment) };
  const speedup = sameAxesReference(reference, list, 'speedup');
  if (!speedup) return { base: true, speedup: null, ...NO_MATCH };
  const base = list.find(
    (other) =>
      other.metric === 'time' &&
      !sameAxesReference(other, list, 'speedup') &&
      sameAxes(other.axes, reference.axes, VARIANT_AXES),
  );
  const found = base?.axes.variant ? speedupsOver(base.axes.variant, speedup, done) : null;
  return {
    base: false,
    speedup: speedup.value,
    ...(found ? bestOf(found, speedup, experiment) : bestOfMetric(speedup, done, experiment)),
  };
}

const sameAxes = (a, b, but = new Set()) =>
  [...new Set([...Object.keys(a), ...Object.keys(b)])].every((name) => but.has(name) || a[name] === b[name]);

/** Whether `measured` has the values of all axes that `wanted` names, except those in `but`. */
const matchesAxes = (measured, wanted, but = new Set()) =>
  Object.entries(wanted).every(([name, value]) => but.has(name) || measured?.[name] === value);

/** The reference of another metric at the same axes. */
const sameAxesReference = ({ axes }, list, metric) =>
  list.find((other) => other.metric === metric && sameAxes(other.axes, axes));

/** Compares with the run's measurements of the same metric. */
function bestOfMetric(reference, done, experiment) {
  const but = reference.metric === 'speedup' ? SIZE_AXES : new Set();
  const found = done
    .filter(({ metric, axes }) => metric === reference.metric && matchesAxes(axes, reference.axes, but))
    .map((measurement) => ({ measurement, value: measurement.median }));
  return bestOf(found, reference, experiment);
}

/** Speedups of the measurements at the reference's axes over this run's own `variant`. */
function speedupsOver(variant, reference, done) {
  const times = done.filter(({ metric }) => metric === 'time');
  const factor = ({ axes, median }) => {
    const bases = times.filter((other) => other.axes.variant === variant && sameAxes(other.axes, axes, VARIANT_AXES));
    const base = bases.find((other) => other.axes.chunks === axes.chunks) ?? bases[0];
    return base && median > 0 ? base.median / median : null;
  };
  return times
    .filter(({ axes }) => matchesAxes(axes, reference.axes, SIZE_AXES))
    .map((measurement) => ({ measurement, value: factor(measurement) }))
    .filter(({ value }) => value > 0);
}

function bestOf(found, { metric, unit, value: published, axes: named }, experiment) {
  if (!found.length) return NO_MATCH;
  const smallerIsBetter = unit === 's' || SMALLER_IS_BETTER.has(metric);
  const chosen = found.reduce((a, b) => ((smallerIsBetter ? b.value < a.value : b.value > a.value) ? b : a));
  const { varying } = splitAxes(
    found.map(({ measurement }) => measurement),
    experiment.axes,
    null,
  );
  const naming = varying.filter(({ name }) => !(name in named) || SIZE_AXES.has(name));
  return {
    own: chosen.value,
    where: labelOf(chosen.measurement, naming, ''),
    count: found.length,
    ratio: published > 0 ? chosen.value / published : null,
  };
}
