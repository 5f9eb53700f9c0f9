// Measurements as tab-separated text for other programs: exact numbers, one measurement per row, one column per axis.
// The members that are named here come first; others that are texts, numbers or true or false follow.

const FIRST = [
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

const KERNEL_COLUMNS = ['registers', 'local_bytes', 'shared_bytes', 'occupancy'];

/** Members that have other columns, or none. */
const OTHERS = ['axes', 'metric', 'unit', 'side', 'rounds', 'peak', 'conditions', 'kernel', 'samples'];

/** The names of the members that are columns. */
function columnsOf(measurements) {
  const present = new Set(measurements.flatMap(Object.keys));
  const isColumn = (name) => !FIRST.includes(name) && !OTHERS.includes(name) && !measurements.some((measurement) => measurement[name] instanceof Object);
  return [...FIRST, ...[...present].filter(isColumn)];
}

/** The title of an axis' column. As in the CSV of the API, each title occurs once. */
const axisTitle = (name, titles) => (titles.includes(name) || name.startsWith('axis_') ? `axis_${name}` : name);

/** A header row and one row per measurement. The axis columns are in the order of `axes`; other axes follow. */
export function measurementsTsv(measurements, axes) {
  const names = axisNames(measurements, axes);
  const columns = columnsOf(measurements);
  const titles = ['metric', 'unit', ...columns, 'peak', 'peak_of', ...KERNEL_COLUMNS];
  const rows = measurements.map((measurement) => [
    ...names.map((name) => measurement.axes?.[name]),
    measurement.metric,
    measurement.unit,
    ...columns.map((name) => measurement[name]),
    measurement.peak?.value,
    measurement.peak?.what,
    ...KERNEL_COLUMNS.map((name) => measurement.kernel?.[name]),
  ]);
  return tsv([[...names.map((name) => axisTitle(name, titles)), ...titles], ...rows]);
}

/** The names of the axes of some measurements, in the order of `axes`; others follow. */
export function axisNames(measurements, axes) {
  const present = new Set(measurements.flatMap((measurement) => Object.keys(measurement.axes ?? {})));
  const order = (axes ?? []).map(({ name }) => name).filter((name) => present.delete(name));
  return [...order, ...present];
}

/** Rows of cells as tab-separated text. */
export const tsv = (rows) => `${rows.map((row) => row.map(cell).join('\t')).join('\n')}\n`;

const cell = (value) => (value === null || value === undefined ? '' : String(value).replace(/[\t\r\n]+/g, ' '));
