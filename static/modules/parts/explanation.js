// The explanation of a point, which the lab computes: what limits it, its conditions, and tables of what stands beside
// it.

import { scrollingTable } from '../charts/table.js';
import { h } from '../dom.js';
import { quantity, significant } from '../text/format.js';
import { shownUnit } from '../text/units.js';

/** The sentence that says what limits the point. */
export const limitLine = ({ limit }) => h('p', { class: 'limit-line' }, limit.text);

/** The rest of the explanation {conditions, beside, predictions, devices, references, counters, more, …} of the API. */
export function explanationDetails(explanation) {
  const { conditions, beside, limit, predictions, devices, references, counters, more } = explanation;
  return h(
    'section',
    { class: 'point-explanation', 'aria-label': 'Explanation' },
    conditions.length ? h('p', { class: 'aside' }, conditions.join(' ')) : null,
    beside && limit.basis !== 'neighbour' ? h('p', {}, beside.text) : null,
    beside ? rowsTable('What differs there', ['Figure', 'Here', 'There'], beside.differences, (row) => [written(row, 'value'), written(row, 'other')]) : null,
    rowsTable('Predicted and counted', ['Figure', 'Predicted', 'Counted', 'Measured', 'Difference'], predictions, (row) => [written(row, 'predicted'), written(row, 'counted'), written(row, 'measured')], ({ text }) => text ?? ''),
    elsewhereTable('Other devices', 'Run', devices, explanation, ({ name }) => name, ({ run }) => h('a', { href: `/runs/${run}` }, 'its run')),
    elsewhereTable('Published', 'Source', references, explanation, ({ system }) => system, ({ source, remark }) => [source, remark].filter(Boolean).join('. ')),
    rowsTable('Hardware counters of one repetition', ['Counter', 'Value', 'Name of the device'], counters ?? [], (row) => [written(row, 'value')], ({ metric }) => h('code', {}, metric)),
    more ? h('p', { class: 'aside' }, more) : null,
  );
}

/** A value of a row with its unit; a dash for null. */
const written = (row, member) => (Number.isFinite(row[member]) ? quantity(row[member], shownUnit(row.name ?? row.metric ?? '', row.unit)) : '–');

function elsewhereTable(title, source, rows, { unit, metric }, nameOf, sourceOf) {
  const cells = ({ value, ratio }) => [quantity(value, shownUnit(metric, unit)), Number.isFinite(ratio) ? significant(ratio) : '–'];
  return rowsTable(title, ['System', 'Value', 'Here / there', source], rows.map((row) => ({ ...row, title: nameOf(row) })), cells, sourceOf);
}

/** A table below its title, a row for each of `rows`: its title, the figures `cells` and what `last` says; null without
 * rows. */
function rowsTable(title, columns, rows, cells, last = null) {
  if (!rows.length) return null;
  const isFigure = (at) => at > 0 && !(last && at === columns.length - 1);
  const heads = h('tr', {}, columns.map((name, at) => h('th', { scope: 'col', class: isFigure(at) ? 'figure' : null }, name)));
  const lines = rows.map((row) =>
    h('tr', {}, h('th', { scope: 'row' }, row.title), cells(row).map((text) => h('td', { class: 'figure' }, text)), last ? h('td', { class: 'aside' }, last(row)) : null),
  );
  return [h('h3', {}, title), scrollingTable(title, heads, h('tbody', {}, lines))];
}
