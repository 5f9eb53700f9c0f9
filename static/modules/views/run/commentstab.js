// The tab with what people have written about a run.

import * as api from '../../lab/api.js';
import { h } from '../../dom.js';
import { commentsPanel } from '../../parts/comments.js';

/** Returns {element, update()}. */
export function commentsTab({ run: { id }, signal }) {
  const source = {
    noun: 'comment',
    help: 'What is there to know about this run?',
    list: () => api.comments(id, signal),
    add: (body) => api.addComment(id, body),
    remove: (comment) => api.removeComment(id, comment),
  };
  const panel = commentsPanel({ source });
  panel.load();
  return { element: h('section', { class: 'panel', 'aria-label': 'Comments' }, panel.element), update() {} };
}
