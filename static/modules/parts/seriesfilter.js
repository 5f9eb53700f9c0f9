// Choices for a picture of too many series: one for each axis that tells them apart.

import { freshId, h, replace } from '../dom.js';
import { axisWords } from '../displaynames.js';

const ALL = 'all';

/** {element, chosen, update(picks), clear()}: `picks` as narrow.js has them; `chosen` is what it wants to know of the
 * person's own. `changed` is called when another value is chosen. */
export function narrowPick(changed) {
  const element = h('div', { class: 'narrow-picks', role: 'group', 'aria-label': 'Which of them to show' });
  const chosen = new Map();
  let drawn = '';
  let selects = [];

  function pick({ axis, values }) {
    const id = freshId('pick');
    const choose = (event) => {
      const { value } = event.target;
      chosen.set(axis.name, value === ALL ? null : values[Number(value)]);
      changed();
    };
    const select = h(
      'select',
      { id, on: { change: choose } },
      h('option', { value: ALL }, 'all'),
      values.map((value, index) => h('option', { value: String(index) }, axisWords(axis, value))),
    );
    selects.push(select);
    return h('div', { class: 'size-pick' }, h('label', { for: id }, axis.title), select);
  }

  return {
    element,
    chosen,
    update(picks) {
      const next = JSON.stringify(picks.map(({ axis, values }) => [axis.name, values]));
      if (next !== drawn) {
        selects = [];
        replace(element, picks.map(pick));
        drawn = next;
      }
      picks.forEach(({ values, value, empty }, index) => {
        const [, ...options] = selects[index].options;
        options.forEach((option, at) => {
          option.disabled = empty.includes(values[at]);
        });
        selects[index].value = value === null ? ALL : String(values.indexOf(value));
      });
      element.hidden = !picks.length;
    },
    clear: () => chosen.clear(),
  };
}
