// The heads of a table's columns. Those of columns with a `value` are buttons that sort the rows
// (results/rowfilter.js).

import { h } from '../dom.js';

/** Returns {cells, show(order)} for `columns` [{title, kind, hint, hidden, value}]: the cells, of which show() marks
 * that of the column by which the rows are sorted. `kind` is the class of a cell, `hint` the tooltip of the title,
 * which is for screen readers only where it is `hidden`. Calls press(title) for a head that is pressed. */
export function sortHeads(columns, press) {
  const content = ({ title, hidden, value }) => {
    if (hidden) return h('span', { class: 'visually-hidden' }, title);
    return value && press ? h('button', { type: 'button', class: 'sort-head', on: { click: () => press(title) } }, title) : title;
  };
  const cells = columns.map((column) => h('th', { scope: 'col', class: column.kind || null, title: column.hint }, content(column)));
  return {
    cells,
    show(order) {
      cells.forEach((cell, at) => {
        if (columns[at] === order?.column) cell.setAttribute('aria-sort', order.falling ? 'descending' : 'ascending');
        else cell.removeAttribute('aria-sort');
      });
    },
  };
}
