// A timeline as a table: every span with its exact times, for those who cannot or will not look at the picture. Made
// when it is first opened: it may have thousands of rows.

import { h } from '../dom.js';
import { exactTime, plural } from '../format.js';
import { valueWords } from '../displaynames.js';
import { frame } from './table.js';

const HEADS = ['Operation', 'Stream', 'Engine'];
const TIMES = ['Start', 'End', 'Duration'];

/** A fold. `variants` as spans.js has them, `name(variant)` what one is called. */
export function timelineTable(variants, name) {
  const count = variants.reduce((sum, { spans }) => sum + spans.length, 0);
  const fold = h('details', { class: 'timeline-fold' }, h('summary', {}, `As a table: ${plural(count, 'operation')}`));
  fold.addEventListener('toggle', () => fold.children.length > 1 || fold.append(tableOf(variants, name)));
  return fold;
}

function tableOf(variants, name) {
  const heads = h(
    'tr',
    {},
    HEADS.map((head) => h('th', { scope: 'col' }, head)),
    TIMES.map((head) => h('th', { scope: 'col', class: 'figure' }, head)),
  );
  const bodies = variants.map((variant) =>
    h(
      'tbody',
      {},
      h(
        'tr',
        { class: 'series-row' },
        h('th', { colspan: HEADS.length + TIMES.length, scope: 'rowgroup' }, name(variant)),
      ),
      variant.spans.map((span) =>
        h(
          'tr',
          {},
          h('th', { scope: 'row' }, span.label || '–'),
          h('td', {}, span.lane),
          h('td', {}, valueWords('kind', span.kind)),
          [span.start, span.end, span.end - span.start].map((time) => h('td', { class: 'figure' }, exactTime(time))),
        ),
      ),
    ),
  );
  return frame('Timeline: exact times of every operation', heads, bodies);
}
