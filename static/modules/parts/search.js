// The search field of the header: finds experiments, devices, pages and runs. The key "/" focuses it, the arrow keys
// choose a result, Enter opens it. searchresults.js finds them.

import { h, replace } from '../dom.js';
import { later } from '../later.js';
import { go } from '../router.js';
import { onKey } from './keys.js';

const PAUSE_MS = 150; // without typing, before runs are searched
const TEXT_MAX = 64; // what the lab accepts
const NOTHING = { groups: [], runs: [], complete: async () => NOTHING }; // where the lab does not answer

const findAtOnce = later('findAtOnce');

/** Shows the field in `element`. */
export function showSearch(element) {
  const list = h('div', { class: 'search-list', id: 'search-list', role: 'listbox', 'aria-label': 'Results', hidden: true });
  const input = h('input', {
    type: 'search',
    placeholder: 'Search (press /)',
    autocomplete: 'off',
    spellcheck: 'false',
    maxlength: TEXT_MAX,
    role: 'combobox',
    'aria-label': 'Search experiments, devices and runs',
    'aria-controls': list.id,
    'aria-expanded': 'false',
    'aria-autocomplete': 'list',
  });
  // `options` are the elements of the results, `active` the index of the chosen one, `requests` the searches so far
  const state = { options: [], active: 0, requests: 0, timer: null };

  function close() {
    state.requests += 1; // an answer that is still to come is ignored
    clearTimeout(state.timer);
    list.hidden = true;
    input.setAttribute('aria-expanded', 'false');
    input.removeAttribute('aria-activedescendant');
  }

  function activate(index) {
    const { options } = state;
    if (!options.length) return;
    state.active = (index + options.length) % options.length;
    options.forEach((option, at) => option.setAttribute('aria-selected', String(at === state.active)));
    options[state.active].scrollIntoView({ block: 'nearest' });
    input.setAttribute('aria-activedescendant', options[state.active].id);
  }

  function draw(text, groups, runs) {
    const everyRun = { href: `/runs?q=${encodeURIComponent(text)}`, title: `All runs with “${text}”` };
    const shown = [...groups, { title: 'Runs', results: [...runs, everyRun] }].filter(({ results }) => results.length);
    replace(list, shown.map(groupElement));
    state.options = [...list.querySelectorAll('[role="option"]')];
    state.options.forEach((option, at) => {
      option.id = `search-option-${at}`;
    });
    list.hidden = false;
    input.setAttribute('aria-expanded', 'true');
    activate(0);
  }

  async function search() {
    const text = input.value.trim();
    if (!text) return close();
    state.requests += 1;
    const request = state.requests;
    clearTimeout(state.timer);
    const { groups, runs, complete } = await findAtOnce(text).catch(() => NOTHING);
    if (request !== state.requests) return undefined;
    draw(text, groups, runs);
    state.timer = setTimeout(async () => {
      const all = await complete();
      if (request !== state.requests) return;
      const chosen = state.active > 0 ? state.options[state.active].dataset.href : null; // by the arrow keys
      draw(text, all.groups, all.runs);
      activate(Math.max(0, state.options.findIndex(({ dataset }) => dataset.href === chosen)));
    }, PAUSE_MS);
    return undefined;
  }

  function open(option) {
    close();
    input.value = '';
    input.blur(); // the view that comes takes the focus, unless the user returns to the field
    go(option.dataset.href);
  }

  const keys = {
    ArrowDown: () => (list.hidden ? search() : activate(state.active + 1)),
    ArrowUp: () => activate(state.active - 1),
    Enter: () => !list.hidden && state.options.length && open(state.options[state.active]),
    Escape: () => {
      if (list.hidden) input.value = '';
      close();
    },
  };
  input.addEventListener('keydown', (event) => {
    if (!keys[event.key] || event.isComposing) return;
    event.preventDefault();
    keys[event.key]();
  });
  input.addEventListener('input', search);
  input.addEventListener('focus', () => input.value && search());
  input.addEventListener('blur', close);
  list.addEventListener('pointerdown', (event) => event.preventDefault()); // the field keeps the focus
  list.addEventListener('click', (event) => {
    const option = event.target.closest('[role="option"]');
    if (option) open(option);
  });
  onKey('/', () => {
    input.focus();
    input.select();
  });
  replace(element, input, list);
}

const groupElement = ({ title, results }) =>
  h(
    'div',
    { role: 'group', 'aria-label': title },
    h('div', { class: 'label', 'aria-hidden': 'true' }, title),
    results.map(({ href, title: name, text }) =>
      h(
        'div',
        { role: 'option', class: 'search-option', dataset: { href }, 'aria-selected': 'false' },
        h('span', {}, name),
        text && h('span', { class: 'aside' }, text),
      ),
    ),
  );
