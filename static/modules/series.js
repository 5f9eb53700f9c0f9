// From a run's measurements to what a chart draws: which measurements a view shows, which of them form one line, how
// each line is told apart (colour by one of the axes that vary, dash and marker by the others), and what all of them
// have in common.

import { plural } from './format.js';
import { isOfOneSize } from './sizes.js';
import { axisWords, placeWords, saysItself } from './displaynames.js';

const COLOURS = 8; // --series-1 … --series-8 in css/base.css
const DASHES = 5; // dash patterns, and as many markers, in parts/stroke.js

/** What none of the views shows: measurements whose metric has no view or that lack the view's axis. */
export function outsideViews(measurements, views) {
  return measurements.filter((measurement) => !views.some((view) => shows(view, measurement)));
}

/** Axes that a kind of view needs besides its own. */
const NEEDED = { matrix: ['source'] };

/** Whether `view` has a place for a measurement: of its metric and, where it is drawn over axes, somewhere on them. */
export function shows(view, measurement) {
  const needed = [...(view.x && view.kind !== 'table' ? [view.x] : []), ...(NEEDED[view.kind] ?? [])];
  return (
    (!view.metric || measurement.metric === view.metric) && needed.every((name) => name in (measurement.axes ?? {}))
  );
}

/** Groups what a view shows: {series: [{key, axes, label, colour, dash, marker, points: [{x, measurement}]}], varying:
 * [axis], constant: [{axis, value}], following: [axis], coloured: axis, skipped}. Points are sorted by x, texts as
 * `view.order` has them, else in the order in which they were measured; a point measured twice keeps the later. Skipped
 * points are in `skipped` only. `swept` are the parameters of a run that has not measured all it should: axes that were to
 * vary do so from the start, and lines keep their names; their keys they keep whatever comes. */
