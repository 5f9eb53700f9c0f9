// Measurements as text for other programs: tab-separated, exact numbers, one row each, every axis a column.

import { pointsOf, roofsOf, shareOfRoof } from './roofline.js';

const FIGURES = [
  'median',
  'q1',
  'q3',
  'min',
  'max',
  'mean',
  'stdev',
  'noise',
  'n',
  'stop_reason',
  'verified',
  'wrong',
  'cache',
  'numa_node',
  'skipped',
];

/** The rows of `measurements` with a heading. `axes` gives the order of the axis columns; axes that are not in it
 * follow. */
export function tabSeparated(measurements, axes) {
  const names = axesOf(measurements, axes);
  const rows = measurements.map((measurement) => [
    ...names.map((name) => measurement.axes?.[name]),
    measurement.metric,
    measurement.unit,
    ...FIGURES.map((name) => measurement[name]),
    measurement.peak?.value,
    measurement.peak?.what,
  ]);
  const heading = [...names, 'metric', 'unit', ...FIGURES, 'peak', 'peak_of'];
  return text([heading, ...rows]);
}

/** What the tables of a roofline show (parts/rooflinetable.js): its points, and the roofs below them. `series` and
 * `measurements` as roofline.js takes them. */
export function tabbedRoofline({ series, measurements, axes, metric }) {
  const [points, roofs] = [pointsOf(series, measurements), roofsOf(series, measurements)];
  const names = axesOf(
    points.map(({ measurement }) => measurement),
    axes,
  );
  const steps = points.map((point) => [
    ...names.map((name) => point.measurement.axes[name]),
    point.throughput,
    metric.unit,
    point.intensity,
    shareOfRoof(point, roofs),
    point.measurement.verified,
  ]);
  const roof = (name, { measured, theoretical, what, wrong }, unit) => [
    name,
    wrong ? 'wrong' : measured,
    theoretical,
    unit,
    what,
  ];
  const flat = roofs.compute.map((one) => roof(one.type, one, metric.unit));
  const lines = [...(roofs.memory ? [roof('memory', roofs.memory, 'GB/s')] : []), ...flat];
  const heading = [...names, metric.name, 'unit', 'intensity', 'share_of_roof', 'verified'];
  const blocks = [text([heading, ...steps])];
  if (lines.length) blocks.push(text([['roof', 'measured', 'theoretical', 'unit', 'peak_of'], ...lines]));
  return blocks.join('\n');
}

function axesOf(measurements, axes) {
  const present = new Set(measurements.flatMap((measurement) => Object.keys(measurement.axes ?? {})));
  const order = (axes ?? []).map(({ name }) => name).filter((name) => present.delete(name));
  return [...order, ...present];
}

const text = (rows) => `${rows.map((row) => row.map(cell).join('\t')).join('\n')}\n`;

const cell = (value) => (value === null || value === undefined ? '' : String(value).replace(/[\t\r\n]+/g, ' '));
