// Tables whose cells are coloured by value (results/matrix.js prepares their data), with the colour scale below them. A
// side of a table, its rows or columns, is {title, values: [{value, short, name, full}]}: `short` is the heading,
// `name` an addition for wide pages or null, `full` the whole name, for the tooltip and screen readers.

import { freshId, h, keepingFocus, replace } from '../../dom.js';
import { plain, quantity } from '../../text/format.js';
import { cautioned } from '../cautionmarks.js';
import { samplesButton } from '../samples/button.js';
import { scalePosition } from '../../results/matrix.js';

const NAME_LENGTH_MAX = 17; // longer names are not shown in row headings
const REASONS_MAX = 2; // more reasons are given only in the tooltips of the cells and in the list of skipped points

/** Draws all tables in `element`. `all` as returned by matricesOf, `sides` are {rows, columns}; `lead` is a sentence
 * above the tables, or '', `notes` are elements below the colour scale. `verdict(table)` is a sentence about one of
 * them, or '', `isEmpty(row, column)` says which cells can have no value, `emphasis(measurement)` gives the words for a
 * cell with a frame, or ''. Scroll positions and focus are kept. */
export function drawCellTables(element, { all, sides, metric, lead = '', notes = [], ...rest }) {
  const options = { sides, metric, verdict: () => '', isEmpty: () => false, emphasis: () => '', cautions: () => [], showSamples: null, ...rest };
  const boxes = () => [...element.querySelectorAll('.table-scroll')];
  const scrollPositions = boxes().map((box) => box.scrollLeft);
  const draw = () =>
    replace(
      element,
      lead ? h('p', { class: 'matrix-lead' }, lead) : null,
      all.groups.map((group) => groupOf(group, all, options)),
      h('div', { class: 'stack tight' }, scaleKey(all, metric), notes),
    );
  keepingFocus(element, '.table-scroll, button', draw);
  boxes().forEach((box, index) => (box.scrollLeft = scrollPositions[index] ?? 0));
}

/** A label as a heading, with a capital; names with digits, such as fp32, stay as they are. */
const heading = (label) => (/^\S*\d/.test(label) ? label : label.charAt(0).toUpperCase() + label.slice(1));

/** The tables of a group; below them a line for each reason why tables were skipped completely. */
function groupOf({ label, tables, skipped }, all, options) {
  const columns = Math.max(...tables.map(({ columns: own }) => (own ?? all.columns).length)); // of the widest table
  return h(
    'div',
    { class: 'matrix-group stack' },
    label ? h('h3', {}, heading(label)) : null,
    h(
      'div',
      { class: 'matrix-grid', style: { '--columns': columns } },
      tables.map((table) => tableOf(table, all, label, options)),
    ),
    skipped.map(({ labels, reason }) =>
      h('p', { class: 'aside' }, labels.length ? `${labels.join('; ')}: ` : '', `skipped: ${reason}.`),
    ),
  );
}

/** One table with its title. `group` is the label of its group. */
function tableOf(table, all, group, { sides, metric, verdict, isEmpty, ...ofCells }) {
  const { label, cells, columns: own } = table;
  const judged = verdict(table);
  const caption = freshId('matrix');
  const unit = all.unit ? h('span', { class: 'unit' }, ` in ${all.unit}`) : null;
  const hiddenGroup = group && label ? h('span', { class: 'visually-hidden' }, `${group}, `) : null;
  const { rows, columns } = sides;
  const values = own ? columns.values.filter(({ value }) => own.includes(value)) : columns.values;
  const reasons = [...new Set([...cells.values()].flatMap((row) => [...row.values()]).map(({ skipped }) => skipped))];
  return h(
    'div',
    { class: 'matrix' },
    h('p', { class: 'matrix-title', id: caption }, hiddenGroup, label || group || metric.title, unit),
    judged && h('p', { class: 'matrix-verdict' }, judged),
    oneTabStop(
      grid({
        sides: { rows, columns: { ...columns, values } },
        labelledBy: caption,
        isEmpty,
        cell: (row, column) => cellOf(cells.get(row)?.get(column), all, { metric, ...ofCells }),
      }),
    ),
    skippedNote(reasons.filter(Boolean)),
  );
}

const STEPS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

/** Makes the Tab key reach the first button in the cells of a table only, because there may be hundreds; the arrow keys
 * reach the others. */
function oneTabStop(frame) {
  [...frame.querySelectorAll('td button')].slice(1).forEach((button) => button.setAttribute('tabindex', -1));
  frame.addEventListener('keydown', (event) => {
    const cell = event.target.closest('td');
    const step = STEPS[event.key];
    if (!cell || !step) return;
    const { rows } = cell.closest('tbody');
    let next = cell;
    let row = [...rows].indexOf(cell.parentNode);
    do next = rows[(row += step[0])]?.cells[next.cellIndex + step[1]];
    while (next && !next.querySelector('button'));
    event.preventDefault();
    next?.querySelector('button').focus();
  });
  return frame;
}

