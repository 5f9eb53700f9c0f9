// The tab with what the timeline of a program shows: a sentence for each finding, and the lesson that explains it.

import { h, replace } from '../../dom.js';

/** Returns {element, update({run})}. */
export function findingsTab() {
  const element = h('section', { class: 'panel', 'aria-label': 'Findings' });
  return {
    element,
    update({ run: { findings } }) {
      const list = h('ul', { class: 'findings stack tight' }, findings.map(item));
      replace(element, h('h2', {}, 'Findings'), findings.length ? list : h('p', { class: 'aside' }, 'None: the timeline shows nothing that costs time.'));
    },
  };
}

const item = ({ text, lesson }) =>
  h('li', {}, text, lesson && [' ', h('a', { href: `/experiments/${encodeURIComponent(lesson)}` }, `Lesson: ${lesson}`)]);
