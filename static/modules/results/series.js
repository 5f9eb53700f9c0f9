// Turns a run's measurements into the series of a chart: which measurements a view shows, which of them form one
// series, how series are labelled, and what all of them have in common.

import { plural } from '../text/format.js';
import { showsOneSize } from './sizes.js';
import { axisValueText, labelledValue, needsNoTitle } from '../text/displaynames.js';
import { colouredAxis, styleFunction, valueOrders } from './styles.js';

/** By kind of view, the axes that a measurement must have to be drawn; those of other kinds are `x` and `y`. */
const REQUIRED_AXES = { table: () => [], matrix: ({ x }) => [x, 'source'], scatter: ({ y }) => [y] };
const OF_X_AND_Y = ({ x, y }) => [x, ...(y ?? '').split(' ')];

/** Returns a function that tells whether `view` shows a measurement: it has the view's metric and the axes that the
 * view is drawn over. */
export function isShownIn(view) {
  const required = (REQUIRED_AXES[view.kind] ?? OF_X_AND_Y)(view).filter(Boolean);
  return ({ metric, axes = {} }) => (!view.metric || metric === view.metric) && required.every((name) => name in axes);
}

/** Returns a function that gives an object for a measurement, the same for all that have the same values of the axes
 * other than `x`. Ten thousand measurements have few combinations, and this finds them sooner than a text of the values
 * would. */
function combinations(x) {
  const root = new Map();
  const next = (map, key) => map.get(key) ?? map.set(key, new Map()).get(key);
  return ({ axes }) => {
    let found = root;
    for (const name in axes) if (name !== x) found = next(next(found, name), axes[name]);
    return found;
  };
}

/** The first measurement of each combination of values of the axes other than `x`. */
export function distinct(measurements, x) {
  const combinationOf = combinations(x);
  const first = new Map();
  for (const one of measurements) {
    const combination = combinationOf(one);
    if (!first.has(combination)) first.set(combination, one);
  }
  return [...first.values()];
}

/** Groups the measurements of a view into series: {series: [{key, axes, label, colour, dash, marker, points: [{x,
 * measurement}]}], varying: [axis], constant: [{axis, value}], following: [axis], coloured: axis, skipped}. `varying`,
 * `constant` and `following` as returned by splitAxes; `coloured` is the axis whose values have different colours.
 * Points are sorted by x; text values in the order of `view.order`, then in order of measurement. Of two measurements
 * at the same point the later one counts. Skipped measurements are only in `skipped`. `swept` are the parameters of an
 * unfinished run: axes that the run sweeps count as varying from the start, so labels and keys do not change while
 * measurements arrive. `all` are the measurements of the run and `orders` the values of its axes (valueOrders), which
 * decide the styles; `colour` is the name of the axis to show by colour, if the user has chosen one; `split` is the
 * result of splitAxes, if it is known. */
export function seriesOf(view, measurements, axes, swept = {}, { all = measurements, orders = null, colour = '', split = null } = {}) {
  const shown = measurements.filter(isShownIn(view));
  const { varying, constant, following } = split ?? splitAxes(shown, axes, view.x, swept);
  const seriesKeyOf = seriesKeyFunction(view, varying, constant);
  const valuesByAxis = orders ?? valueOrders(all, () => [], swept);
  const coloured = colouredAxis(varying, valuesByAxis, colour);
  const combinationOf = combinations(view.x);
  const keys = new Map(); // by combination
  const groups = new Map(); // by key: the points by x
  for (const measurement of shown) {
    if (measurement.skipped) continue;
    const combination = combinationOf(measurement);
    if (!keys.has(combination)) keys.set(combination, seriesKeyOf(measurement));
    const key = keys.get(combination);
    if (!groups.has(key)) groups.set(key, new Map());
    const x = measurement.axes[view.x] ?? '';
    groups.get(key).set(x, { x, measurement });
  }
  const others = varying.filter((axis) => axis !== coloured);
  const style = styleFunction(all, coloured, others, valuesByAxis);
  const order = new Map(); // positions of texts on the axis x
  for (const x of view.order ?? []) order.set(x, order.size);
  for (const { axes: { [view.x]: x = '' } } of shown) if (typeof x !== 'number' && !order.has(x)) order.set(x, order.size);
  const byValue = (a, b) =>
    typeof a.x === 'number' && typeof b.x === 'number' ? a.x - b.x : order.get(a.x) - order.get(b.x);
  const series = [...groups].map(([key, byX]) => {
    const points = [...byX.values()].sort(byValue);
    const first = points[0].measurement;
    return {
      key,
      axes: Object.fromEntries(varying.map((axis) => [axis.name, first.axes[axis.name]])),
      label: labelOf(first, varying),
      points,
      ...style(first),
    };
  });
  const skipped = shown.filter((measurement) => measurement.skipped);
  return { series, varying, constant, following, coloured, skipped };
}

