// The tab with the notes of a run: facts such as versions of libraries.

import { h, replace } from '../../dom.js';

/** Returns {element, update({run})}. */
export function notesTab() {
  const list = h('ul', { class: 'plain-list' });
  return {
    element: h('section', { class: 'panel notes', 'aria-label': 'Notes' }, list),
    update: ({ run }) => replace(list, (run.notes ?? []).map((note) => h('li', {}, note))),
  };
}
