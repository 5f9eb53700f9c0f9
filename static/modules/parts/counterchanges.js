// The hardware counters that differ between the two sides of a comparison.

import { h } from '../dom.js';
import { axesOf, counterChangesOf, pointName, ratioText } from '../results/comparison.js';
import { plain, quantity } from '../text/format.js';

const ROWS_MAX = 60;

/** A folded table of the counters of all points that were counted on both sides; null where there are none. `points`
 * and `axes` are those of the comparison and its experiment; `titles` name the sides: [base, head]. */
export function counterChanges(points, axes, titles) {
  const changes = counterChangesOf(points);
  if (!changes.length) return null;
  const { varying } = axesOf(changes.map(({ point }) => point), axes);
  const several = varying.length > 0;
  const heads = [...(several ? ['Point'] : []), 'Hardware counter', ...titles, 'Ratio'];
  const figure = (text) => h('td', { class: 'figure' }, text);
  const row = ({ point, title, unit, base, head, ratio }) =>
    h(
      'tr',
      {},
      several ? h('td', {}, pointName(point, varying)) : null,
      h('th', { scope: 'row' }, title),
      [quantity(base, unit), quantity(head, unit), ratioText(ratio)].map(figure),
    );
  return h(
    'details',
    { class: 'counter-changes' },
    h('summary', {}, `Hardware counters that differ (${plain(changes.length)})`),
    h(
      'div',
      { class: 'table-frame', role: 'region', tabindex: 0, 'aria-label': 'Hardware counters that differ' },
      h(
        'table',
        { class: 'figures' },
        h('caption', { class: 'visually-hidden' }, 'Hardware counters that are more than a tenth apart'),
        h('thead', {}, h('tr', {}, heads.map((text, at) => h('th', { scope: 'col', class: at < heads.length - 3 ? null : 'figure' }, text)))),
        h('tbody', {}, changes.slice(0, ROWS_MAX).map(row)),
      ),
    ),
    changes.length > ROWS_MAX ? h('p', { class: 'aside' }, `The first ${plain(ROWS_MAX)} are shown.`) : null,
  );
}
