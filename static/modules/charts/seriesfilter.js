// Selects that limit a chart with too many series: one for each axis that distinguishes them.

import { freshId, h, replace } from '../dom.js';
import { axisValueText } from '../text/displaynames.js';

const ALL = 'all';

/** Returns {element, chosenOf(measurements), update(picks), clear()}. `picks` as returned by filterSeries; chosenOf()
 * gives the picks of the user, a Map for filterSeries; clear() forgets them. The picks are the choices `only-AXIS`;
 * `changed()` is called when the user selects another value. */
export function seriesFilter(choices, axes, changed) {
  const element = h('div', { class: 'series-filters row loose', role: 'group', 'aria-label': 'Series to show' });
  let drawnAxes = ''; // axes and values of the selects, as JSON, to create them only when they change
  let selects = [];

  function pick({ axis, values }) {
    const id = freshId('pick');
    const choose = (event) => {
      const { value } = event.target;
      choices.set({ [`only-${axis.name}`]: value === ALL ? ALL : String(values[Number(value)]) });
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
    chosenOf(measurements) {
      const chosen = new Map();
      for (const { name } of axes) {
        const text = choices.get(`only-${name}`);
        const found = text && measurements.find((measurement) => String(measurement.axes[name]) === text);
        if (text === ALL) chosen.set(name, null);
        else if (found) chosen.set(name, found.axes[name]);
      }
      return chosen;
    },
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
    clear: () => choices.set(Object.fromEntries(axes.map(({ name }) => [`only-${name}`, '']))),
  };
}
