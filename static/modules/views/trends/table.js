// The values of a trend as a table, newest first or sorted by a column.

import { h, replace } from '../../dom.js';
import { sorter } from '../../parts/sortheads.js';
import { absoluteTime } from '../../parts/status.js';
import { changeText, marksOf, valuesOf } from '../../results/trend.js';
import { plain, quantity } from '../../text/format.js';
import { shortId } from '../../text/runtitle.js';

const COLUMNS = [
  { title: 'Run' },
  { title: 'Time', value: ({ at }) => at },
  { title: 'Median', kind: 'figure', value: ({ median }) => median },
  { title: 'First quartile', kind: 'figure', value: ({ q1 }) => q1 },
  { title: 'Third quartile', kind: 'figure', value: ({ q3 }) => q3 },
  { title: 'Samples', kind: 'figure', value: ({ n }) => n },
  { title: 'Remarks' },
];

/** Returns {element, update(series)}. */
export function trendTable() {
  const body = h('tbody', {});
  let shown = null; // the series
  const draw = () => replace(body, heads.sorted(valuesOf(shown).reverse()).map((value) => rowOf(value, shown.point.unit)));
  const heads = sorter(COLUMNS, draw);
  const table = h(
    'table',
    { class: 'figures' },
    h('caption', { class: 'visually-hidden' }, 'The value of each run'),
    h('thead', {}, h('tr', {}, heads.cells)),
    body,
  );
  return {
    element: h(
      'details',
      { class: 'panel trend-values' },
      h('summary', {}, h('h2', {}, 'Values as a table')),
      h('div', { class: 'table-scroll', tabindex: 0, role: 'region', 'aria-label': 'Values of the trend' }, table),
    ),
    update(series) {
      shown = series;
      draw();
    },
  };
}

function rowOf(value, unit) {
  const { run, at, median, q1, q3, n, shift, verified } = value;
  const figure = (text) => h('td', { class: 'figure' }, text);
  return h(
    'tr',
    { class: verified === false ? 'wrong' : null },
    h('th', { scope: 'row' }, h('a', { href: `/runs/${run}` }, shortId(run))),
    h('td', {}, absoluteTime(at)),
    figure(h('strong', {}, quantity(median, unit))),
    figure(quantity(q1, unit)),
    figure(quantity(q3, unit)),
    figure(plain(n)),
    h(
      'td',
      {},
      marksOf(value).map(({ word, tone }) => [h('span', { class: `tag ${tone}`.trim() }, word), ' ']),
      shift ? `level ${changeText(shift.relative)} from here on` : null,
    ),
  );
}
