// The values of a trend as a table, newest first.

import { h, replaceKeepingScroll } from '../../dom.js';
import { absoluteTime } from '../../parts/status.js';
import { changeText, marksOf, valuesOf } from '../../results/trend.js';
import { plain, quantity } from '../../text/format.js';
import { shortId } from '../../text/runtitle.js';

const HEADS = [
  ['Run', ''],
  ['Time', ''],
  ['Median', 'figure'],
  ['First quartile', 'figure'],
  ['Third quartile', 'figure'],
  ['Samples', 'figure'],
  ['Remarks', ''],
];

/** Returns {element, update(series)}. */
export function trendTable() {
  const area = h('div', {});
  const element = h('details', { class: 'panel trend-values' }, h('summary', {}, h('h2', {}, 'Values as a table')), area);
  return {
    element,
    update(series) {
      const { unit } = series.point;
      replaceKeepingScroll(
        area,
        h(
          'div',
          { class: 'table-scroll', tabindex: 0, role: 'region', 'aria-label': 'Values of the trend' },
          h(
            'table',
            { class: 'figures' },
            h('caption', { class: 'visually-hidden' }, 'The value of each run, newest first'),
            h('thead', {}, h('tr', {}, HEADS.map(([text, kind]) => h('th', { scope: 'col', class: kind || null }, text)))),
            h('tbody', {}, valuesOf(series).reverse().map((value) => rowOf(value, unit))),
          ),
        ),
      );
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
