// What a chart shows as tab-separated text, for other programs: exact numbers, including skipped points.

import { axisNames, measurementsTsv, tsv } from '../text/tsv.js';
import { rowTitleOf } from './matrix.js';
import { pointsOf, roofsOf, shareOfRoof } from './roofline.js';
import { labelOf } from './series.js';

/** The text of a view's `data` (viewdata.js); `visible` are the series that are not hidden, `measurements` those of the
 * run. */
export function chartText({ data, measurements, visible, experiment, devices }) {
  const { view, axis, rawMetric, rawAcross, rawBeside, matrices, grouped, axisOf } = data;
  const fullName = (id) => {
    const { short = id, name } = devices.find((device) => device.id === id) ?? {};
    return [short, name].filter(Boolean).join(' ');
  };
  if (matrices) return matricesTsv(matrices, rawMetric, fullName, [rowTitleOf(view, axisOf), axis.title]);
  if (view.kind === 'scatter') return scatterTsv(visible, grouped.varying, axis, [rawAcross, rawMetric, rawBeside]);
  if (view.kind === 'roofline') return rooflineTsv({ series: visible, measurements, axes: experiment.axes, metric: rawMetric, devices });
  const shown = visible.flatMap(({ points }) => points.map(({ measurement }) => measurement));
  return measurementsTsv([...shown, ...grouped.skipped], experiment.axes);
}

/** The tables as tab-separated text with exact medians, one after the other. `name(value)` returns the heading of a row
 * or column; `rowTitle` and `columnTitle` are their titles. */
export function matricesTsv({ groups, rows, columns, constant }, { title, unit }, name, [rowTitle, columnTitle]) {
  const common = { axes: Object.fromEntries(constant.map(({ axis, value }) => [axis.name, value])) };
  const commonLabel = labelOf(
    common,
    constant.map(({ axis }) => axis),
    '',
  );
  const text = (group, { label, cells, columns: own }) => {
    const shown = own ?? columns;
    const head = [
      [title, unit && unit !== '1' ? `in ${unit}` : '', group.label, label, commonLabel].filter(Boolean).join(', '),
    ];
    const lines = rows.map((row) => [name(row), ...shown.map((column) => cellText(cells.get(row)?.get(column)))]);
    const heads = [`${rowTitle} \\ ${columnTitle}`, ...shown.map(name)];
    return tsv([head, heads, ...lines]);
  };
  return groups.flatMap((group) => group.tables.map((table) => text(group, table))).join('\n');
}

function cellText(measurement) {
  if (!measurement) return '';
  if (measurement.skipped) return 'skipped';
  return measurement.verified === false ? `wrong: ${measurement.median}` : measurement.median;
}

/** The points as tab-separated text with exact medians: the axes of the series, the axis `axis` of the points, the two
 * metrics, and the metric `beside`, null for none. */
export function scatterTsv(series, varying, axis, [across, metric, beside = null]) {
  const rows = series.flatMap(({ axes, points }) =>
    points.map((point) => [
      ...varying.map(({ name }) => axes[name]),
      point.x,
      point.across.median,
      point.measurement.median,
      ...(beside ? [point.beside?.median ?? null] : []),
      point.measurement.verified,
    ]),
  );
  return tsv([[...varying.map(({ name }) => name), axis.name, across.name, metric.name, ...(beside ? [beside.name] : []), 'verified'], ...rows]);
}

/** The tables of a roofline (parts/rooflinetable.js) as tab-separated text: its points, then the roofs. */
export function rooflineTsv({ series, measurements, axes, metric, devices }) {
  const [points, roofs] = [pointsOf(series, measurements), roofsOf(series, measurements, devices)];
  const names = axisNames(
    points.map(({ measurement }) => measurement),
    axes,
  );
  const steps = points.map((point) => [
    ...names.map((name) => point.measurement.axes[name]),
    point.throughput,
    metric.unit,
    point.intensity,
    point.counted,
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
  const computeRows = roofs.compute.map((one) => roof(one.name, one, metric.unit));
  const roofRows = [...(roofs.memory ? [roof('memory', roofs.memory, 'GB/s')] : []), ...computeRows];
  const heading = [...names, metric.name, 'unit', 'intensity', 'counted_intensity', 'share_of_measured_roof', 'verified'];
  const blocks = [tsv([heading, ...steps])];
  if (roofRows.length) blocks.push(tsv([['roof', 'measured', 'theoretical', 'unit', 'peak_of'], ...roofRows]));
  return blocks.join('\n');
}
