// Prepares measurements over two axes for drawing: tables with a row for each value of one axis and a column for each
// value of the other, one table for each combination of the remaining axes, all with the same colour scale. In a view
// of kind "matrix" the rows are source devices and the columns target devices; in one of kind "heat" the axes are any
// two, or the rows are combinations of several.

import { percent, plural, quantity, unitFor } from '../text/format.js';
import { isShownIn, labelOf, splitAxes } from './series.js';

/** The names of the axes of the rows; the columns are the view's axis `x`. */
export const rowAxesOf = ({ kind, y }) => (kind === 'matrix' ? ['source'] : (y ?? '').split(' '));

/** Between the numbers of a shape, as in "m × n × k". */
export const TIMES = '\u00a0×\u00a0';

/** The title of the rows, "m × n × k"; `axisOf(name)` returns an axis. */
export const rowTitleOf = (view, axisOf) =>
  rowAxesOf(view)
    .map((name) => axisOf(name)?.title ?? name)
    .join(TIMES);

/** The row of a measurement: its value on the axis or, of several axes, all values as a text, "1 × 64 × 64". */
const rowOf = (names, axes) => (names.length === 1 ? axes[names[0]] : names.map((name) => axes[name]).join(TIMES));

/** Compares rows of several axes by their numbers, the first axis first. */
function compareRows(one, other) {
  const [a, b] = [one, other].map((row) => row.split(TIMES).map(Number));
  const at = a.findIndex((number, index) => number !== b[index]);
  return at < 0 ? 0 : a[at] - b[at];
}

const SCALE_RATIO_MIN = 2; // least ratio of the ends of the colour scale, so that noise does not look like a difference

/** The values of the rows or columns in order. Of an axis of devices: the run's devices in
 * order, then others; numbers in order; texts in the order of `order`, the choices of the axis, then of measurement. */
function valuesOf(values, kind, devices, order) {
  if (kind === 'matrix') return [...new Set([...devices.map(({ id }) => id), ...values])];
  if ([...values].every((value) => typeof value === 'number')) return [...values].sort((a, b) => a - b);
  return [...new Set([...order, ...values])].filter((value) => values.has(value));
}

/** Returns {groups, rows, columns, scale, unit, write, varying, constant} for a view of kind "matrix" or "heat". `rows`
 * and `columns` are values of the two axes. If several other axes vary, there is a group for each value of the first;
 * otherwise one group. A group is {label, tables, skipped}; `skipped` lists tables in which every measurement was
 * skipped: [{labels, reason}]. A table is {label, cells: row -> column -> measurement, columns, oneWay}; `columns` are
 * those that it has, null for all; `oneWay` is true if no pair of devices was measured in both directions. `scale` is
 * the range of the colour scale, {low, high}, or null without values. `write(value)` formats a value in `unit`, which
 * is that of the measurements or, if the view has one, of `shownUnit` (units.js). `varying` and `constant` as returned
 * by splitAxes. `orderOf(name)` returns the choices of an axis. */
export function matricesOf(view, measurements, experiment, devices, orderOf = () => []) {
  const shown = measurements.filter(isShownIn(view));
  const names = rowAxesOf(view);
  const own = new Set([...names, view.x]);
  const points = shown.map((measurement) => ({
    measurement,
    row: rowOf(names, measurement.axes),
    column: measurement.axes[view.x],
    axes: without(measurement.axes, own),
  }));
  const { varying, constant } = splitAxes(points, experiment.axes, null);
  const outer = varying.length > 1 ? varying.slice(0, 1) : [];
  const inner = varying.slice(outer.length);
  const values = shown.filter(isValid).map(({ median }) => median);
  const several = names.length > 1;
  const found = new Set(points.map(({ row }) => row));
  const rows = several ? [...found].sort(compareRows) : valuesOf(found, view.kind, devices, orderOf(names[0]));
  const columns = valuesOf(new Set(points.map(({ column }) => column)), view.kind, devices, orderOf(view.x));
  return {
    groups: groupBy(points, outer).map((list) => ({
      label: labelOf(list[0], outer, ''),
      ...tablesOf(groupBy(list, inner), inner, several ? columns : null),
    })),
    rows,
    columns,
    scale: scaleOf(values),
    ...unitFor(view.shownUnit ?? shown[0]?.unit ?? null, Math.max(0, ...values)),
    varying,
    constant,
  };
}

