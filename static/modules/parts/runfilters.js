// The filters of the list of runs. They are part of the address, so that a filtered list can be linked to and the back
// button works.

import { freshId, h } from '../dom.js';
import { deviceName } from '../lab/lab.js';
import { STATUSES } from '../text/displaynames.js';

export const FILTERS = ['experiment', 'device', 'status', 'tag', 'since', 'until', 'q'];
const APPLY_DELAY_MS = 250; // time without a further change before filters are applied

/** Returns {element}. `values` are the filters set initially, a URLSearchParams with names from FILTERS;
 * `groups` are the experiments by subject; `changed(values)` is called with the new filters when the user has changed
 * them. */
export function filterBar({ groups, devices, values, changed }) {
  /** The options of a select; `all` is the text of the option without a filter. */
  const options = (list, all) => [
    h('option', { value: '' }, all),
    ...list.map(([value, text]) => h('option', { value }, text)),
  ];
  const inputs = {
    q: h('input', { type: 'search', placeholder: 'note, tag, experiment, ID' }),
    experiment: h(
      'select',
      {},
      options([], 'all'),
      groups.map(({ title, experiments }) =>
        h(
          'optgroup',
          { label: title },
          experiments.map((one) => h('option', { value: one.name }, one.title)),
        ),
      ),
    ),
    device: h(
      'select',
      {},
      options(
        devices.map(({ id }) => [id, deviceName(id)]),
        'all',
      ),
    ),
    status: h(
      'select',
      {},
      options(
        Object.entries(STATUSES).map(([name, { word }]) => [name, word]),
        'all',
      ),
    ),
    tag: h('input', { type: 'text', autocomplete: 'off' }),
    since: h('input', { type: 'date' }),
    until: h('input', { type: 'date' }),
  };
  const titles = {
    q: 'Search',
    experiment: 'Experiment',
    device: 'Device',
    status: 'Status',
    tag: 'Tag',
    since: 'From',
    until: 'Until',
  };
  const clear = h('button', { type: 'button', class: 'small', on: { click: reset } }, 'Clear');
  let applyTimer = null;

  for (const [name, input] of Object.entries(inputs)) {
    const value = values.get(name) ?? '';
    if (input.localName === 'select' && value && ![...input.options].some((option) => option.value === value)) {
      input.append(h('option', { value }, value)); // a device that the lab no longer has may still have runs
    }
    input.value = input.type === 'date' ? toDate(value, name) : value;
    input.addEventListener(input.localName === 'select' || input.type === 'date' ? 'change' : 'input', applySoon);
  }

  function read() {
    const next = new URLSearchParams();
    for (const [name, input] of Object.entries(inputs)) {
      const value = input.type === 'date' ? fromDate(input.value, name) : input.value.trim();
      if (value) next.set(name, value);
    }
    return next;
  }

  function applySoon() {
    clearTimeout(applyTimer);
    applyTimer = setTimeout(apply, APPLY_DELAY_MS);
  }

  function apply() {
    const next = read();
    clear.hidden = next.size === 0;
    changed(next);
  }

  function reset() {
    Object.values(inputs).forEach((input) => {
      input.value = '';
    });
    apply();
  }

  clear.hidden = read().size === 0;
  const element = h(
    'search',
    { class: 'filters', 'aria-label': 'Filter runs' },
    Object.entries(inputs).map(([name, input]) => {
      input.id = freshId(name);
      return h(
        'div',
        { class: name === 'q' ? 'filter wide' : 'filter' },
        h('label', { for: input.id }, titles[name]),
        input,
      );
    }),
    clear,
  );
  return { element };
}

/** Converts a day in the browser's time zone to the RFC 3339 time at its start; for the filter "until", at its end, so
 * that the day is included. */
function fromDate(day, name) {
  if (!day) return '';
  const date = new Date(`${day}T00:00:00`);
  if (name === 'until') date.setDate(date.getDate() + 1);
  return date.toISOString();
}

/** The reverse of fromDate: the day as YYYY-MM-DD; '' if `time` is not a time. */
function toDate(time, name) {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return '';
  if (name === 'until') date.setDate(date.getDate() - 1);
  const twoDigits = (number) => String(number).padStart(2, '0');
  return `${date.getFullYear()}-${twoDigits(date.getMonth() + 1)}-${twoDigits(date.getDate())}`;
}
