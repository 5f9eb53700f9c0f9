// The heads of a table's columns. Those of columns with a `value` are buttons that sort the rows
// (results/rowfilter.js).

import { choicesInMemory } from '../choices.js';
import { h } from '../dom.js';
import { nextOrder, orderOf, sortedRows } from '../results/rowfilter.js';

/** The heads of a table and the order of its rows, which is the choice `name` of `choices`: {cells, sorted(rows)}; the
 * latter marks the head of the column by which the rows are sorted. Calls draw() after a press on a head. */
export function sorter(columns, draw, choices = choicesInMemory(), name = 'sort') {
  const heads = sortHeads(columns, (title) => {
    choices.set({ [name]: nextOrder(columns, choices.get(name), title) });
    draw();
  });
  return {
    cells: heads.cells,
    sorted(rows) {
      const order = orderOf(columns, choices.get(name));
      heads.show(order);
      return sortedRows(rows, order);
    },
  };
}

/** Returns {cells, show(order)} for `columns` [{title, kind, hint, hidden, href, value}]: the cells, of which show()
 * marks that of the column by which the rows are sorted. `kind` is the class of a cell, `hint` the tooltip of the
 * title, which is for screen readers only where it is `hidden`, and a link where it has an `href`. Calls press(title)
 * for a head that is pressed. */
export function sortHeads(columns, press) {
  const content = ({ title, hidden, href, value }) => {
    if (hidden) return h('span', { class: 'visually-hidden' }, title);
    const button = (text, label) => value && press && h('button', { type: 'button', class: 'sort-head', 'aria-label': label, on: { click: () => press(title) } }, text);
    if (href) return [h('a', { href }, title), button(null, `Sort by ${title}`)];
    return button(title) || title;
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
