// The filters of the list of runs, its order, and how it is grouped. They are part of the address, so that a filtered
// list can be linked to and the back button works.

import { freshId, h, replace } from '../dom.js';
import { deviceTitle } from '../lab/lab.js';
import { GROUPINGS } from '../results/rungroups.js';
import { STATUSES } from '../text/displaynames.js';

const APPLY_DELAY_MS = 250; // time without a further change before filters are applied
const WIDE = '(min-width: 52rem)'; // on narrower screens only the search is always visible

/** The title of each filter; `sweep` is shown only if it is set. */
const TITLES = {
  q: 'Search',
  experiment: 'Experiment',
  device: 'Device',
  status: 'Status',
  tag: 'Tag',
  pinned: 'Pinned',
  since: 'From',
  until: 'Until',
  sweep: 'Sweep',
};

/** Returns {element, query(), active(), showOrders(columns)}. `groups` are the experiments by subject; `devices` are
 * those of the lab, `recorded` those that runs had (api.recordedDevices); `choices` (choices.js) has what is set at
 * first and gets what the user sets. Calls `changed()` after the filters changed, `rearranged()` after order or
 * grouping did. query() returns the filters {name: value}, active() whether there are any. showOrders() offers the
 * columns (sortheads.js) as orders and shows the one that is chosen. */
export function filterBar({ groups, devices, recorded, choices, changed, rearranged }) {
  const deviceFilter = deviceSelect(devices, recorded);
  const inputs = {
    q: h('input', { type: 'search', placeholder: 'experiment, device, tag, note, ID' }),
    experiment: h('select', {}, h('option', { value: '' }, 'all'), experimentOptions(groups)),
    device: deviceFilter.element,
    status: h('select', {}, h('option', { value: '' }, 'all'), statusOptions()),
    tag: h('input', { type: 'text', autocomplete: 'off' }),
    pinned: h('select', {}, [['', 'all'], ['true', 'pinned'], ['false', 'not pinned']].map(([value, text]) => h('option', { value }, text))),
    since: h('input', { type: 'date' }),
    until: h('input', { type: 'date' }),
    sweep: h('input', { type: 'text', autocomplete: 'off' }),
  };
  const grouping = h(
    'select',
    { on: { change: rearrange } },
    GROUPINGS.map(([value, text]) => h('option', { value, selected: value === choices.get('group') }, text)),
  );
  const order = h('select', { on: { change: rearrange } });
  const clear = h('button', { type: 'button', class: 'small', on: { click: reset } }, 'Clear');
  let applyTimer = null;

  for (const [name, input] of Object.entries(inputs)) {
    const value = choices.get(name);
    if (name === 'device') deviceFilter.select(value);
    else input.value = input.type === 'date' ? toDate(value, name) : value;
    input.addEventListener(input.localName === 'select' || input.type === 'date' ? 'change' : 'input', applySoon);
  }

  function read() {
    const valueOf = ([name, input]) => [name, input.type === 'date' ? fromDate(input.value, name) : input.value.trim()];
    return Object.fromEntries(Object.entries(inputs).map(valueOf));
  }

  const query = () => Object.fromEntries(Object.entries(read()).filter(([, value]) => value));
  const active = () => Object.keys(query()).length > 0;

  function applySoon() {
    clearTimeout(applyTimer);
    applyTimer = setTimeout(apply, APPLY_DELAY_MS);
  }

  function apply() {
    clear.hidden = !active();
    choices.set(read());
    changed();
  }

  function reset() {
    clearTimeout(applyTimer);
    Object.values(inputs).forEach((input) => {
      input.value = '';
    });
    apply();
    inputs.q.focus();
  }

  function rearrange() {
    choices.set({ group: grouping.value, sort: order.value });
    rearranged();
  }

  function showOrders(columns) {
    const orders = columns.filter(({ value }) => value).flatMap(({ title }) => [[title, `${title} ↑`], [`-${title}`, `${title} ↓`]]);
    replace(order, [['', 'newest first'], ...orders].map(([value, text]) => h('option', { value }, text)));
    order.value = choices.get('sort');
    if (order.selectedIndex < 0) order.value = '';
  }

  const field = (input, title, kind = '') => {
    input.id ||= freshId('filter');
    return h('div', { class: `filter stack dense ${kind}`.trim() }, h('label', { for: input.id }, title), input);
  };
  const { q, sweep, ...others } = inputs;
  clear.hidden = !active();
  const more = h(
    'details',
    { class: 'more-filters' },
    h('summary', {}, 'Filter and group'),
    h(
      'div',
      { class: 'filter-fields' },
      Object.entries(others).map(([name, input]) => field(input, TITLES[name])),
      sweep.value ? field(sweep, TITLES.sweep) : null,
      field(order, 'Sort by'),
      field(grouping, 'Group by'),
      clear,
    ),
  );
  const wide = matchMedia(WIDE);
  const openIfWide = () => {
    more.open = wide.matches || (active() && !q.value);
  };
  openIfWide();
  wide.onchange = openIfWide;
  const element = h('search', { class: 'filters stack', 'aria-label': 'Filter runs' }, field(q, TITLES.q, 'search'), more);
  return { element, query, active, showOrders };
}

const experimentOptions = (groups) =>
  groups.map(({ title, experiments }) =>
    h(
      'optgroup',
      { label: title },
      experiments.map((one) => h('option', { value: one.name }, one.title)),
    ),
  );

const statusOptions = () => Object.entries(STATUSES).map(([name, { word }]) => h('option', { value: name }, word));

/** The field that selects a device or a model: {element, select(value)}, of the devices of the lab and those that runs
 * had. */
function deviceSelect(devices, recorded) {
  const models = new Set([...devices, ...recorded].map(({ name }) => name).filter(Boolean));
  const textOf = ({ id, name }) => (name ? `${name}, ${shortened(id)}` : id);
  const titleOf = (device) => (models.has(deviceTitle(device.id)) ? textOf(device) : deviceTitle(device.id));
  const names = new Map(devices.map((device) => [device.id, titleOf(device)])); // id -> text
  for (const device of recorded) if (!names.has(device.id)) names.set(device.id, textOf(device));
  const option = ([id, text]) => h('option', { value: id }, text);
  const ofDevices = h('optgroup', { label: 'Device' }, [...names].map(option));
  const ofModels = h('optgroup', { label: 'Model' }, [...models].map((name) => option([name, name])));
  const element = h('select', {}, h('option', { value: '' }, 'all'), ofModels, ofDevices);
  return {
    element,
    /** A value that is neither a known model nor a known device is offered as it is. */
    select(value) {
      if (value && !models.has(value) && !names.has(value)) ofDevices.append(option([value, value]));
      element.value = value;
    },
  };
}

const shortened = (id) => (id.length > 14 ? `${id.slice(0, 12)}…` : id);

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
  if (!time || Number.isNaN(date.getTime())) return '';
  if (name === 'until') date.setDate(date.getDate() - 1);
  const twoDigits = (number) => String(number).padStart(2, '0');
  return `${date.getFullYear()}-${twoDigits(date.getMonth() + 1)}-${twoDigits(date.getDate())}`;
}
