// Why points of a comparison have no verdict: each reason once, and a mark at the points that have it.

import { h } from '../dom.js';
import { neededText } from '../results/comparison.js';
import { plain } from '../text/format.js';

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
