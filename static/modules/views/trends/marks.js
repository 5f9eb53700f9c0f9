// What happened to the machines of a trend, as people have noted it: the list, and the form that adds a mark.

import * as api from '../../lab/api.js';
import { freshId, h } from '../../dom.js';
import { commentsPanel } from '../../parts/comments.js';

/** Returns {element, load()}; changed(marks) is called with all marks, by their time. */
export function marksPanel({ changed, signal }) {
  const at = h('input', { id: freshId('mark-at'), type: 'datetime-local', step: 1 });
  const node = h('input', { id: freshId('mark-node'), type: 'text', maxlength: 128, autocomplete: 'off', spellcheck: 'false' });
  const source = {
    noun: 'mark',
    help: 'What happened?',
    list: () => api.marks(signal),
    add: api.addMark,
    remove: api.removeMark,
  };
  const fields = [
    { name: 'at', title: 'When, if not now', input: at, value: () => (at.value ? new Date(at.value).toISOString() : null) },
    { name: 'node', title: 'On which machine, if not on all', input: node, value: () => node.value.trim() || null },
  ];
  const panel = commentsPanel({ source, fields, changed });
  const element = h('section', { class: 'panel', 'aria-label': 'Marks' }, h('h2', {}, 'Marks'), panel.element);
  return { element, load: panel.load };
}
