// Bar chart for values without a numeric axis: one bar for each point of each series. With several series at several
// values of the axis, the bars are grouped by value. A thin mark on the bar shows the quartiles.

import { h, replace } from '../dom.js';
import { quantity } from '../text/format.js';
import { ALL_POINTS } from '../results/series.js';
import { axisValueText } from '../text/displaynames.js';
import { colourVariable } from './seriesstyle.js';

/** Returns a chart; linechart.js describes the interface. */
export function barChart({ view, axis, metric }) {
  const element = h('div', { class: 'bars', role: 'img' });
  return {
    element,
    close() {},
    update(series, hidden) {
      const shown = series.filter(({ key }) => !hidden.has(key));
      const points = shown.flatMap((one) => one.points.map((point) => ({ one, ...point })));
      const longest = Math.max(0, ...points.map(({ measurement }) => quantity(measurement.median, metric.unit).length));
      // The column of the values has the same width in all bars, so that the lengths of the bars can be compared.
      element.style.setProperty('--value', `${longest}ch`);
      const maximum = Math.max(0, ...points.map(({ measurement }) => measurement.q3 ?? measurement.median ?? 0));
      element.setAttribute('aria-label', `${view.title}: ${points.length} bars. The exact values are in the table.`);
      const groups = groupsOf(series);
      element.classList.toggle('grouped', groups.length > 0);
      const draw = (some) => some.map((point) => bar(point, maximum, axis, metric, groups.length > 0));
      replace(
        element,
        groups.length ? groups.map((x) => group(x, axis, draw(points.filter((point) => point.x === x)))) : draw(points),
      );
    },
  };
}

/** The values of the axis by which bars are grouped, in the order of measurement; [] if the bars are not grouped
 * because the headings would only repeat their labels. */
function groupsOf(series) {
  const xs = [...new Set(series.flatMap(({ points }) => points.map(({ x }) => x)))];
  return series.length > 1 && xs.length > 1 && series.some(({ points }) => points.length > 1) ? xs : [];
}

const group = (x, axis, bars) =>
  bars.length ? h('div', { class: 'bar-group' }, h('p', { class: 'bar-head' }, axisValueText(axis, x)), bars) : null;

function bar({ one, x, measurement }, maximum, axis, metric, grouped) {
  const share = (value) => `${maximum > 0 && value > 0 ? (100 * value) / maximum : 0}%`;
  const { median, q1, q3 } = measurement;
  const spread = typeof q1 === 'number' && typeof q3 === 'number' && maximum > 0;
  const position = grouped || x === '' || one.points.length === 1 ? null : axisValueText(axis, x);
  // The label of an only series says nothing where a heading or a position is shown.
  const label = one.label === ALL_POINTS && (grouped || position) ? null : one.label;
  return h(
    'div',
    { class: measurement.verified === false ? 'bar wrong' : 'bar' },
    h(
      'span',
      { class: 'bar-label' },
      label,
      position && (label ? h('span', { class: 'bar-position' }, position) : position),
    ),
    h(
      'span',
      { class: 'bar-track' },
      h('span', { class: 'bar-fill', style: { width: share(median), background: `var(${colourVariable(one)})` } }),
      spread && h('span', { class: 'bar-spread', style: { left: share(q1), width: share(q3 - q1) } }),
    ),
    h('span', { class: 'bar-value' }, quantity(median, metric.unit)),
  );
}
