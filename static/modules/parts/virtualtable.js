// A table of any number of rows, of which only those in sight are in the document, on paper all. Rows have the same
// height, and columns keep their width. Screen readers get the number of rows and the place of each from aria-rowcount
// and aria-rowindex.

import { h, replace } from '../dom.js';
import { oncePerFrame } from '../throttle.js';
import { sortHeads } from './sortheads.js';

const ROW_HEIGHT = 28; // px, as in css/tables.css
const HEAD_HEIGHT = 33; // px, with the borders of the frame
const MARGIN = 8; // rows beyond each edge of the frame, so that scrolling shows no gaps
const SAMPLES = 40; // rows, evenly spread, whose contents determine the widths of the columns
const SPARE = 1.06; // width of a column as a multiple of the widest of those rows

/** Returns {element, update(rows), showOrder(order)}. `columns` is [{title, kind, hint, cell(row), value}]: `cell`
 * returns the content, `kind` is the class of its cells, `hint` is the tooltip of the title; the head of a column with
 * `value` calls sort(title). The first column heads its row. `rowClass(row)` is a class of the row, or null. `order` as
 * in results/rowfilter.js. */
export function virtualTable({ caption, columns, rowClass = () => null, sort, signal }) {
  const body = h('tbody', {});
  const [above, below] = [spacer(columns.length), spacer(columns.length)];
  const widths = columns.map(() => h('col', {}));
  const heads = sortHeads(columns, sort);
  const table = h(
    'table',
    { class: 'figures virtual' },
    h('caption', { class: 'visually-hidden' }, caption),
    h('colgroup', {}, widths),
    h('thead', {}, h('tr', { 'aria-rowindex': 1 }, heads.cells)),
    above.element,
    body,
    below.element,
  );
  const element = h('div', { class: 'table-frame', role: 'region', tabindex: 0, 'aria-label': caption }, table);
  let rows = [];
  let shown = null; // [from, to] of the rows in the document
  let printing = false; // all rows are shown
  let measured = 0; // the number of rows when the widths were determined

  function rowElement(row, index) {
    return h(
      'tr',
      { class: rowClass(row), 'aria-rowindex': index + 2 },
      columns.map(({ kind, cell }, at) => h(at ? 'td' : 'th', { scope: at ? null : 'row', class: kind || null }, cell(row))),
    );
  }

  /** Determines the widths of the columns from rows of all parts of the table. */
  function measure() {
    measured = rows.length;
    const step = Math.max(1, Math.floor(rows.length / SAMPLES));
    table.classList.remove('fixed');
    for (const col of widths) col.style.removeProperty('width');
    replace(
      body,
      rows.filter((_, index) => index % step === 0).map((row) => rowElement(row, 0)),
    );
    table.style.setProperty('width', 'max-content');
    const needed = heads.cells.map((head) => head.getBoundingClientRect().width * SPARE);
    table.style.removeProperty('width');
    const sum = needed.reduce((total, width) => total + width, 0);
    needed.forEach((width, at) => widths[at].style.setProperty('width', `${(100 * width) / sum}%`));
    table.style.setProperty('min-width', `${Math.min(sum, Math.max(sum / SPARE, element.clientWidth))}px`);
    table.classList.add('fixed');
  }

  function draw() {
    if (printing || !element.clientHeight || !rows.length) return; // not visible yet
    if (rows.length > 2 * measured) {
      measure();
      shown = null;
    }
    const from = Math.max(0, Math.floor(element.scrollTop / ROW_HEIGHT) - MARGIN);
    const to = Math.min(rows.length, Math.ceil((element.scrollTop + element.clientHeight) / ROW_HEIGHT) + MARGIN);
    if (shown && shown[0] === from && shown[1] === to) return;
    show(from, to);
  }

  function setPrinting(prints) {
    printing = prints;
    if (prints && element.isConnected) show(0, rows.length);
    draw();
  }

  function show(from, to) {
    shown = [from, to];
    above.update(from);
    replace(
      body,
      rows.slice(from, to).map((row, at) => rowElement(row, from + at)),
    );
    below.update(rows.length - to);
  }

  element.addEventListener('scroll', oncePerFrame(draw, signal), { passive: true });
  const observer = new ResizeObserver(draw);
  observer.observe(element);
  signal.addEventListener('abort', () => observer.disconnect());
  window.addEventListener('beforeprint', () => setPrinting(true), { signal });
  window.addEventListener('afterprint', () => setPrinting(false), { signal });
  return {
    element,
    showOrder: heads.show,
    update(next) {
      rows = next;
      table.setAttribute('aria-rowcount', rows.length + 1);
      element.style.setProperty('height', `${rows.length * ROW_HEIGHT + HEAD_HEIGHT}px`);
      shown = null;
      if (rows.length) return draw();
      [above, below].forEach((spacer) => spacer.update(0));
      return replace(body);
    },
  };
}

/** The height of rows that are not in the document: {element, update(count)}. */
function spacer(columns) {
  const cell = h('td', { colspan: columns });
  const element = h('tbody', { 'aria-hidden': 'true', hidden: true }, h('tr', {}, cell));
  return {
    element,
    update(count) {
      element.hidden = count === 0;
      cell.style.setProperty('height', `${count * ROW_HEIGHT}px`);
    },
  };
}
