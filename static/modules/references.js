// Published results beside one's own: which of a run's measurements stand where a reference stands, the best of them,
// and the ratio. Times of other sizes do not compare; where a system's times come with the speedups that they give, these
// are compared in their place, each over its own base.

import { labelOf, splitAxes } from './series.js';

/** Axes of a base that differ from those of what it is the base of: it has nothing to cut or to deal out. */
const OF_THE_VARIANT = new Set(['variant', 'streams', 'chunks', 'replay']);

/** A speedup does not depend on the size, or hardly. */
const SIZE = new Set(['bytes']);

/** Less is better in these, though they are no times. */
const LESS = new Set(['max_error', 'polls', 'imbalance']);

/** By system: [{system, source, remark, rows: [{reference, base, speedup, own, where, count, ratio}]}]. `base`: what
 * the system's speedups are over; `speedup` is the published one where it stands for a time, else null; `own` is the best value of this run at the
 * reference's axes in what is compared (null: none), `where` says which of `count` it is, `ratio` is own / published. */
export function besidePublished(references, measurements, experiment) {
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
    // A speedup stands in the row of the time that it comes from.
    const rows = list.filter((reference) => reference.metric !== 'speedup' || !twin(reference, list, 'time'));
    return {
      system,
      source: [...new Set(rows.map(({ source }) => source).filter(Boolean))].join('; '),
      remark: [...new Set(rows.map(({ remark }) => remark).filter(Boolean))].join('; '),
      rows: rows.map((reference) => ({ reference, ...compared(reference, list, done, experiment) })),
    };
  });
  // What this run can be held beside comes first.
  const matched = ({ rows }) => rows.some(({ own }) => own !== null);
  return [...all.filter(matched), ...all.filter((one) => !matched(one))];
}

const NOTHING = { own: null, where: '', count: 0, ratio: null };

function compared(reference, list, done, experiment) {
  const bySpeedup = reference.metric === 'time' && list.some(({ metric }) => metric === 'speedup');
  if (!bySpeedup) return { base: false, speedup: null, ...against(reference, done, experiment) };
  const speedup = twin(reference, list, 'speedup');
  if (!speedup) return { base: true, speedup: null, ...NOTHING };
  const base = list.find(
    (other) =>
      other.metric === 'time' && !twin(other, list, 'speedup') && sameAxes(other.axes, reference.axes, OF_THE_VARIANT),
  );
  const found = base?.axes.variant ? over(base.axes.variant, speedup, done) : null;
  return {
    base: false,
    speedup: speedup.value,
    ...(found ? best(found, speedup, experiment) : against(speedup, done, experiment)),
  };
}

const sameAxes = (a, b, but = new Set()) =>
  [...new Set([...Object.keys(a), ...Object.keys(b)])].every((name) => but.has(name) || a[name] === b[name]);

/** Whether `measured` lies where `wanted` says, on all axes that it names. */
const liesAt = (measured, wanted, but = new Set()) =>
  Object.entries(wanted).every(([name, value]) => but.has(name) || measured?.[name] === value);

/** The reference of another metric at the same axes. */
const twin = ({ axes }, list, metric) => list.find((other) => other.metric === metric && sameAxes(other.axes, axes));

/** Measurements of the reference's own metric where it stands. */
function against(reference, done, experiment) {
  const but = reference.metric === 'speedup' ? SIZE : new Set();
  const found = done
    .filter(({ metric, axes }) => metric === reference.metric && liesAt(axes, reference.axes, but))
    .map((measurement) => ({ measurement, value: measurement.median }));
  return best(found, reference, experiment);
}

/** How many times as fast as this run's own `variant` its measurements are, where the reference stands. */
function over(variant, reference, done) {
  const times = done.filter(({ metric }) => metric === 'time');
  const factor = ({ axes, median }) => {
    const bases = times.filter((other) => other.axes.variant === variant && sameAxes(other.axes, axes, OF_THE_VARIANT));
    const base = bases.find((other) => other.axes.chunks === axes.chunks) ?? bases[0];
    return base && median > 0 ? base.median / median : null;
  };
  return times
    .filter(({ axes }) => liesAt(axes, reference.axes, SIZE))
    .map((measurement) => ({ measurement, value: factor(measurement) }))
    .filter(({ value }) => value > 0);
}

function best(found, { metric, unit, value: published, axes: named }, experiment) {
  if (!found.length) return NOTHING;
  const less = unit === 's' || LESS.has(metric);
  const chosen = found.reduce((a, b) => ((less ? b.value < a.value : b.value > a.value) ? b : a));
  const { varying } = splitAxes(
    found.map(({ measurement }) => measurement),
    experiment.axes,
    null,
  );
  const telling = varying.filter(({ name }) => !(name in named) || SIZE.has(name));
  return {
    own: chosen.value,
    where: labelOf(chosen.measurement, telling, ''),
    count: found.length,
    ratio: published > 0 ? chosen.value / published : null,
  };
}