/** Explains skipped cells; with many different reasons, refers to the tooltips. */
function skippedNote(reasons) {
  if (!reasons.length) return null;
  const text = reasons.length > REASONS_MAX ? 'see the tooltip of the cell or the list below' : reasons.join('; ');
  return h('p', { class: 'aside' }, `– skipped: ${text}.`);
}

/** A table in a scrolling frame; `cell(row, column)` creates a cell for a value of each side. */
export function grid({ sides: { rows, columns }, labelledBy, cell, isEmpty }) {
  const titled = (title, arrow) => h('span', {}, title, h('span', { 'aria-hidden': 'true' }, `\u00a0${arrow}`));
  const corner = h('div', {}, titled(rows.title, '↓'), ' ', titled(columns.title, '→'));
  const heads = columns.values.map(({ short, full }) =>
    h('th', { scope: 'col', class: 'figure', title: full }, short, hiddenText(full, short)),
  );
  const lines = rows.values.map((row) =>
    h(
      'tr',
      {},
      rowHead(row),
      columns.values.map(({ value }) =>
        isEmpty(row.value, value) ? h('td', { class: 'diagonal' }) : cell(row.value, value),
      ),
    ),
  );
  return h(
    'div',
    { class: 'table-scroll', role: 'region', tabindex: 0, 'aria-labelledby': labelledBy },
    h(
      'table',
      { class: 'figures matrix-table', 'aria-labelledby': labelledBy },
      h('thead', {}, h('tr', {}, h('td', { class: 'corner' }, corner), heads)),
      h('tbody', {}, lines),
    ),
  );
}

/** The heading of a row: the short name, then the name if it is short enough; screen readers get the whole name. */
function rowHead({ value, short, name, full }) {
  const showName = name && name.length <= NAME_LENGTH_MAX;
  return h(
    'th',
    { scope: 'row', title: full },
    short,
    showName ? h('span', { class: 'aside' }, ` ${name}`) : null,
    hiddenText(showName ? value : full, short),
  );
}

const hiddenText = (text, shown) => (text === shown ? null : h('span', { class: 'visually-hidden' }, `, ${text}`));

/** The cell of a measurement: its median on a background of the colour scale, or that it was skipped or wrong. */
function cellOf(measurement, { scale, write }, { metric, emphasis, cautions, showSamples }) {
  if (!measurement) return h('td', { class: 'missing' });
  if (measurement.skipped)
    return h(
      'td',
      { class: 'figure skipped', title: measurement.skipped },
      '–',
      h('span', { class: 'visually-hidden' }, ` skipped: ${measurement.skipped}`),
    );
  const { median, verified, wrong } = measurement;
  const title = cellTooltip(measurement, metric);
  const value = samplesButton(measurement, showSamples, write(median));
  if (verified === false)
    return h(
      'td',
      { class: 'figure wrong', title },
      '✗ ',
      value,
      h('span', { class: 'visually-hidden' }, ` ${wrong ? `${plain(wrong)} elements wrong` : 'wrong'}`),
    );
  const share = scalePosition(median, scale);
  const words = emphasis(measurement);
  const mark = cautioned(words ? 'figure heat framed' : 'figure heat', cautions(measurement));
  return h(
    'td',
    { ...mark, title: [title, words, mark.title].filter(Boolean).join('\n'), style: share === null ? {} : { '--share': `${Math.round(100 * share)}%` } },
    value,
    words && h('span', { class: 'visually-hidden' }, `, ${words}`),
  );
}

/** The tooltip of a cell: quartiles and how it was measured. */
function cellTooltip({ median, q1, q3, n, verified, wrong }, { unit }) {
  return [
    `median ${quantity(median, unit, 6)}`,
    typeof q1 === 'number' && n > 1 ? `quartiles ${quantity(q1, unit, 6)} … ${quantity(q3, unit, 6)}` : null,
    n > 0 ? `${plain(n)} samples` : null,
    verified === false ? `${plain(wrong)} elements wrong` : null,
  ]
    .filter(Boolean)
    .join(', ');
}

/** The legend of the colour scale: its smallest and largest value. */
function scaleKey({ scale, unit, write }, metric) {
  if (!scale) return null;
  const text = (value) => [write(value), unit].filter(Boolean).join('\u00a0');
  return h(
    'p',
    { class: 'row tight fine' },
    h('span', {}, `${metric.title}: `),
    h('span', {}, text(scale.low)),
    h('span', { class: 'matrix-ramp', role: 'img', 'aria-label': 'colour scale from pale to strong' }),
    h('span', {}, text(scale.high)),
    h('span', { class: 'aside' }, 'logarithmic, same scale for all tables'),
  );
}
