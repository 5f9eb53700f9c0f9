// The rows and columns of the table of a run's measurements: one row for each measurement of a metric, a column for
// each axis that varies among them. Made for 10,000 measurements: each is looked at once.

/** The metrics of some measurements with the number of each, in the experiment's order: [{name, title, unit,
 * count}]. */
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

/** The axes of some measurements, in the experiment's order: those that `varying` distinguish them, or that some lack,
 * and the `constant` ones, [{axis, value}]. */
export function axesOf(measurements, axes) {
  const found = new Map(); // name -> {value, count, varies}
  for (const measurement of measurements) {
    for (const [name, value] of Object.entries(measurement.axes ?? {})) {
      const known = found.get(name);
      if (!known) found.set(name, { value, count: 1, varies: false });
      else {
        known.count += 1;
        known.varies ||= known.value !== value;
      }
    }
  }
  const listed = (axes ?? []).filter(({ name }) => found.has(name));
  const names = new Set(listed.map(({ name }) => name));
  const others = [...found.keys()].filter((name) => !names.has(name)).map((name) => ({ name, title: name, unit: null }));
  const varies = ({ name }) => found.get(name).varies || found.get(name).count < measurements.length;
  const all = [...listed, ...others];
  return {
    varying: all.filter(varies),
    constant: all.filter((axis) => !varies(axis)).map((axis) => ({ axis, value: found.get(axis.name).value })),
  };
}

/** The measurements of `metric` and the axes that head their rows: {rows, varying, constant}, the latter as axesOf
 * returns them. If no axis varies, the first constant one heads the rows. */
export function measurementRows(measurements, metric, axes) {
  const rows = measurements.filter((one) => one.metric === metric);
  const { varying, constant } = axesOf(rows, axes);
  if (varying.length || !constant.length) return { rows, varying, constant };
  return { rows, varying: [constant[0].axis], constant: constant.slice(1) };
}
