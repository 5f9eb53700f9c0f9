// What people must know about the page before they write: what they may not do, what the lab cannot do, and where the text is
// from.

import { h } from '../../dom.js';
import { notice } from '../../parts/notice.js';

/** The notices that stand as long as the page: `allowed` is whether the person may compile and run, `error` why the lab cannot
 * compile, or undefined. */
export function standingNotices({ allowed, error }) {
  const role =
    'Compiling and running need the role operator; yours is viewer. Ask an admin of this lab for another token.';
  return [
    allowed ? null : notice({ title: 'You can read kernels, but not run them', text: role }),
    error ? notice({ title: 'Kernels cannot be compiled here', text: error.message, tone: 'warn' }) : null,
  ];
}

/** The notice about a text that is not the person's own; null where it is. `damaged`: the text of a link could not be read;
 * `other`: the person's own draft, which show(draft) shows. */
export function originNotice({ damaged, other }, show) {
  if (damaged)
    return notice({
      title: 'The text of the link cannot be read',
      text: 'The link is incomplete or damaged.',
      tone: 'warn',
    });
  if (!other) return null;
  return notice({
    text: 'This text is from a link or a run. Your own draft of this kernel is kept until you change the text.',
    actions: [h('button', { type: 'button', on: { click: () => show(other) } }, 'Show my draft')],
  });
}
