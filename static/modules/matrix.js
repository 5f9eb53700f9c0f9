// Prepares the measurements between pairs of devices for drawing: tables with a row per source and a column per target,
// one table for each combination of the other axes, all with the same colour scale.

import { unitFor } from './format.js';
import { labelOf, shows, splitAxes } from './series.js';
import { tsv } from './tsv.js';

export const ROW_AXIS = 'source'; // the columns are the view's axis `x`

const SCALE_RATIO_MIN = 2; // smallest ratio of the ends of the colour scale, so that noise does not look like a difference

/** The ids of the rows or columns: the run's devices in order, then others that occur in the axis `name`. */
function deviceIdsOf(shown, devices, name) {
  const runDevices = devices.map(({ id }) => id);
  return [...new Set([...runDevices, ...shown.map(({ axes }) => axes[name])])];
}

/** Returns {groups, sources, targets, scale, unit, write, varying, constant} for a view of kind "matrix". `sources` and
 * `targets` are device ids. If several axes vary, there is a group for each value of the first; otherwise one group. A
 * group is {label, tables, skipped}; `skipped` lists tables in which every measurement was skipped: [{labels, reason}].
 * A table is {label, cells: source id -> target id -> measurement, oneWay}; `oneWay` is true when no pair was measured
 * in both directions. `scale` is the range of the colour scale, {low, high}, or null without values. `write(value)`
 * formats a value in `unit`. `varying` and `constant` as returned by splitAxes. */
export function matricesOf(view, measurements, experiment, devices) {
  const shown = measurements.filter((measurement) => shows(view, measurement));
  const deviceAxes = new Set([ROW_AXIS, view.x]);
  const points = shown.map((measurement) => ({ measurement, axes: without(measurement.axes, deviceAxes) }));
  const { varying, constant } = splitAxes(points, experiment.axes, null);
  const outer = varying.length > 1 ? varying.slice(0, 1) : [];
  const inner = varying.slice(outer.length);
  const values = shown.filter(isValid).map(({ median }) => median);
  return {
    groups: groupBy(points, outer).map((list) => ({
      label: labelOf(list[0], outer, ''),
      ...tablesOf(groupBy(list, inner), inner, view.x),
    })),
    sources: deviceIdsOf(shown, devices, ROW_AXIS),
    targets: deviceIdsOf(shown, devices, view.x),
    scale: scaleOf(values),
    ...unitFor(shown[0]?.unit ?? null, Math.max(0, ...values)),
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

/** One table for each group of points. `axes` distinguish the groups; `columns` is the name of the axis of the columns.
 */
function tablesOf(groups, axes, columns) {
  const tables = [];
  const skipped = new Map();
  for (const list of groups) {
    const label = labelOf(list[0], axes, '');
    const reasons = new Set(list.map(({ measurement }) => measurement.skipped ?? null));
    const [reason] = reasons;
    if (reasons.size === 1 && reason !== null) skipped.set(reason, [...(skipped.get(reason) ?? []), label]);
    else tables.push({ label, ...cellsOf(list, columns) });
  }
  return { tables, skipped: [...skipped].map(([reason, labels]) => ({ reason, labels: labels.filter(Boolean) })) };
}

function cellsOf(list, columns) {
  const cells = new Map();
  for (const { measurement } of list) {
    const { [ROW_AXIS]: source, [columns]: target } = measurement.axes;
    if (!cells.has(source)) cells.set(source, new Map());
    cells.get(source).set(target, measurement);
  }
  const hasOpposite = ({ measurement: { axes } }) => cells.get(axes[columns])?.has(axes[ROW_AXIS]);
  return { cells, oneWay: !list.some(hasOpposite) };
}

function scaleOf(values) {
  const positive = values.filter((value) => value > 0);
  if (!positive.length) return null;
  const high = Math.max(...positive);
  return { low: Math.min(...positive, high / SCALE_RATIO_MIN), high };
}

/** The position of a value on the colour scale, from 0 (low) to 1 (high), by its logarithm; null without a scale or for
 * a value that is not positive. */
export function scalePosition(value, scale) {
  if (!scale || !(value > 0)) return null;
  return Math.log(value / scale.low) / Math.log(scale.high / scale.low);
}

/** The tables as tab-separated text with exact medians, one after the other. `name(id)` returns the name of a device;
 * `rowAxis` and `columnAxis` give the headings. */
export function matricesTsv({ groups, sources, targets, constant }, { title, unit }, name, [rowAxis, columnAxis]) {
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
    const rows = sources.map((source) => [
      name(source),
      ...targets.map((target) => cellText(cells.get(source)?.get(target))),
    ]);
    const heads = [`${rowAxis.title} \\ ${columnAxis.title}`, ...targets.map(name)];
    return tsv([head, heads, ...rows]);
  };
  return groups.flatMap((group) => group.tables.map((table) => text(group, table))).join('\n');
}

function cellText(measurement) {
  if (!measurement) return '';
  if (measurement.skipped) return 'skipped';
  return measurement.verified === false ? `wrong: ${measurement.median}` : measurement.median;
}
