// A metric from each device to each other: tables of source by target, one for each combination of the other axes, with
// one scale of colour for all of them.

import { unitFor } from './format.js';
import { labelOf, shows, splitAxes } from './series.js';
import { tabbed } from './tsv.js';

export const ROWS = 'source';

const LEAST_RATIO = 2; // between the ends of the scale: colour must not make noise look like a finding

/** The ids along the sides: the run's devices, in its order, then others that were measured. */
function sidesOf(shown, devices, name) {
  const known = devices.map(({ id }) => id);
  return [...new Set([...known, ...shown.map(({ axes }) => axes[name])])];
}

/** {groups, sources, targets, scale, unit, write, varying, constant} of what a view of kind "matrix" shows. A group is
 * {label, tables, refused}: the tables of one value of the first axis that varies, where several do. A table is
 * {label, cells: source id -> target id -> measurement, once}; `once` tells that each pair stands in one direction
 * only. `refused` are tables that were skipped as a whole: [{labels, reason}]. `scale` is {low, high} or null;
 * `write(value)` gives a value as text in `unit`. */
export function matricesOf(view, measurements, experiment, devices) {
  const shown = measurements.filter((measurement) => shows(view, measurement));
  const sides = new Set([ROWS, view.x]);
  const places = shown.map((measurement) => ({ measurement, axes: without(measurement.axes, sides) }));
  const { varying, constant } = splitAxes(places, experiment.axes, null);
  const outer = varying.length > 1 ? varying.slice(0, 1) : [];
  const inner = varying.slice(outer.length);
  const values = shown.filter(isSound).map(({ median }) => median);
  return {
    groups: groupBy(places, outer).map((list) => ({
      label: labelOf(list[0], outer, ''),
      ...tablesOf(groupBy(list, inner), inner, view.x),
    })),
    sources: sidesOf(shown, devices, ROWS),
    targets: sidesOf(shown, devices, view.x),
    scale: scaleOf(values),
    ...unitFor(shown[0]?.unit ?? null, Math.max(0, ...values)),
    varying,
    constant,
  };
}

/** Lists of what is equal on `axes`, in the order in which it comes. */
function groupBy(places, axes) {
  const groups = new Map();
  for (const place of places) {
    const key = JSON.stringify(axes.map(({ name }) => place.axes[name] ?? null));
    groups.set(key, [...(groups.get(key) ?? []), place]);
  }
  return [...groups.values()];
}

const without = (axes, names) => Object.fromEntries(Object.entries(axes).filter(([name]) => !names.has(name)));

const isSound = ({ skipped, verified, median }) => !skipped && verified !== false && typeof median === 'number';

function tablesOf(groups, axes, columns) {
  const tables = [];
  const refused = new Map();
  for (const list of groups) {
    const label = labelOf(list[0], axes, '');
    const reasons = new Set(list.map(({ measurement }) => measurement.skipped ?? null));
    const [reason] = reasons;
    if (reasons.size === 1 && reason !== null) refused.set(reason, [...(refused.get(reason) ?? []), label]);
    else tables.push({ label, ...cellsOf(list, columns) });
  }
  return { tables, refused: [...refused].map(([reason, labels]) => ({ reason, labels: labels.filter(Boolean) })) };
}

function cellsOf(list, columns) {
  const cells = new Map();
  for (const { measurement } of list) {
    const { [ROWS]: source, [columns]: target } = measurement.axes;
    if (!cells.has(source)) cells.set(source, new Map());
    cells.get(source).set(target, measurement);
  }
  const both = ({ measurement: { axes } }) => cells.get(axes[columns])?.has(axes[ROWS]);
  return { cells, once: !list.some(both) };
}

function scaleOf(values) {
  const positive = values.filter((value) => value > 0);
  if (!positive.length) return null;
  const high = Math.max(...positive);
  return { low: Math.min(...positive, high / LEAST_RATIO), high };
}

/** How far along the scale a value is, 0 to 1, by its logarithm; null where it has no place. */
export function shareOf(value, scale) {
  if (!scale || !(value > 0)) return null;
  return Math.log(value / scale.low) / Math.log(scale.high / scale.low);
}

/** The tables as text for other programs: tab-separated, exact medians, one below the other. `name(id)` names a device;
 * `sides` are the axes of the rows and of the columns. */
export function tabbedMatrices({ groups, sources, targets, constant }, { title, unit }, name, [from, to]) {
  const same = { axes: Object.fromEntries(constant.map(({ axis, value }) => [axis.name, value])) };
  const place = labelOf(
    same,
    constant.map(({ axis }) => axis),
    '',
  );
  const text = (group, { label, cells }) => {
    const head = [
      [title, unit && unit !== '1' ? `in ${unit}` : '', group.label, label, place].filter(Boolean).join(', '),
    ];
    const rows = sources.map((source) => [
      name(source),
      ...targets.map((target) => exactly(cells.get(source)?.get(target))),
    ]);
    const heads = [`${from.title} \\ ${to.title}`, ...targets.map(name)];
    return tabbed([head, heads, ...rows]);
  };
  return groups.flatMap((group) => group.tables.map((table) => text(group, table))).join('\n');
}

function exactly(measurement) {
  if (!measurement) return '';
  if (measurement.skipped) return 'skipped';
  return measurement.verified === false ? `wrong: ${measurement.median}` : measurement.median;
}
