// The search field of the header: finds experiments, devices, pages and runs. The key "/" focuses it, the arrow keys choose a result,
// Enter opens it.

import * as api from '../lab/api.js';
import { h, replace } from '../dom.js';
import * as lab from '../lab/lab.js';
import { onKey } from './keys.js';
import { headlineFigures } from '../results/headline.js';
import { go } from '../router.js';
import { figureFor, findDevices, findExperiments, findGuidePages, findPages, stemsOf, termsOf } from '../text/search.js';
import { ago } from '../text/format.js';
import { findTerms, termId } from '../text/guide.js';

const PAUSE_MS = 150; // without typing, before runs are searched
const RESULTS_MAX = 5; // of each kind
const TEXT_MAX = 64; // what the lab accepts

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

  function draw(groups) {
    const shown = groups.filter(({ results }) => results.length);
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
    const [experiments, devices, { pages, terms }] = await Promise.all([lab.experiments(), knownDevices(), lab.guide()]).catch(() => [[], [], { pages: [], terms: [] }]);
    if (request !== state.requests) return undefined;
    const byTitle = findExperiments(experiments, text);
    const everyRun = { href: `/runs?q=${encodeURIComponent(text)}`, title: `All runs with “${text}”` };
    const groupsOf = (found, results, runs) => [
      { title: 'Experiments', results: found.slice(0, RESULTS_MAX).map((one) => experimentResult(one, results, termsOf(text))) },
      { title: 'Devices', results: findDevices(devices, text).slice(0, RESULTS_MAX).map(deviceResult) },
      { title: 'Terms', results: findTerms(terms, text).slice(0, RESULTS_MAX).map(termResult) },
      { title: 'Pages', results: [...findPages(text), ...findGuidePages(pages, text).map(guideResult)] },
      { title: 'Runs', results: [...runs.map((run) => runResult(run, experiments)), everyRun] },
    ];
    draw(groupsOf(byTitle, [], []));
    state.timer = setTimeout(async () => {
      const { mentioned, results, runs } = await askLab(text);
      if (request !== state.requests) return;
      const chosen = state.active > 0 ? state.options[state.active].dataset.href : null; // by the arrow keys
      const others = mentioned.filter(({ name }) => !byTitle.some((one) => one.name === name));
      draw(groupsOf([...byTitle, ...others], results, runs));
      activate(Math.max(0, state.options.findIndex(({ dataset }) => dataset.href === chosen)));
    }, PAUSE_MS);
    return undefined;
  }

  function open(option) {
    close();
    input.value = '';
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

/** What the lab finds: {mentioned: experiments, results: the run of each experiment that stands for it, runs}. */
async function askLab(text) {
  const [mentioned, results, { runs }] = await Promise.all([
    Promise.all(termsOf(text).map(stemsOf).map(api.experimentsMentioning)),
    api.resultRuns({}),
    api.runs({ q: text, limit: RESULTS_MAX }),
  ]).catch(() => [[], [], { runs: [] }]);
  const all = mentioned.flat();
  return { mentioned: all.filter(({ name }, at) => all.findIndex((one) => one.name === name) === at), results, runs };
}

let devicesRequest = null;

/** The devices of the lab and those that only runs have, fetched once: for names it does not matter that their state changes. */
function knownDevices() {
  devicesRequest ??= lab.knownDevices().catch((error) => {
    devicesRequest = null;
    throw error;
  });
  return devicesRequest;
}

/** An experiment with the figure of its result that the terms ask for: "Host to device 55.5 GB/s on NVIDIA H200". */
function experimentResult({ name, title, summary }, results, terms) {
  const run = results.find(({ experiment }) => experiment === name);
  const figure = run && figureFor(headlineFigures(run), terms);
  const result = figure && `${figure.title} ${figure.text} on ${lab.runDevicesText(run)}`;
  return { href: `/experiments/${name}`, title, text: [result, summary].filter(Boolean).join(' · ') };
}

/** A term, with the name by which it was found. */
const termResult = ({ found, ...term }) => ({
  href: `/guide/terms#${termId(term)}`,
  title: found === term.term ? found : `${term.term} (${found})`,
  text: term.text,
});

const guideResult = ({ name, title, summary }) => ({ href: `/guide/${name}`, title, text: summary });

const deviceResult = ({ id, name }) => ({
  href: `/devices/${encodeURIComponent(id)}`,
  title: lab.device(id) ? lab.deviceTitle(id) : (name ?? id),
  text: lab.device(id) ? null : 'seen in runs',
});

function runResult(run, experiments) {
  const title = experiments.find(({ name }) => name === run.experiment)?.title ?? run.experiment;
  const [figure] = headlineFigures(run);
  const text = [figure && `${figure.title} ${figure.text}`, ...run.tags, lab.runPlaceText(run), ago(run.created_at)];
  return { href: `/runs/${run.id}`, title, text: text.filter(Boolean).join(' · ') };
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
