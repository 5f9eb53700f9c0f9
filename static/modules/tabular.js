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
  const present = new Set(measurements.flatMap((measurement) => Object.keys(measurement.axes ?? {})));
  const order = (axes ?? []).map(({ name }) => name).filter((name) => present.delete(name));
  const names = [...order, ...present];
  const rows = measurements.map((measurement) => [
    ...names.map((name) => measurement.axes?.[name]),
    measurement.metric,
    measurement.unit,
    ...FIGURES.map((name) => measurement[name]),
    measurement.peak?.value,
    measurement.peak?.what,
  ]);
  const heading = [...names, 'metric', 'unit', ...FIGURES, 'peak', 'peak_of'];
  return `${[heading, ...rows].map((row) => row.map(cell).join('\t')).join('\n')}\n`;
}

const cell = (value) => (value === null || value === undefined ? '' : String(value).replace(/[\t\r\n]+/g, ' '));