/** Splits the axes of some measurements, except `x`, in the experiment's order: `varying` axes distinguish the
 * measurements; `constant` axes have one value ([{axis, value}], with `partly` where some measurements lack the axis);
 * `following` axes are determined by `x`. An axis that some measurements lack (a copy within the device has no host
 * memory) counts as varying only if no other axis distinguishes them. `kinds` is the result of distinct, if it is
 * known. */
export function splitAxes(measurements, axes, x, swept = {}, kinds = distinct(measurements, x)) {
  const values = new Map();
  for (const { axes: own } of kinds) {
    for (const name in own) {
      if (name === x) continue;
      if (!values.has(name)) values.set(name, new Set(Array.isArray(swept[name]) ? swept[name] : []));
      values.get(name).add(own[name]);
    }
  }
  const named = new Map((axes ?? []).map((axis) => [axis.name, axis]));
  const present = [...named.keys(), ...[...values.keys()].filter((name) => !named.has(name))]
    .filter((name) => values.has(name))
    .map((name) => named.get(name) ?? { name, title: name, unit: null });
  const following = followersOf(measurements, present, x, swept);
  const independent = present.filter((axis) => !following.includes(axis));
  const countGroups = (by) => new Set(kinds.map((measurement) => keyOf(measurement, by))).size;
  const multivalued = independent.filter(({ name }) => values.get(name).size > 1);
  const isLacking = ({ name }) => kinds.some(({ axes: own }) => !(name in (own ?? {})));
  const multivaluedSuffice = !independent.some(isLacking) || countGroups(multivalued) === countGroups(independent);
  const distinguishes = (axis) => values.get(axis.name).size > 1 || (!multivaluedSuffice && isLacking(axis));
  return {
    varying: independent.filter(distinguishes),
    constant: independent
      .filter((axis) => !distinguishes(axis))
      .map((axis) => ({ axis, value: [...values.get(axis.name)][0], ...(isLacking(axis) && { partly: true }) })),
    following,
  };
}

/** Axes that follow `x`: numeric axes that change along a series but have one value for each value of `x` within it, as
 * n and k do where square matrices are swept over m. An axis that an unfinished run sweeps itself does not count: its
 * first values may match `x` by chance. */
function followersOf(measurements, order, x, swept) {
  const isNumber = (name) => measurements.every((measurement) => typeof measurement.axes?.[name] === 'number');
  if (!x || !isNumber(x)) return [];
  const follows = ({ name }, others) => {
    const seriesByKey = new Map();
    for (const measurement of measurements) {
      const { axes } = measurement;
      const key = keyOf(measurement, others);
      const valueByX = seriesByKey.get(key) ?? seriesByKey.set(key, new Map()).get(key);
      if (valueByX.has(axes[x]) && valueByX.get(axes[x]) !== axes[name]) return false;
      valueByX.set(axes[x], axes[name]);
    }
    return [...seriesByKey.values()].some((valueByX) => new Set(valueByX.values()).size > 1);
  };
  const isSwept = (name) => Array.isArray(swept[name]) && swept[name].length > 1;
  let following = order.filter(({ name }) => isNumber(name) && !isSwept(name));
  for (;;) {
    const others = order.filter((axis) => !following.includes(axis));
    const remaining = following.filter((axis) => follows(axis, others));
    if (remaining.length === following.length) return following;
    following = remaining;
  }
}

