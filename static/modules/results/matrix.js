// Prepares measurements over two axes for drawing: tables with a row for each value of one axis and a column for each
// value of the other, one table for each combination of the remaining axes, all with the same colour scale. In a view of
// kind "matrix" the rows are source devices and the columns target devices; in one of kind "heat" the axes are any two.

import { unitFor } from '../text/format.js';
import { isShownIn, labelOf, splitAxes } from './series.js';
import { tsv } from '../text/tsv.js';

/** The axis of the rows; the columns are the view's axis `x`. */
export const rowAxisOf = ({ kind, y }) => (kind === 'matrix' ? 'source' : y);

const SCALE_RATIO_MIN = 2; // least ratio of the ends of the colour scale, so that noise does not look like a difference

/** The values of the rows or columns, which are those of the axis `name`. Of an axis of devices: the run's devices in
 * order, then others; numbers in order; texts in the order of `order`, the choices of the axis, then of measurement. */
function valuesOf(shown, name, kind, devices, order) {
  const values = new Set(shown.map(({ axes }) => axes[name]));
  if (kind === 'matrix') return [...new Set([...devices.map(({ id }) => id), ...values])];
  if ([...values].every((value) => typeof value === 'number')) return [...values].sort((a, b) => a - b);
  return [...new Set([...order, ...values])].filter((value) => values.has(value));
}

/** Returns {groups, rows, columns, scale, unit, write, varying, constant} for a view of kind "matrix" or "heat". `rows`
 * and `columns` are values of the two axes. If several other axes vary, there is a group for each value of the first;
 * otherwise one group. A group is {label, tables, skipped}; `skipped` lists tables in which every measurement was
 * skipped: [{labels, reason}]. A table is {label, cells: row -> column -> measurement, oneWay}; `oneWay` is true if no
 * pair of devices was measured in both directions. `scale` is the range of the colour scale, {low, high}, or null
 * without values. `write(value)` formats a value in `unit`, which is that of
 * the measurements or, if the view has one, of `shownUnit` (units.js). `varying` and `constant` as returned by splitAxes.
 * `orderOf(name)` returns the choices of an axis. */
export function matricesOf(view, measurements, experiment, devices, orderOf = () => []) {
  const shown = measurements.filter(isShownIn(view));
  const names = [rowAxisOf(view), view.x];
  const points = shown.map((measurement) => ({ measurement, axes: without(measurement.axes, new Set(names)) }));
  const { varying, constant } = splitAxes(points, experiment.axes, null);
  const outer = varying.length > 1 ? varying.slice(0, 1) : [];
  const inner = varying.slice(outer.length);
  const values = shown.filter(isValid).map(({ median }) => median);
  const [rows, columns] = names.map((name) => valuesOf(shown, name, view.kind, devices, orderOf(name)));
  return {
    groups: groupBy(points, outer).map((list) => ({
      label: labelOf(list[0], outer, ''),
      ...tablesOf(groupBy(list, inner), inner, names),
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

/** One table for each group of points. `axes` distinguish the groups; `names` are the axes of rows and columns. */
function tablesOf(groups, axes, names) {
  const tables = [];
  const skipped = new Map();
  for (const list of groups) {
    const label = labelOf(list[0], axes, '');
    const reasons = new Set(list.map(({ measurement }) => measurement.skipped ?? null));
    const [reason] = reasons;
    if (reasons.size === 1 && reason !== null) skipped.set(reason, [...(skipped.get(reason) ?? []), label]);
    else tables.push({ label, ...cellsOf(list, names) });
  }
  return { tables, skipped: [...skipped].map(([reason, labels]) => ({ reason, labels: labels.filter(Boolean) })) };
}

function cellsOf(list, [rowAxis, columnAxis]) {
  const cells = new Map();
  for (const { measurement } of list) {
    const { [rowAxis]: row, [columnAxis]: column } = measurement.axes;
    if (!cells.has(row)) cells.set(row, new Map());
    cells.get(row).set(column, measurement);
  }
  const hasOpposite = ({ measurement: { axes } }) => cells.get(axes[columnAxis])?.has(axes[rowAxis]);
  return { cells, oneWay: !list.some(hasOpposite) };
}

function scaleOf(values) {
  const positive = values.filter((value) => value > 0);
  if (!positive.length) return null;
  const high = Math.max(...positive);
  return { low: Math.min(...positive, high / SCALE_RATIO_MIN), high };
}

/** The pair of devices whose two directions differ most: {forward, backward, difference}, the measurements and
 * larger / smaller - 1. Null if no pair was measured in both directions. */
export function largestAsymmetry({ groups, rows }) {
  let largest = null;
  for (const { cells } of groups.flatMap(({ tables }) => tables))
    for (const [at, source] of rows.entries())
      for (const target of rows.slice(at + 1)) {
        const [forward, backward] = [cells.get(source)?.get(target), cells.get(target)?.get(source)];
        if (![forward, backward].every((one) => one && isValid(one) && one.median > 0)) continue;
        const ratio = forward.median / backward.median;
        const difference = Math.max(ratio, 1 / ratio) - 1;
        if (difference > (largest?.difference ?? -1)) largest = { forward, backward, difference };
      }
  return largest;
}

/** The position of a value on the colour scale, from 0 (low) to 1 (high), by its logarithm; null without a scale or for
 * a value that is not positive. */
export function scalePosition(value, scale) {
  if (!scale || !(value > 0)) return null;
  return Math.log(value / scale.low) / Math.log(scale.high / scale.low);
}

/** The tables as tab-separated text with exact medians, one after the other. `name(value)` returns the heading of a row
 * or column; `rowAxis` and `columnAxis` give the titles. */
export function matricesTsv({ groups, rows, columns, constant }, { title, unit }, name, [rowAxis, columnAxis]) {
  const common = { axes: Object.fromEntries(constant.map(({ axis, value }) => [axis.name, value])) };
  const commonLabel = labelOf(
    common,
    constant.map(({ axis }) => axis),
    '',
  );
  const text = (group, { label, cells }) => {
    const head = [
      [title, unit && unit !== '1' ? `in ${unit}` : '', group.label, label, commonLabel].filter(Boolean).join(', '),
    ];
    const lines = rows.map((row) => [name(row), ...columns.map((column) => cellText(cells.get(row)?.get(column)))]);
    const heads = [`${rowAxis.title} \\ ${columnAxis.title}`, ...columns.map(name)];
    return tsv([head, heads, ...lines]);
  };
  return groups.flatMap((group) => group.tables.map((table) => text(group, table))).join('\n');
}

function cellText(measurement) {
  if (!measurement) return '';
  if (measurement.skipped) return 'skipped';
  return measurement.verified === false ? `wrong: ${measurement.median}` : measurement.median;
}