/** Groups points ({measurement, axes}) by equal values of `axes`, in order of first occurrence. */
function groupBy(points, axes) {
  const groups = new Map();
  for (const point of points) {
    const key = JSON.stringify(axes.map(({ name }) => point.axes[name] ?? null));
    groups.set(key, [...(groups.get(key) ?? []), point]);
  }
  return [...groups.values()];
}

const without = (axes, names) => Object.fromEntries(Object.entries(axes).filter(([name]) => !names.has(name)));

const isValid = ({ skipped, verified, median }) => !skipped && verified !== false && typeof median === 'number';

/** One table for each group of points. `axes` distinguish the groups; `columns` are those from which a table has only
 * the ones with measurements, null if it has all. */
function tablesOf(groups, axes, columns) {
  const tables = [];
  const skipped = new Map();
  for (const list of groups) {
    const label = labelOf(list[0], axes, '');
    const reason = reasonOf(list);
    if (reason) skipped.set(reason, [...(skipped.get(reason) ?? []), label]);
    else tables.push({ label, ...cellsOf(list), columns: columns?.filter((value) => list.some(({ column }) => column === value)) ?? null });
  }
  return { tables, skipped: [...skipped].map(([reason, labels]) => ({ reason, labels: labels.filter(Boolean) })) };
}

/** Why every measurement was skipped: the first two reasons, and how many others there are; '' if one was not
 * skipped. */
function reasonOf(list) {
  if (!list.every(({ measurement }) => measurement.skipped)) return '';
  const [first, second, ...others] = new Set(list.map(({ measurement }) => measurement.skipped));
  return [first, second, others.length ? `and ${plural(others.length, 'other reason')}` : null].filter(Boolean).join('; ');
}

function cellsOf(list) {
  const cells = new Map();
  for (const { measurement, row, column } of list) {
    if (!cells.has(row)) cells.set(row, new Map());
    cells.get(row).set(column, measurement);
  }
  return { cells, oneWay: !list.some(({ row, column }) => cells.get(column)?.has(row)) };
}

function scaleOf(values) {
  const positive = values.filter((value) => value > 0);
  if (!positive.length) return null;
  const high = Math.max(...positive);
  return { low: Math.min(...positive, high / SCALE_RATIO_MIN), high };
}

/** The pair of devices of a table whose two directions differ most: {forward, backward, difference, judged, doubted},
 * the measurements, larger / smaller - 1, and the numbers of pairs. A pair with a direction that is
 * `doubtful(measurement)` is doubted and not judged; null if none is judged. `rows` are the devices. */
export function largestAsymmetry({ cells }, rows, doubtful = () => false) {
  const counts = (one) => one && isValid(one) && one.median > 0;
  let [largest, judged, doubted] = [null, 0, 0];
  for (const [at, source] of rows.entries())
    for (const target of rows.slice(at + 1)) {
      const [forward, backward] = [cells.get(source)?.get(target), cells.get(target)?.get(source)];
      if (!counts(forward) || !counts(backward)) continue;
      if (doubtful(forward) || doubtful(backward)) {
        doubted += 1;
        continue;
      }
      judged += 1;
      const ratio = forward.median / backward.median;
      const difference = Math.max(ratio, 1 / ratio) - 1;
      if (difference > (largest?.difference ?? -1)) largest = { forward, backward, difference };
    }
  return largest && { ...largest, judged, doubted };
}

const ASYMMETRY = 0.05; // a larger difference of the two directions is not symmetric

/** Whether the two directions of each pair of a table are equally fast; '' where that is not known. `asymmetry` as
 * returned by largestAsymmetry, `nameOf(id)` returns the short name of a device. */
export function symmetryText(asymmetry, nameOf, unit) {
  if (!asymmetry) return '';
  const { forward, backward, difference, judged, doubted } = asymmetry;
  const scope = doubted ? `Judged: the ${judged} of ${judged + doubted} pairs without a caution. ` : '';
  if (difference <= ASYMMETRY) return `${scope}Symmetric: both directions within ${percent(difference)}.`;
  const text = ({ axes, median }) => `${nameOf(axes.source)} → ${nameOf(axes.target)} ${quantity(median, unit)}`;
  return `${scope}Not symmetric: up to ${percent(difference)} between the directions: ${text(forward)}, ${text(backward)}.`;
}

/** The position of a value on the colour scale, from 0 (low) to 1 (high), by its logarithm; null without a scale or for
 * a value that is not positive. */
export function scalePosition(value, scale) {
  if (!scale || !(value > 0)) return null;
  return Math.log(value / scale.low) / Math.log(scale.high / scale.low);
}