/** Returns a function that gives the key of a measurement's series: its values of all axes other than x, so that the
 * key does not depend on the other series. Numeric axes are part of the key where they vary, except in views of one
 * size, where a series is the same at every size. */
function seriesKeyFunction(view, varying, constant) {
  const numbers = new Set(showsOneSize(view) ? [] : varying.map(({ name }) => name));
  const names = [...varying, ...constant.map(({ axis }) => axis)].map(({ name }) => name).sort();
  const distinguishes = ([name, value]) => value !== undefined && (typeof value !== 'number' || numbers.has(name));
  return ({ axes }) => JSON.stringify(names.map((name) => [name, axes[name]]).filter(distinguishes));
}

/** The values of some axes as a text that differs if one of them differs. */
export function keyOf({ axes: own = {} }, axes) {
  let key = '';
  for (const { name } of axes) {
    const value = own[name];
    key += `${typeof value === 'string' ? '"' : ''}${value}\n`;
  }
  return key;
}

/** Describes the points of many measurements in few texts, such as "host → device · 1 KiB to 4 KiB": measurements that
 * differ only in numbers or devices are one group, described by a range: [{text, measurements}]. Only `axes` are named.
 */
export function describePoints(measurements, axes) {
  const isNumber = (axis) => measurements.some((measurement) => typeof measurement.axes?.[axis.name] === 'number');
  const rangeAxes = axes.filter((axis) => axis.values || isNumber(axis));
  const naming = axes.filter((axis) => !rangeAxes.includes(axis));
  const groups = new Map();
  for (const measurement of measurements) {
    const key = keyOf(measurement, naming);
    groups.set(key, [...(groups.get(key) ?? []), measurement]);
  }
  return [...groups.values()].map((group) => ({
    text: [labelOf(group[0], naming, ''), ...rangeAxes.map((axis) => rangeText(group, axis))]
      .filter(Boolean)
      .join(' · '),
    measurements: group,
  }));
}

function rangeText(measurements, axis) {
  const values = [
    ...new Set(measurements.filter(({ axes }) => axis.name in (axes ?? {})).map(({ axes }) => axes[axis.name])),
  ];
  if (values.length < 2)
    return values.map((value) => (axis.unit ? axisValueText(axis, value) : labelledValue(axis, value)))[0];
  const name = axis.unit || needsNoTitle(axis) ? '' : `${axis.title.toLowerCase()} `;
  if (axis.values) return `${name}${plural(values.length, 'device')}`;
  return `${name}${[Math.min(...values), Math.max(...values)].map((value) => axisValueText(axis, value)).join(' to ')}`;
}

/** The label of a series when no axis varies, so that it is the only one. */
export const ALL_POINTS = 'all points';

/** The label of a measurement's series, such as "host → device · pinned"; axes that the measurement lacks are left out.
 * `none` is the label if no part remains. */
export function labelOf(measurement, varying, none = ALL_POINTS) {
  const parts = varying
    .filter((axis) => axis.name in measurement.axes)
    .map((axis) => labelledValue(axis, measurement.axes[axis.name]));
  return parts.join(' · ') || none;
}

/** The distinct theoretical peaks of the measurements of some series: [{value, what}]. */
export function peaksOf(series) {
  const peaks = new Map();
  let last = null;
  for (const { points } of series)
    for (const { measurement: { peak } } of points) {
      if (!(peak?.value > 0) || (peak.value === last?.value && peak.what === last.what)) continue;
      peaks.set(`${peak.what} ${peak.value}`, peak);
      last = peak;
    }
  return [...peaks.values()];
}

/** The kind of chart to draw: a line chart needs at least three different numbers on its axis; otherwise bars are
 * drawn. */
export function chartKind(view, series) {
  if (view.kind !== 'line') return view.kind;
  const xs = new Set();
  for (const { points } of series) for (const { x } of points) xs.add(x);
  return xs.size > 2 && [...xs].every((x) => typeof x === 'number') ? 'line' : 'bars';
}
