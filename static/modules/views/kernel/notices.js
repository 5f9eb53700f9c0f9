// What people must know before they write: what they may not do, and where the text is from.

import { h } from '../../dom.js';
import { notice } from '../../parts/notice.js';

/** The notice for a person who may not compile and run `things`; null where `allowed`. */
export function roleNotice(allowed, things) {
  if (allowed) return null;
  const text = `Your role does not allow it: running ${things} needs the role operator. Ask an admin of this lab for another token.`;
  return notice({ title: `You can read ${things}, but not run them`, text });
}

/** The notice about a text that is not the person's own; null where it is. `damaged`: the text of a link could not be
 * read; `other`: the person's own draft, which show(draft) shows. */
export function originNotice({ damaged, other }, show) {
  if (damaged)
    return notice({
      title: 'The text of the link cannot be read',
      text: 'The link is incomplete or damaged.',
      tone: 'warn',
    });
  if (!other) return null;
  return notice({
    text: 'This text is from a link or a run. Your own draft is kept until you change the text.',
    actions: [h('button', { type: 'button', on: { click: () => show(other) } }, 'Show my draft')],
  });
}
