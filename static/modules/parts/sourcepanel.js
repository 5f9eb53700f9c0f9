// What an experiment's steps do and the code of each: a list to be unfolded, of one runtime at a time.

import { h, replace } from '../dom.js';
import { backendsOf, sourcesOf } from '../sources.js';
import { valueWords } from '../displaynames.js';
import { codePane } from './codepane.js';
import { paragraphs } from './prose.js';

/** The panel; null for an experiment, or a `backend` (null: a switch between all there are, `prefer` first), without
 * sources. */
export function sourcePanel({ experiment, backend = null, prefer = null }) {
  const backends = backendsOf(experiment.sources);
  const first = backend
    ? backends.find((name) => name === backend)
    : (backends.find((name) => name === prefer) ?? backends[0]);
  if (!first) return null;
  const list = h('ol', { class: 'sources' });
  const buttons = backends.map((name) =>
    h(
      'button',
      { type: 'button', dataset: { backend: name }, on: { click: () => show(name) } },
      valueWords('backend', name),
    ),
  );

  function show(name) {
    for (const button of buttons) button.setAttribute('aria-pressed', String(button.dataset.backend === name));
    replace(
      list,
      sourcesOf(experiment, name).map((source) => h('li', {}, fold(experiment, source))),
    );
  }

  show(first);
  return h(
    'section',
    { class: 'panel source-panel', 'aria-label': 'Steps and their code' },
    h(
      'div',
      { class: 'section-head' },
      h('h2', {}, 'The steps and their code'),
      backend || backends.length < 2
        ? null
        : h('div', { class: 'segments', role: 'group', 'aria-label': 'Runtime' }, buttons),
    ),
    list,
  );
}

function fold(experiment, source) {
  const code = codePane({ experiment });
  return h(
    'details',
    {
      class: 'source',
      on: {
        toggle: (event) => event.target.open && code.show(source),
      },
    },
    h('summary', {}, h('span', { class: 'source-title' }, source.title), h('code', {}, source.step)),
    h('div', { class: 'prose' }, paragraphs(source.explanation)),
    code.element,
  );
}
