// The rows and columns of the table of a run's measurements: one row for each measurement of a metric, a column for each axis
// that varies among them.

import { splitAxes } from './series.js';

/** The metrics of some measurements with the number of each, in the experiment's order: [{name, title, unit, count}]. */
export function metricsOf(measurements, metrics) {
  const counts = new Map();
  for (const { metric, unit } of measurements) {
    const known = counts.get(metric);
    if (known) known.count += 1;
    else counts.set(metric, { name: metric, title: metric, unit, count: 1 });
  }
  const listed = (metrics ?? []).filter(({ name }) => counts.has(name)).map(({ name, title }) => ({ ...counts.get(name), title }));
  const names = new Set(listed.map(({ name }) => name));
  return [...listed, ...[...counts.values()].filter(({ name }) => !names.has(name))];
}

/** The measurements of `metric`, [{axes, …}], and the axes that head their rows: {rows, varying, constant}, the latter as
 * splitAxes returns them. If no axis varies, the first constant one heads the rows. */
export function measurementRows(measurements, metric, axes) {
  const rows = measurements.filter((one) => one.metric === metric);
  const { varying, constant } = splitAxes(rows, axes, null);
  if (varying.length || !constant.length) return { rows, varying, constant };
  return { rows, varying: [constant[0].axis], constant: constant.slice(1) };
}
