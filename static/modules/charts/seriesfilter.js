// Selects that limit a chart with too many series: one for each axis that distinguishes them.

import { freshId, h, replace } from '../dom.js';
import { axisValueText } from '../text/displaynames.js';

const ALL = 'all';

/** Returns {element, chosen, update(picks), clear()}. `picks` as returned by filterSeries; `chosen` are the picks of
 * the user, a Map for filterSeries; clear() forgets them. `changed()` is called when the user selects another value. */
export function seriesFilter(changed) {
  const element = h('div', { class: 'series-filters', role: 'group', 'aria-label': 'Series to show' });
  const chosen = new Map();
  let drawnAxes = ''; // axes and values of the selects, as JSON, to create them only when they change
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
      values.map((value, index) => h('option', { value: String(index) }, axisValueText(axis, value))),
    );
    selects.push(select);
    return h('div', { class: 'size-pick' }, h('label', { for: id }, axis.title), select);
  }

  return {
    element,
    chosen,
    update(picks) {
      const next = JSON.stringify(picks.map(({ axis, values }) => [axis.name, values]));
      if (next !== drawnAxes) {
        selects = [];
        replace(element, picks.map(pick));
        drawnAxes = next;
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
