// Facts by group: the columns of a device's page, the parameters and the environment of a run.

import { h } from '../dom.js';
import { plain } from '../format.js';

const LONG = 18; // a group longer than this may go on in the next column

/** One group: {title, facts: [{name, title, text, value}]}. The exact number stands by where the text rounds it. */
export function factGroup({ title, facts }, level = 2) {
  return h(
    'section',
    { class: facts.length > LONG ? 'fact-group long' : 'fact-group' },
    h(`h${level}`, { class: 'label' }, title),
    h(
      'dl',
      { class: 'facts' },
      facts.map(({ name, title: words, text, value }) =>
        h('div', {}, h('dt', {}, words), h('dd', { title: exact(name, value) }, text)),
      ),
    ),
  );
}

function exact(name, value) {
  return typeof value === 'number' && Math.abs(value) >= 1000 ? `${name} = ${plain(value, 6)}` : (name ?? null);
}
