// From a run's measurements to what a chart draws: which measurements a view shows, which of them form one line, how
// each line is told apart (colour by the first axis that varies, dash and marker by the others), and what all of them
// have in common.

import { valueWords } from './words.js';

const COLOURS = 8; // --series-1 … --series-8 in css/base.css
const DASHES = 5; // dash patterns, and as many markers, in parts/stroke.js

/** What none of the views shows: measurements whose metric has no view or that lack the view's axis. */
export function outsideViews(measurements, views) {
  return measurements.filter((measurement) => !views.some((view) => shows(view, measurement)));
}

/** Whether `view` has a place for a measurement: of its metric and, where it is drawn over an axis, somewhere on it. */
export function shows(view, measurement) {
  return (
    (!view.metric || measurement.metric === view.metric) &&
    (view.kind === 'table' || !view.x || view.x in (measurement.axes ?? {}))
  );
}

/** Groups what a view shows: {series: [{key, axes, label, colour, dash, marker, points: [{x, measurement}]}],
 * varying: [axis], constant: [{axis, value}], skipped}. Points are sorted by x, texts in the order in
 * which they were measured; a point measured twice keeps the later. Skipped points are in `skipped` only. `swept` are the parameters of a run that is not over: axes that will
 * vary do so from the start, and lines keep their names. */
export function seriesOf(view, measurements, axes, swept = {}) {
  const shown = measurements.filter((measurement) => shows(view, measurement));
  const { varying, constant } = splitAxes(shown, axes, view.x, swept);
  const groups = new Map();
  for (const measurement of shown) {
    if (measurement.skipped) continue;
    const key = keyOf(measurement, varying);
    if (!groups.has(key)) groups.set(key, new Map());
    groups.get(key).set(measurement.axes[view.x] ?? '', measurement);
  }
  const style = styler(
    shown.filter((measurement) => !measurement.skipped),
    varying,
  );
  const order = new Map(
    [...new Set(shown.map((measurement) => measurement.axes[view.x] ?? ''))].map((x, at) => [x, at]),
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
  return { series, varying, constant, skipped: shown.filter((measurement) => measurement.skipped) };
}

/** The axes of some measurements but for `x`, in the experiment's order: those that tell them apart, and those with
 * one value. An axis that some measurements lack (a copy within the device has no host memory) tells apart only
 * where no other does. */
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
  const groups = (by) => new Set(measurements.map((measurement) => keyOf(measurement, by))).size;
  const several = order.filter(({ name }) => values.get(name).size > 1);
  const apart = groups(several) === groups(order);
  const tells = ({ name }) =>
    values.get(name).size > 1 || (!apart && measurements.some((measurement) => !(name in (measurement.axes ?? {}))));
  return {
    varying: order.filter(tells),
    constant: order.filter((axis) => !tells(axis)).map((axis) => ({ axis, value: [...values.get(axis.name)][0] })),
  };
}

const keyOf = (measurement, axes) => JSON.stringify(axes.map((axis) => measurement.axes?.[axis.name] ?? null));

/** Where some measurements lie, in few words: measurements that differ only in numbers are one place with a range.
 * [{words, measurements}]. `axes` are those worth naming, as splitAxes tells them. */
export function places(measurements, axes) {
  const isNumber = (axis) => measurements.some((measurement) => typeof measurement.axes?.[axis.name] === 'number');
  const numbers = axes.filter(isNumber);
  const texts = axes.filter((axis) => !isNumber(axis));
  const groups = new Map();
  for (const measurement of measurements) {
    const key = keyOf(measurement, texts);
    groups.set(key, [...(groups.get(key) ?? []), measurement]);
  }
  return [...groups.values()].map((group) => ({
    words: [labelOf(group[0], texts, ''), ...numbers.map((axis) => range(group, axis))].filter(Boolean).join(' · '),
    measurements: group,
  }));
}

function range(measurements, axis) {
  const values = measurements
    .map((measurement) => measurement.axes?.[axis.name])
    .filter((value) => typeof value === 'number');
  const [low, high] = [Math.min(...values), Math.max(...values)].map((value) =>
    valueWords(axis.name, value, axis.unit),
  );
  const name = axis.unit ? '' : `${axis.title.toLowerCase()} `;
  if (!values.length) return '';
  return `${name}${low === high ? low : `${low} to ${high}`}`;
}

/** "host → device · pinned"; axes a measurement does not have are left out. */
export function labelOf(measurement, varying, none = 'all points') {
  const words = varying
    .filter((axis) => axis.name in measurement.axes)
    .map((axis) => {
      const value = measurement.axes[axis.name];
      const text = valueWords(axis.name, value, axis.unit);
      return typeof value === 'number' || text === 'yes' || text === 'no'
        ? `${axis.title.toLowerCase()} ${text}`
        : text;
    });
  return words.join(' · ') || none;
}

/** Colour and dash of a line, by place of its values among all there are. */
function styler(measurements, varying) {
  const [first, ...rest] = varying;
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
    const pattern = rest.length ? line : at;
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
