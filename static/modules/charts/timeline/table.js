// A timeline as a table: every span with exact times. It is created when first opened.

import { h } from '../../dom.js';
import { exactTime, plural } from '../../text/format.js';
import { valueText } from '../../text/displaynames.js';
import { growingTable } from '../table.js';
import { PARTIAL } from './text.js';

const TIMES = ['Start', 'End', 'Duration'];

/** A <details> element with the table. `variants` as returned by variantsOf; name(variant) returns the display name;
 * `words` are those of the timeline's subject (timelinesubjects.js). */
export function timelineTable(variants, name, words) {
  const count = variants.reduce((sum, { spans }) => sum + spans.length, 0);
  const details = h(
    'details',
    { class: 'timeline-details' },
    h('summary', {}, `Table of ${plural(count, words.span)}`),
  );
  details.addEventListener('toggle', () => details.children.length > 1 || details.append(tableOf(variants, name, words)));
  return details;
}

function tableOf(variants, name, words) {
  const titles = [words.span[0].toUpperCase() + words.span.slice(1), words.row, words.kind];
  const heads = h(
    'tr',
    {},
    titles.map((head) => h('th', { scope: 'col' }, head)),
    TIMES.map((head) => h('th', { scope: 'col', class: 'figure' }, head)),
  );
  const headOf = (variant) =>
    h('tr', { class: 'series-row' }, h('th', { colspan: titles.length + TIMES.length, scope: 'rowgroup' }, name(variant)));
  const groups = variants.map((variant) => [() => headOf(variant), ...variant.spans.map((span) => () => rowOf(span))]);
  return growingTable(`Timeline: exact times of every ${words.span}`, heads, groups);
}

const rowOf = (span) =>
  h(
    'tr',
    {},
    h('th', { scope: 'row' }, span.label || '–'),
    h('td', {}, span.lane),
    h('td', {}, valueText('kind', span.kind), span.partial && h('span', { class: 'aside heading-line' }, PARTIAL)),
    [span.start, span.end, span.end - span.start].map((time) => h('td', { class: 'figure' }, exactTime(time))),
  );
