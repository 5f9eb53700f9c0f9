// The steps of an experiment for one runtime at a time: a list whose entries expand to explanation and source code.

import { h, replace } from '../dom.js';
import { backendsOf, sourcesOf } from '../lab/sources.js';
import { valueText } from '../text/displaynames.js';
import { codePane } from './codepane.js';
import { prose } from './prose.js';

/** Returns the panel; null if there are no sources. `backend` is the runtime whose sources are shown. If it is null,
 * there are buttons to select the runtime, with `prefer` selected initially. */
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
      valueText('backend', name),
    ),
  );

  function show(name) {
    for (const button of buttons) button.setAttribute('aria-pressed', String(button.dataset.backend === name));
    replace(
      list,
      sourcesOf(experiment, name).map((source) => h('li', {}, sourceDetails(experiment, source))),
    );
  }

  show(first);
  return h(
    'section',
    { class: 'panel source-panel', 'aria-label': 'Steps and source code' },
    h(
      'div',
      { class: 'section-head' },
      h('h2', {}, 'Steps and source code'),
      backend || backends.length < 2
        ? null
        : h('div', { class: 'segments', role: 'group', 'aria-label': 'Runtime' }, buttons),
    ),
    list,
  );
}

function sourceDetails(experiment, source) {
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
    h('div', { class: 'prose stack' }, prose(source.explanation, 3)),
    code.element,
  );
}
