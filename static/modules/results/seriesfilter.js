// Limits the number of series in a chart: if there are too many, single values of some axes are picked, until few
// enough series remain. A pick is the value of an axis that is shown.

import { distinct, keyOf, splitAxes } from './series.js';

const SERIES_MAX = 40; // more series cannot be distinguished by colour and dash
const READABLE_MAX = 8; // more lines are too many to begin with
const LEFT_MIN = 3; // series that a pick leaves at least, to have fewer than READABLE_MAX

const valuesOf = (measurements, { name }) => [
  ...new Set(measurements.filter(({ axes }) => name in axes).map(({ axes }) => axes[name])),
];

/** The measurements that match all picks. A measurement without the axis always matches: an aggregate over all devices
 * has no target. */
const matching = (measurements, picks) =>
  measurements.filter(({ axes }) =>
    [...picks].every(([name, value]) => value === null || !(name in axes) || axes[name] === value),
  );

const otherPicks = (picks, { name }) => [...picks].filter(([other]) => other !== name);

const seriesCount = (measurements, axes) =>
  new Set(measurements.map((measurement) => keyOf(measurement, axes))).size;

/** The value of an axis that is picked first: that of `headline`, {axis name: value}, if it is among the measurements,
 * otherwise their first; null without any. */
function firstValue(measurements, axis, headline) {
  const values = valuesOf(measurements, axis);
  return values.includes(headline[axis.name]) ? headline[axis.name] : (values[0] ?? null);
}

/** The axes to limit so that not more than READABLE_MAX series remain, or as few more as possible: those with the
 * fewest values first, because the others are what the chart is about; never those that are `compared`. */
function crowdingAxes(kinds, varying, values, headline) {
  const found = [];
  let rest = kinds;
  for (const axis of varying.filter(({ compared }) => !compared).sort((a, b) => values.get(a.name).length - values.get(b.name).length)) {
    if (seriesCount(rest, varying) <= READABLE_MAX) break;
    const left = matching(rest, new Map([[axis.name, firstValue(rest, axis, headline)]]));
    if (seriesCount(left, varying) < LEFT_MIN) continue;
    rest = left;
    found.push(axis);
  }
  return found;
}

/** Returns {picks: [{axis, values, value, empty}], measurements, split}: the measurements to show in a chart over `x`,
 * and the picks that select them; no picks when all series can be shown, and then the result of splitAxes. `chosen` are
 * the user's picks: axis name -> value, null for all. Axes are limited to the value of `headline`, the axes of the
 * run's first headline, or to their first value that was measured under the picks so far: if the chart has `lines`, the
 * crowdingAxes; then, while there are more than SERIES_MAX series, axes of devices first, then those with the most
 * values. `empty` are the values without measurements under the user's other picks; as long as none of them is chosen,
 * something is shown. */
export function filterSeries(measurements, axes, x, chosen, swept, { lines = false, headline = {} } = {}) {
  const kinds = distinct(measurements, x);
  const split = splitAxes(measurements, axes, x, swept, kinds);
  const { varying } = split;
  const values = new Map(varying.map((axis) => [axis.name, valuesOf(measurements, axis)]));
  const crowding = lines ? crowdingAxes(kinds, varying, values, headline) : [];
  if (!crowding.length && seriesCount(kinds, varying) <= SERIES_MAX) return { picks: [], measurements, split };
  const picks = new Map([...chosen].filter(([name]) => varying.some((axis) => axis.name === name)));
  const unpicked = varying
    .filter(({ name, compared }) => !compared && !picks.has(name))
    .sort((a, b) => Boolean(b.values) - Boolean(a.values) || values.get(b.name).length - values.get(a.name).length);
  const measured = measurements.filter(({ skipped }) => !skipped);
  const userPicks = new Map(picks);
  const pick = (axis) => {
    const possible = valuesOf(matching(measured, otherPicks(userPicks, axis)), axis);
    return {
      axis,
      values: values.get(axis.name),
      value: picks.get(axis.name) ?? null,
      empty: values.get(axis.name).filter((value) => !possible.includes(value)),
    };
  };
  const limit = (axis) => picks.set(axis.name, firstValue(matching(measured, picks), axis, headline));
  crowding.filter(({ name }) => !picks.has(name)).forEach(limit);
  for (const axis of unpicked) {
    if (seriesCount(matching(measurements, picks), varying) <= SERIES_MAX) break;
    limit(axis);
  }
  return {
    picks: varying.map(pick),
    measurements: matching(measurements, picks),
  };
}
