// The table of a scatter chart: a row for each point, with the values of both metrics.

import { axisValueText } from '../../text/displaynames.js';
import { h } from '../../dom.js';
import { commonUnit } from '../../text/format.js';
import { swatch } from '../seriesstyle.js';
import { scrollingTable, verifiedCell } from '../table.js';

/** `series` are the visible ones, joined with the metric `across` (joinMetric of scatter.js). */
export function scatterTable({ series, axis, across, metric, caption, cautions = () => [] }) {
  const points = series.flatMap((one) => one.points);
  const unitOf = (one, list) => commonUnit(one.unit, list.map(({ median }) => median));
  const acrossUnit = unitOf(across, points.map((point) => point.across));
  const metricUnit = unitOf(metric, points.map(({ measurement }) => measurement));
  const titled = ({ title }, { unit }) => (unit ? `${title} (${unit})` : title);
  const columns = [titled(across, acrossUnit), titled(metric, metricUnit), 'Verified'];
  const heads = h(
    'tr',
    {},
    h('th', { scope: 'col' }, axis.title),
    columns.map((title) => h('th', { scope: 'col', class: 'figure' }, title)),
  );
  const headOf = (one) =>
    h('tr', { class: 'series-row' }, h('th', { colspan: 1 + columns.length, scope: 'rowgroup' }, swatch(one), one.label));
  const rowOf = ({ x, across: horizontal, measurement }) =>
    h(
      'tr',
      { class: measurement.verified === false ? 'wrong' : null },
      h('th', { scope: 'row' }, axisValueText(axis, x)),
      h('td', { class: 'figure' }, acrossUnit.write(horizontal.median)),
      h('td', { class: 'figure strong' }, metricUnit.write(measurement.median)),
      h('td', { class: 'figure' }, verifiedCell(measurement, cautions(measurement))),
    );
  const bodies = series.map((one) => h('tbody', {}, series.length > 1 && headOf(one), one.points.map(rowOf)));
  return scrollingTable(caption, heads, bodies);
}
