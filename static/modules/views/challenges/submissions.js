// The own submissions to a challenge, newest first, with what became of each.

import { h, keepingFocus, replace } from '../../dom.js';
import * as api from '../../lab/api.js';
import { runTable } from '../../parts/runtable.js';

const LISTED_MAX = 50;

/** Returns {element, update()}; update() is to be called when there may be others, or their state may have changed. */
export function ownSubmissions({ name, signal }) {
  const body = h('div', {});

  function show(runs) {
    const table = h('div', { class: 'panel flush' }, runTable(runs, () => 'Submission', 'Your submissions'));
    keepingFocus(body, 'a', () => replace(body, runs.length ? table : h('p', { class: 'aside' }, 'None yet.')));
  }

  return {
    element: h('section', { class: 'stack', 'aria-label': 'Your submissions' }, h('h2', {}, 'Your submissions'), body),
    async update() {
      try {
        show((await api.runs({ challenge: name, limit: LISTED_MAX }, signal)).runs);
      } catch (error) {
        if (!signal.aborted) replace(body, h('p', { class: 'aside', role: 'alert' }, `The submissions could not be loaded: ${error.message}`));
      }
    },
  };
}
