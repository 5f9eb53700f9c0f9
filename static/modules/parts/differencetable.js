// Two texts beside each other, line by line; one below the other in a narrow column.

import { h } from '../dom.js';
import { plural } from '../text/format.js';
import { besideRows, diffLines, withoutLongSame } from '../text/linediff.js';

const ROWS_MAX = 2000; // that are shown

/** A table of the lines of two texts that differ, with some that do not around them. */
export function differenceTable(before, after) {
  const rows = besideRows(withoutLongSame(diffLines(before, after)));
  const rest = rows.length - ROWS_MAX;
  return h(
    'div',
    { class: 'code-text diff', role: 'region', tabindex: 0, 'aria-label': 'Differences' },
    h(
      'table',
      {},
      h('tbody', {}, rows.slice(0, ROWS_MAX).map(row), rest > 0 && noteRow(`${plural(rest, 'further row')} left out`)),
    ),
  );
}

const noteRow = (text) => h('tr', { class: 'skipped' }, h('td', { colspan: 6 }, text));

function row({ kind, before, after, count }) {
  if (kind === 'skipped') return noteRow(`${plural(count, 'line')} without a change`);
  const changed = kind === 'changed';
  return h(
    'tr',
    { class: kind },
    side(before?.before, before, changed && { name: 'removed', mark: '−' }),
    side(after?.after, after, changed ? { name: 'added', mark: '+' } : { name: 'again', mark: ' ' }),
  );
}

/** The cells of a side: number, mark and text. `change` is {name, mark}, or false for a line of both; `line` may be
 * null. */
function side(number, line, change) {
  const name = line ? change?.name : 'none';
  return [
    h('td', { class: ['diff-number', name].filter(Boolean).join(' ') }, number ?? ''),
    h('td', { class: name || null, 'aria-hidden': 'true' }, line ? (change?.mark ?? ' ') : ''),
    h(
      'td',
      { class: name || null },
      (name === 'removed' || name === 'added') && h('span', { class: 'visually-hidden' }, `${name}: `),
      line && h('code', {}, line.text),
    ),
  ];
}
