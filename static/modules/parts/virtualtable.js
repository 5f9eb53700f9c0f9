// A table of any number of rows, of which only those in sight are in the document. Rows have the same height. Screen readers
// get the number of rows and the place of each from aria-rowcount and aria-rowindex.

import { h, replace } from '../dom.js';
import { oncePerFrame } from '../throttle.js';

const ROW_HEIGHT = 28; // px, as in css/tables.css
const MARGIN = 12; // rows beyond each edge of the frame, so that scrolling shows no gaps

/** Returns {element, update(rows)}. `columns` is [{title, figure, cell(row)}]: `cell` returns the content, `figure` aligns it to
 * the right. The first column heads its row. `rowClass(row)` is a class of the row, or null. */
export function virtualTable({ caption, columns, rowClass = () => null, signal }) {
  const body = h('tbody', {});
  const [above, below] = [h('tbody', { 'aria-hidden': 'true' }), h('tbody', { 'aria-hidden': 'true' })];
  const heads = columns.map(({ title, figure, hint }) =>
    h('th', { scope: 'col', role: 'columnheader', class: figure ? 'figure' : null, title: hint }, title),
  );
  const table = h(
    'table',
    { class: 'figures virtual', 'aria-colcount': columns.length },
    h('caption', { class: 'visually-hidden' }, caption),
    h('thead', {}, h('tr', { 'aria-rowindex': 1 }, heads)),
    above,
    body,
    below,
  );
  const element = h('div', { class: 'table-frame', role: 'region', tabindex: 0, 'aria-label': caption }, table);
  let rows = [];
  let shown = null; // [from, to] of the rows in the document

  function rowElement(row, index) {
    return h(
      'tr',
      { class: rowClass(row), 'aria-rowindex': index + 2 },
      columns.map(({ figure, cell }, at) =>
        h(at ? 'td' : 'th', at ? { class: figure ? 'figure' : null } : { scope: 'row' }, cell(row)),
      ),
    );
  }

  const spacer = (count) => (count ? h('tr', {}, h('td', { colspan: columns.length, style: { height: `${count * ROW_HEIGHT}px` } })) : null);

  function draw() {
    const height = element.clientHeight || innerHeight;
    const from = Math.max(0, Math.floor(element.scrollTop / ROW_HEIGHT) - MARGIN);
    const to = Math.min(rows.length, Math.ceil((element.scrollTop + height) / ROW_HEIGHT) + MARGIN);
    if (shown && shown[0] === from && shown[1] === to) return;
    shown = [from, to];
    replace(above, spacer(from));
    replace(body, rows.slice(from, to).map((row, at) => rowElement(row, from + at)));
    replace(below, spacer(rows.length - to));
  }

  element.addEventListener('scroll', oncePerFrame(draw, signal), { passive: true });
  new ResizeObserver(draw).observe(element);
  return {
    element,
    update(next) {
      rows = next;
      table.setAttribute('aria-rowcount', rows.length + 1);
      shown = null;
      draw();
    },
  };
}
