// Measurements as text for other programs: tab-separated, exact numbers, one row each, every axis a column.

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
  const names = axisNames(measurements, axes);
  const rows = measurements.map((measurement) => [
    ...names.map((name) => measurement.axes?.[name]),
    measurement.metric,
    measurement.unit,
    ...FIGURES.map((name) => measurement[name]),
    measurement.peak?.value,
    measurement.peak?.what,
  ]);
  const heading = [...names, 'metric', 'unit', ...FIGURES, 'peak', 'peak_of'];
  return tabbed([heading, ...rows]);
}

/** The names of the axes of some measurements, in the order of `axes`; others follow. */
export function axisNames(measurements, axes) {
  const present = new Set(measurements.flatMap((measurement) => Object.keys(measurement.axes ?? {})));
  const order = (axes ?? []).map(({ name }) => name).filter((name) => present.delete(name));
  return [...order, ...present];
}

/** Rows of cells as text. */
export const tabbed = (rows) => `${rows.map((row) => row.map(cell).join('\t')).join('\n')}\n`;

const cell = (value) => (value === null || value === undefined ? '' : String(value).replace(/[\t\r\n]+/g, ' '));
