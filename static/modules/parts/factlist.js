// Lists of facts in groups: properties of a device, parameters and environment of a run.

import { h } from '../dom.js';
import { plain } from '../text/format.js';

const LONG_GROUP = 12; // a group with more facts may be split across columns

/** The element of a group {title, facts: [{name, title, text, value}]}; `level` is the level of its heading. The
 * tooltip of a fact gives its name and, for a large number, the exact value. */
export function factGroup({ title, facts }, level = 2) {
  return h(
    'section',
    { class: facts.length > LONG_GROUP ? 'fact-group long' : 'fact-group' },
    h(`h${level}`, { class: 'label' }, title),
    h(
      'dl',
      { class: 'facts' },
      facts.map(({ name, title: factTitle, text, value }) =>
        h('div', {}, h('dt', {}, factTitle), h('dd', { title: exactText(name, value) }, text)),
      ),
    ),
  );
}

function exactText(name, value) {
  return typeof value === 'number' && Math.abs(value) >= 1000 ? `${name} = ${plain(value, 6)}` : (name ?? null);
}
