// How certain the verdicts of a comparison are: columns of its tables.

import { h } from '../dom.js';
import { detectableText, neededText } from '../results/comparison.js';
import { UNKNOWN } from '../text/format.js';

const COLUMNS = [
  {
    title: 'Would have found',
    text: detectableText,
    note:
      'the smallest difference that would have been called faster or slower with a probability of 95\u00a0%; over 100\u00a0%: the ' +
      'samples vary so much that one side could be twice as fast without being noticed',
  },
  { title: 'Would decide', text: neededText, note: 'so many times the time budget would probably give another verdict than unclear' },
];

/** Returns {titles, cells(point), notes} of the columns that some of `points` have; `notes` are elements that explain
 * them. */
export function certainty(points) {
  const columns = COLUMNS.filter(({ text }) => points.some(text));
  return {
    titles: columns.map(({ title }) => title),
    cells: (point) => columns.map(({ text }) => h('td', { class: 'figure' }, text(point) || UNKNOWN)),
    notes: columns.map(({ title, note }) => h('p', { class: 'aside' }, `${title}: ${note}.`)),
  };
}
