// Views of more series than can be told apart: values of their axes are picked until they are few enough.

import { splitAxes } from './series.js';

const MOST = 40; // as many as colours and dashes tell apart

const valuesOf = (measurements, { name }) => [
  ...new Set(measurements.filter(({ axes }) => name in axes).map(({ axes }) => axes[name])),
];

/** Measurements that an axis has no say about are never picked out: a sum over all devices has no target. */
const picked = (measurements, picks) =>
  measurements.filter(({ axes }) =>
    [...picks].every(([name, value]) => value === null || !(name in axes) || axes[name] === value),
  );

const others = (picks, { name }) => [...picks].filter(([other]) => other !== name);

const seriesIn = (measurements, axes) =>
  new Set(measurements.map((measurement) => JSON.stringify(axes.map(({ name }) => measurement.axes[name] ?? null))))
    .size;

/** {picks: [{axis, values, value, empty}], measurements}: what is left to be shown of a view over `x`, and how it came to
 * be so few; no picks where all can be shown. `chosen` are a person's picks, axis name -> value or null for all; of the
 * other axes those of devices are cut down to the first value that was measured under the picks before, then the one
 * with the most values, and so on. `empty` are the values that were not measured under the person's other picks: as
 * long as none of them is chosen, there is something to show. */
export function narrow(measurements, axes, x, chosen, swept) {
  const { varying } = splitAxes(measurements, axes, x, swept);
  if (seriesIn(measurements, varying) <= MOST) return { picks: [], measurements };
  const picks = new Map([...chosen].filter(([name]) => varying.some((axis) => axis.name === name)));
  const values = new Map(varying.map((axis) => [axis.name, valuesOf(measurements, axis)]));
  const open = varying
    .filter(({ name }) => !picks.has(name))
    .sort((a, b) => Boolean(b.values) - Boolean(a.values) || values.get(b.name).length - values.get(a.name).length);
  const found = measurements.filter(({ skipped }) => !skipped);
  const own = new Map(picks);
  const pick = (axis) => {
    const possible = valuesOf(picked(found, others(own, axis)), axis);
    return {
      axis,
      values: values.get(axis.name),
      value: picks.get(axis.name) ?? null,
      empty: values.get(axis.name).filter((value) => !possible.includes(value)),
    };
  };
  for (const axis of open) {
    if (seriesIn(picked(measurements, picks), varying) <= MOST) break;
    const [first = null] = valuesOf(picked(found, picks), axis);
    picks.set(axis.name, first);
  }
  return {
    picks: varying.map(pick),
    measurements: picked(measurements, picks),
  };
}
