// The table of a scatter chart: a row for each point, with the values of both metrics; of a prediction also by how much
// the value is above it, and of a view with a metric beside the two, that one.

import { axisValueText } from '../../text/displaynames.js';
import { h } from '../../dom.js';
import { aboveOf } from '../../results/scatter.js';
import { commonUnit, percent, UNKNOWN } from '../../text/format.js';
import { swatch } from '../seriesstyle.js';
import { scrollingTable, verifiedCell } from '../table.js';

/** `series` are the visible ones, joined with the metrics `across` and `beside` (joinMetric of scatter.js); `beside` is
 * null for none. `predicted`: `across` predicts `metric`. */
export function scatterTable({ series, axis, across, metric, beside = null, predicted = false, caption, cautions = () => [] }) {
  const points = series.flatMap((one) => one.points);
  const unitOf = (one, list) => commonUnit(one.unit, list.map(({ median }) => median));
  const acrossUnit = unitOf(across, points.map((point) => point.across));
  const metricUnit = unitOf(metric, points.map(({ measurement }) => measurement));
  const titled = ({ title }, { unit }) => (unit ? `${title} (${unit})` : title);
  const besideUnit = beside && unitOf(beside, points.map((point) => point.beside).filter(Boolean));
  const columns = [
    titled(across, acrossUnit),
    titled(metric, metricUnit),
    predicted && 'Above prediction',
    beside && titled(beside, besideUnit),
    'Verified',
  ].filter(Boolean);
  const heads = h(
    'tr',
    {},
    h('th', { scope: 'col' }, axis.title),
    columns.map((title) => h('th', { scope: 'col', class: 'figure' }, title)),
  );
  const headOf = (one) =>
    h('tr', { class: 'series-row' }, h('th', { colspan: 1 + columns.length, scope: 'rowgroup' }, swatch(one), one.label));
  const rowOf = ({ x, across: horizontal, beside: third, measurement }) =>
    h(
      'tr',
      { class: measurement.verified === false ? 'wrong' : null },
      h('th', { scope: 'row' }, axisValueText(axis, x)),
      h('td', { class: 'figure' }, acrossUnit.write(horizontal.median)),
      h('td', { class: 'figure strong' }, metricUnit.write(measurement.median)),
      predicted && h('td', { class: 'figure' }, aboveText({ across: horizontal, measurement })),
      beside && h('td', { class: 'figure' }, third ? besideUnit.write(third.median) : UNKNOWN),
      h('td', { class: 'figure' }, verifiedCell(measurement, cautions(measurement))),
    );
  /** "+3.1 %" */
  const aboveText = (point) => {
    const above = aboveOf(point);
    return above === null ? UNKNOWN : `${above > 0 ? '+' : ''}${percent(above)}`;
  };
  const bodies = series.map((one) => h('tbody', {}, series.length > 1 && headOf(one), one.points.map(rowOf)));
  return scrollingTable(caption, heads, bodies);
}
