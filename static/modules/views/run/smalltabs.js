// The tabs of a run with one part each: references, comments, findings.

import { h, replace } from '../../dom.js';
import * as api from '../../lab/api.js';
import { commentsPanel } from '../../parts/comments.js';
import { referenceResults } from '../../parts/references.js';

/** Reference results, published ones and ones of gpulab on named systems:
 * {element, update({references, measurements})}. */
export function referencesTab({ experiment }) {
  const panel = referenceResults({ experiment });
  return { element: panel.element, update: ({ references, measurements }) => panel.update(references, measurements) };
}

/** What people have written about a run: {element, update()}. */
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

/** What the timeline of a program shows, a sentence for each finding and the lesson that explains it:
 * {element, update({run})}. */
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
