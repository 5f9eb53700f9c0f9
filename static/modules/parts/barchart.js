// Bars: one for each point of each series, where there is no axis to draw a line over; under a heading for each place
// on the axis where several series stand at several of them. Plain elements; the quartiles are a thin mark over the end
// of the bar.

import { h, replace } from '../dom.js';
import { quantity } from '../format.js';
import { ALL_POINTS } from '../series.js';
import { axisWords } from '../displaynames.js';
import { colourName } from './seriesstyle.js';

/** {element, update(series, hidden), close()}, as parts/chart.js has it. */
export function barChart({ view, axis, metric }) {
  const element = h('div', { class: 'bars', role: 'img' });
  return {
    element,
    close() {},
    update(series, hidden) {
      const shown = series.filter(({ key }) => !hidden.has(key));
      const points = shown.flatMap((one) => one.points.map((point) => ({ one, ...point })));
      const longest = Math.max(0, ...points.map(({ measurement }) => quantity(measurement.median, metric.unit).length));
      element.style.setProperty('--value', `${longest}ch`); // one column for all: the bars share their scale
      const largest = Math.max(0, ...points.map(({ measurement }) => measurement.q3 ?? measurement.median ?? 0));
      element.setAttribute('aria-label', `${view.title}: ${points.length} bars. The exact values are in the table.`);
      const groups = groupsOf(series);
      element.classList.toggle('grouped', groups.length > 0);
      const draw = (some) => some.map((point) => bar(point, largest, axis, metric, groups.length > 0));
      replace(
        element,
        groups.length ? groups.map((x) => group(x, axis, draw(points.filter((point) => point.x === x)))) : draw(points),
      );
    },
  };
}

/** The places on the axis that bars are gathered at, in the order in which they were measured; [] where a heading for
 * each would only repeat what the bars say. */
function groupsOf(series) {
  const xs = [...new Set(series.flatMap(({ points }) => points.map(({ x }) => x)))];
  return series.length > 1 && xs.length > 1 && series.some(({ points }) => points.length > 1) ? xs : [];
}

const group = (x, axis, bars) =>
  bars.length ? h('div', { class: 'bar-group' }, h('p', { class: 'bar-head' }, axisWords(axis, x)), bars) : null;

function bar({ one, x, measurement }, largest, axis, metric, grouped) {
  const share = (value) => `${largest > 0 && value > 0 ? (100 * value) / largest : 0}%`;
  const { median, q1, q3 } = measurement;
  const spread = typeof q1 === 'number' && typeof q3 === 'number' && largest > 0;
  const where = grouped || x === '' || one.points.length === 1 ? null : axisWords(axis, x);
  // Where no axis tells it from others, the heading or the place says all there is to say.
  const label = one.label === ALL_POINTS && (grouped || where) ? null : one.label;
  return h(
    'div',
    { class: measurement.verified === false ? 'bar wrong' : 'bar' },
    h('span', { class: 'bar-label' }, label, where && (label ? h('span', { class: 'bar-where' }, where) : where)),
    h(
      'span',
      { class: 'bar-track' },
      h('span', { class: 'bar-fill', style: { width: share(median), background: `var(${colourName(one)})` } }),
      spread && h('span', { class: 'bar-spread', style: { left: share(q1), width: share(q3 - q1) } }),
    ),
    h('span', { class: 'bar-value' }, quantity(median, metric.unit)),
  );
}