export function seriesOf(view, measurements, axes, swept = {}) {
  const shown = measurements.filter((measurement) => shows(view, measurement));
  const { varying, constant, following } = splitAxes(shown, axes, view.x, swept);
  const identityOf = identifier(view, varying, constant);
  const coloured = colouredAxis(shown, varying, swept);
  const groups = new Map();
  for (const measurement of shown) {
    if (measurement.skipped) continue;
    const key = identityOf(measurement);
    if (!groups.has(key)) groups.set(key, new Map());
    groups.get(key).set(measurement.axes[view.x] ?? '', measurement);
  }
  const style = styler(
    shown.filter((measurement) => !measurement.skipped),
    [coloured, ...varying.filter((axis) => axis !== coloured)],
  );
  const order = new Map(
    [...new Set([...(view.order ?? []), ...shown.map((measurement) => measurement.axes[view.x] ?? '')])].map(
      (x, at) => [x, at],
    ),
  );
  const byValue = (a, b) =>
    typeof a.x === 'number' && typeof b.x === 'number' ? a.x - b.x : order.get(a.x) - order.get(b.x);
  const series = [...groups].map(([key, byX]) => {
    const points = [...byX].map(([x, measurement]) => ({ x, measurement })).sort(byValue);
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

/** The axes of some measurements but for `x`, in the experiment's order: those that tell them apart (`varying`), those
 * with one value (`constant`, `partly` where some have none), and those that only go along with `x` (`following`). An
 * axis that some measurements lack (a copy within the device has no host memory) tells apart only where no other does.
 * */
export function splitAxes(measurements, axes, x, swept = {}) {
  const values = new Map();
  for (const measurement of measurements) {
    for (const [name, value] of Object.entries(measurement.axes ?? {})) {
      if (name !== x)
        values.set(name, (values.get(name) ?? new Set(Array.isArray(swept[name]) ? swept[name] : [])).add(value));
    }
  }
  const named = new Map((axes ?? []).map((axis) => [axis.name, axis]));
  const order = [...named.keys(), ...[...values.keys()].filter((name) => !named.has(name))]
    .filter((name) => values.has(name))
    .map((name) => named.get(name) ?? { name, title: name, unit: null });
  const following = followersOf(measurements, order, x, swept);
  const own = order.filter((axis) => !following.includes(axis));
  const groups = (by) => new Set(measurements.map((measurement) => keyOf(measurement, by))).size;
  const several = own.filter(({ name }) => values.get(name).size > 1);
  const apart = groups(several) === groups(own);
  const lacking = ({ name }) => measurements.some((measurement) => !(name in (measurement.axes ?? {})));
  const tells = (axis) => values.get(axis.name).size > 1 || (!apart && lacking(axis));
  return {
    varying: own.filter(tells),
    constant: own
      .filter((axis) => !tells(axis))
      .map((axis) => ({ axis, value: [...values.get(axis.name)][0], ...(lacking(axis) && { partly: true }) })),
    following,
  };
}

/** Axes that follow `x`: numbers that change along a line, but have one value for each value of `x` on it, as n and k
 * do where square matrices are swept over m. What a run that is not over sweeps by itself follows nothing: that its
 * first points look so is chance. */
function followersOf(measurements, order, x, swept) {
  const isNumber = (name) => measurements.every((measurement) => typeof measurement.axes?.[name] === 'number');
  if (!x || !isNumber(x)) return [];
  const follows = ({ name }, others) => {
    const lines = new Map();
    for (const measurement of measurements) {
      const { axes } = measurement;
      const key = keyOf(measurement, others);
      const line = lines.get(key) ?? lines.set(key, new Map()).get(key);
      if (line.has(axes[x]) && line.get(axes[x]) !== axes[name]) return false;
      line.set(axes[x], axes[name]);
    }
    return [...lines.values()].some((line) => new Set(line.values()).size > 1);
  };
  const sweptItself = (name) => Array.isArray(swept[name]) && swept[name].length > 1;
  let following = order.filter(({ name }) => isNumber(name) && !sweptItself(name));
  for (;;) {
    const others = order.filter((axis) => !following.includes(axis));
    const still = following.filter((axis) => follows(axis, others));
    if (still.length === following.length) return following;
    following = still;
  }
}

/** What a line is by itself, whether or not another differs from it yet: its values of all axes but those along it. Numbers
 * tell lines apart where they vary, but not in a view of one size: there a line is the same at every size. */
function identifier(view, varying, constant) {
  const numbers = new Set(isOfOneSize(view) ? [] : varying.map(({ name }) => name));
  const names = [...varying, ...constant.map(({ axis }) => axis)].map(({ name }) => name).sort();
  const tells = ([name, value]) => value !== undefined && (typeof value !== 'number' || numbers.has(name));
  return ({ axes }) => JSON.stringify(names.map((name) => [name, axes[name]]).filter(tells));
}

const keyOf = (measurement, axes) => JSON.stringify(axes.map((axis) => measurement.axes?.[axis.name] ?? null));

/** Where some measurements lie, in few words: measurements that differ only in numbers or in devices are one place with
 * a range. [{words, measurements}]. `axes` are those worth naming, as splitAxes tells them. */
export function places(measurements, axes) {
  const isNumber = (axis) => measurements.some((measurement) => typeof measurement.axes?.[axis.name] === 'number');
  const ranging = axes.filter((axis) => axis.values || isNumber(axis));
  const telling = axes.filter((axis) => !ranging.includes(axis));
  const groups = new Map();
  for (const measurement of measurements) {
    const key = keyOf(measurement, telling);
    groups.set(key, [...(groups.get(key) ?? []), measurement]);
  }
  return [...groups.values()].map((group) => ({
    words: [labelOf(group[0], telling, ''), ...ranging.map((axis) => range(group, axis))].filter(Boolean).join(' · '),
    measurements: group,
  }));
}

function range(measurements, axis) {
  const values = [
    ...new Set(measurements.filter(({ axes }) => axis.name in (axes ?? {})).map(({ axes }) => axes[axis.name])),
  ];
  if (values.length < 2)
    return values.map((value) => (axis.unit ? axisWords(axis, value) : placeWords(axis, value)))[0];
  const name = axis.unit || saysItself(axis) ? '' : `${axis.title.toLowerCase()} `;
  if (axis.values) return `${name}${plural(values.length, 'device')}`;
  return `${name}${[Math.min(...values), Math.max(...values)].map((value) => axisWords(axis, value)).join(' to ')}`;
}

/** What a line is called that is the only one. */
export const ALL_POINTS = 'all points';

/** "host → device · pinned"; axes a measurement does not have are left out. */
export function labelOf(measurement, varying, none = ALL_POINTS) {
  const words = varying
    .filter((axis) => axis.name in measurement.axes)
    .map((axis) => placeWords(axis, measurement.axes[axis.name]));
  return words.join(' · ') || none;
}

/** The axis that colours tell apart: the first, unless there are too many values of another for dashes. */
function colouredAxis(measurements, varying, swept) {
  const count = ({ name }) => {
    const planned = Array.isArray(swept[name]) ? swept[name] : [];
    return new Set([...planned, ...measurements.map(({ axes }) => axes[name])]).size;
  };
  return varying.find((axis) => count(axis) > DASHES) ?? varying[0];
}

/** Colour and dash of a line, by place of its values among all there are: colours by the first axis, dashes by the
 * others and, when colours come again, by the first too. */
function styler(measurements, [first, ...rest]) {
  const place = (list, value) => (list.includes(value) ? list.indexOf(value) : list.push(value) - 1);
  const [colours, dashes] = [[], []];
  const marks = (measurement) => [measurement.axes[first?.name] ?? null, keyOf(measurement, rest)];
  for (const measurement of measurements) {
    const [colour, dash] = marks(measurement);
    place(colours, colour);
    place(dashes, dash);
  }
  return (measurement) => {
    const [colour, dash] = marks(measurement);
    const [at, line] = [colours.indexOf(colour), dashes.indexOf(dash)];
    const pattern = rest.length ? line + dashes.length * Math.floor(at / COLOURS) : at;
    return { colour: at % COLOURS, dash: pattern % DASHES, marker: (pattern + Math.floor(pattern / DASHES)) % DASHES };
  };
}

/** The columns uPlot wants: [xs, then q1, q3 and median of each series], null where a series has no such x. With
 * `log_x` or `log_y` what has no logarithm is left out. */
export function columns(series, view) {
  const positive = (value, log) =>
    typeof value === 'number' && Number.isFinite(value) && (!log || value > 0) ? value : null;
  const xs = [...new Set(series.flatMap(({ points }) => points.map(({ x }) => x)))]
    .filter((x) => positive(x, view.log_x) !== null)
    .sort((a, b) => a - b);
  const data = [xs];
  for (const { points } of series) {
    const at = new Map(points.map(({ x, measurement }) => [x, measurement]));
    for (const name of ['q1', 'q3', 'median'])
      data.push(xs.map((x) => positive(at.get(x)?.[name] ?? at.get(x)?.median, view.log_y)));
  }
  return data;
}

/** The distinct peaks that a view's measurements name: [{value, what}]. */
export function peaksOf(series) {
  const peaks = new Map();
  for (const { measurement } of series.flatMap(({ points }) => points)) {
    if (measurement.peak?.value > 0) peaks.set(`${measurement.peak.what} ${measurement.peak.value}`, measurement.peak);
  }
  return [...peaks.values()];
}

/** The kind of chart that suits: a line needs at least two different numbers on its axis. */
export function kindFor(view, series) {
  if (view.kind !== 'line') return view.kind;
  const xs = new Set(series.flatMap(({ points }) => points.map(({ x }) => x)));
  return xs.size > 1 && [...xs].every((x) => typeof x === 'number') ? 'line' : 'bars';
}
