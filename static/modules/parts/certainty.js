// How certain the verdicts of a comparison are: columns of its tables, and why points have no verdict, each reason once
// with a mark at the points that have it.

import { h } from '../dom.js';
import { detectableText, neededText } from '../results/comparison.js';
import { plain, UNKNOWN } from '../text/format.js';

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

/** The list of the reasons, as reasonsOf (results/comparison.js) returns them; several are numbered. */
export function reasonList(reasons) {
  if (!reasons.length) return null;
  const text = ({ reason, count, needed }) => {
    const times = neededText({ needed });
    return `${plain(count)} unclear: ${reason}${times && `; ${times} the time budget would probably decide ${count === 1 ? 'it' : 'all'}`}.`;
  };
  if (reasons.length === 1) return h('p', { class: 'aside' }, text(reasons[0]));
  return h('ol', { class: 'aside reason-list' }, reasons.map((one) => h('li', {}, text(one))));
}

/** The number of a reason in the list; null where it is the only one. */
export function reasonMark(reason, reasons) {
  if (reasons.length < 2) return null;
  const number = reasons.findIndex((one) => one.reason === reason) + 1;
  return h('sup', { title: reason }, h('span', { class: 'visually-hidden' }, ' reason '), number);
}
