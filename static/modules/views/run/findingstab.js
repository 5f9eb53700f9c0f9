// The tab with what the lab has found in the timeline of a program, a sentence each.

import { h, replace } from '../../dom.js';

/** Returns {element, update({run})}. */
export function findingsTab() {
  const element = h('section', { class: 'panel', 'aria-label': 'Findings' });
  return {
    element,
    update({ run }) {
      replace(element, h('h2', {}, 'Findings'), h('ul', { class: 'findings' }, findingsOf(run).map((text) => h('li', {}, text))));
    },
  };
}

/** The notes of a run, which are findings where they say so. */
export const findingsOf = ({ notes }) => (notes ?? []).map((note) => note.replace(/^finding: /, ''));
