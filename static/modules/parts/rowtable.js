// A table of things that people have added, such as tokens, with buttons for each; cards on narrow screens.

import { h, replace } from '../dom.js';
import { sorter } from './sortheads.js';

/** `heads` are the titles of the columns, `rows` [{head, cells, actions, values}]: `head` belongs to the first column,
 * `cells` to the others, `actions` are buttons, and `values` are those by which the columns are sorted. `choices` keep
 * the order under the name `sort`. */
export function rowTable({ caption, heads, rows, choices, sort }) {
  const [, ...labels] = heads;
  const acts = rows.some(({ actions }) => actions?.length);
  const body = h('tbody', {});
  const columns = heads.map((title, at) => ({ title, value: ({ values }) => values[at] }));
  const draw = () => replace(body, order.sorted(rows).map((row) => bodyRow(row, labels, acts)));
  const order = sorter(columns, draw, choices, sort);
  draw();
  return h('div', { class: 'panel flush' }, [
    h('table', { class: 'runs rows' }, [
      h('caption', { class: 'visually-hidden' }, caption),
      h('thead', {}, h('tr', {}, order.cells, acts ? h('td', {}) : null)),
      body,
    ]),
  ]);
}

const bodyRow = ({ head, cells, actions }, labels, acts) =>
  h(
    'tr',
    {},
    h('th', { scope: 'row' }, head),
    cells.map((content, at) => h('td', { dataset: { label: labels[at] }, class: content === null ? 'none' : null }, content ?? '–')),
    acts ? h('td', { class: 'row-actions' }, actions) : null,
  );

/** A small button of a row; `label` says what it does to which row. */
export const rowButton = (text, label, click, kind = '') =>
  h('button', { type: 'button', class: `small ${kind}`.trim(), 'aria-label': label, on: { click } }, text);
