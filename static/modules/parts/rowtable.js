// A table of things that people have added, such as tokens, with buttons for each; cards on narrow screens.

import { h } from '../dom.js';

/** `heads` are the titles of the columns, `rows` [{head, cells, actions}]: `head` belongs to the first column, `cells`
 * to the others, and `actions` are buttons. */
export function rowTable({ caption, heads, rows }) {
  const [, ...labels] = heads;
  const acts = rows.some(({ actions }) => actions?.length);
  return h('div', { class: 'panel flush' }, [
    h('table', { class: 'runs rows' }, [
      h('caption', { class: 'visually-hidden' }, caption),
      h('thead', {}, h('tr', {}, heads.map((head) => h('th', { scope: 'col' }, head)), acts ? h('td', {}) : null)),
      h('tbody', {}, rows.map((row) => bodyRow(row, labels, acts))),
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
