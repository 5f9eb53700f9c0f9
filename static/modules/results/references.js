// Compares a run with reference results: finds the run's measurements at the axes of each reference, the best of them,
// and the ratio of the two. Times at other sizes are not comparable; where a system's times come with speedups, the
// speedups are compared instead, each relative to its own baseline.

import { newestFirst } from './published.js';
import { labelOf, splitAxes } from './series.js';

/** Axes that are ignored when the baseline of a time is searched: a baseline has another variant, and neither chunks
 * nor streams. */
const VARIANT_AXES = new Set(['variant', 'streams', 'chunks', 'replay']);

/** Axes of the size of the work. A speedup depends on them less than a time does, and more on the chunks and the
 * streams. */
const SIZE_AXES = new Set(['bytes', 'weight']);

/** Groups the references by system: [{system, source, remark, rows: [{reference, base, speedup, ownSpeedup, otherSizes,
 * own, where, count, ratio}]}]. `base` is true for the time that is the baseline of the system's speedups. `speedup` is
 * the reference's speedup that belongs to a time, otherwise null. `own` is the best of the `count` values of this run
 * at the reference's axes (null if there is none): the speedup in place of the time (`ownSpeedup` is true) if the run
 * has no time at the size of the reference, and `otherSizes` names the axes of the size that differ. `where` describes
 * the axes in which this best value differs from the other values or from the reference, `ratio` is own / reference. */
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
  // Systems that this run can be compared with come first, and newer ones before older ones.
  const comparable = ({ rows }) => rows.some(({ own }) => own !== null);
  const sorted = newestFirst(all);
  return [...sorted.filter(comparable), ...sorted.filter((one) => !comparable(one))];
}

const NO_MATCH = { own: null, where: '', count: 0, ratio: null };

/** The row of a reference; `list` are all references of its system, `valid` the measurements of the run that count. */
function compareReference(reference, list, valid, experiment) {
  const bySpeedup = reference.metric === 'time' && list.some(({ metric }) => metric === 'speedup');
  const speedup = bySpeedup ? sameAxesReference(reference, list, 'speedup') : null;
  const row = { base: bySpeedup && !speedup, speedup: speedup?.value ?? null, ownSpeedup: false, otherSizes: [] };
  const sized = bySpeedup ? valid.filter(({ axes }) => otherSizes(reference.axes, axes).length === 0) : valid;
  const found = bestOf(measuredAt(reference, sized), reference, experiment);
  if (found.own !== null || !bySpeedup) return { ...row, ...found };
  if (!speedup) return { ...row, ...NO_MATCH };
  const base = list.find(
    (other) =>
      other.metric === 'time' &&
      !sameAxesReference(other, list, 'speedup') &&
      sameAxes(other.axes, reference.axes, VARIANT_AXES),
  );
  const speedups = base?.axes.variant ? speedupsOver(base.axes.variant, speedup, valid) : measuredAt(speedup, valid);
  const differing = speedups.flatMap(({ measurement }) => otherSizes(reference.axes, measurement.axes));
  return {
    ...row,
    ownSpeedup: speedups.length > 0,
    otherSizes: [...new Set(differing)],
    ...bestOf(speedups, speedup, experiment),
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

/** The axes of its size on which a measured point is not known to have the value of a reference. */
const otherSizes = (named, measured) => [...SIZE_AXES].filter((name) => name in measured && named[name] !== measured[name]);

/** The measurements at the axes that `named` has; at other sizes if there are none. */
function atAnySize(measurements, named) {
  const same = measurements.filter(({ axes }) => matchesAxes(axes, named));
  return same.length ? same : measurements.filter(({ axes }) => matchesAxes(axes, named, SIZE_AXES));
}

/** The run's measurements of the reference's metric at its axes, and of speedups at other sizes if there are none:
 * [{measurement, value}]. */
function measuredAt({ metric, axes: named }, valid) {
  const same = valid.filter((one) => one.metric === metric);
  const found = metric === 'speedup' ? atAnySize(same, named) : same.filter(({ axes }) => matchesAxes(axes, named));
  return found.map((measurement) => ({ measurement, value: measurement.median }));
}

/** The speedups of this run's times at the reference's axes, or at other sizes, relative to its times of `variant`:
 * [{measurement, value}]. */
function speedupsOver(variant, reference, valid) {
  const times = valid.filter(({ metric }) => metric === 'time');
  const speedupOf = ({ axes, median }) => {
    const bases = times.filter((other) => other.axes.variant === variant && sameAxes(other.axes, axes, VARIANT_AXES));
    const base = bases.find((other) => other.axes.chunks === axes.chunks) ?? bases[0];
    return base && median > 0 ? base.median / median : null;
  };
  return atAnySize(times, reference.axes)
    .map((measurement) => ({ measurement, value: speedupOf(measurement) }))
    .filter(({ value }) => value > 0);
}

/** The best of the `found` values ([{measurement, value}]) of this run, compared with a reference. */
function bestOf(found, { metric, value: referenceValue, axes: named }, experiment) {
  if (!found.length) return NO_MATCH;
  const smallerIsBetter = experiment.metrics.find(({ name }) => name === metric)?.better === 'lower';
  const best = found.reduce((a, b) => ((smallerIsBetter ? b.value < a.value : b.value > a.value) ? b : a));
  const { varying } = splitAxes(
    found.map(({ measurement }) => measurement),
    experiment.axes,
    null,
  );
  const differing = experiment.axes.filter(({ name }) => name in named && named[name] !== best.measurement.axes[name]);
  const naming = [...varying.filter(({ name }) => !(name in named)), ...differing];
  return {
    own: best.value,
    where: labelOf(best.measurement, naming, ''),
    count: found.length,
    ratio: referenceValue > 0 ? best.value / referenceValue : null,
  };
}
