// The history: every run of this lab, newest first, with filters in the address, pages by cursor, and the state of
// the queue.

import * as api from '../api.js';
import { h, replace } from '../dom.js';
import * as events from '../events.js';
import { plural } from '../format.js';
import * as lab from '../lab.js';
import { announce } from '../parts/announce.js';
import { filterBar, FILTERS } from '../parts/runfilters.js';
import { notice } from '../parts/notice.js';
import { runRow, runTable } from '../parts/runtable.js';
import { note } from '../router.js';

const PAGE = 50;

export async function view({ query }, signal) {
  const [experiments, devices] = await Promise.all([lab.experiments(), lab.devices(signal)]);
  const title = (name) => experiments.find((one) => one.name === name)?.title ?? name;
  const list = h('div', { class: 'history' });
  const more = h('div', { class: 'more' });
  const state = { query: new URLSearchParams(), next: null, asked: 0 };
  for (const name of FILTERS) if (query.get(name)) state.query.set(name, query.get(name));

  const ask = (cursor) => api.runs({ ...Object.fromEntries(state.query), limit: PAGE, cursor }, signal);

  /** The first page of what the filters ask for. Answers that were overtaken by a later question are dropped. */
  async function load() {
    state.asked += 1;
    const mine = state.asked;
    try {
      const page = await ask(null);
      if (mine !== state.asked) return;
      state.next = page.next;
      drawPage(page.runs);
    } catch (error) {
      if (signal.aborted || mine !== state.asked) return;
      if (!(error instanceof api.Problem)) throw error;
      replace(
        list,
        notice({
          title: error.title,
          text: error.detail,
          tone: 'bad',
          more: h(
            'ul',
            {},
            error.errors.map(({ detail }) => h('li', {}, detail)),
          ),
        }),
      );
      replace(more);
    }
  }

  function drawPage(runs) {
    replace(
      list,
      runs.length
        ? h('div', { class: 'panel flush' }, runTable(runs, title, 'Runs, newest first'))
        : nothing(state.query.size > 0),
    );
    drawMore();
  }

  function drawMore() {
    replace(more, state.next ? h('button', { type: 'button', on: { click: older } }, 'Older runs') : null);
  }

  async function older(event) {
    const button = event.currentTarget;
    button.disabled = true;
    try {
      const page = await ask(state.next);
      state.next = page.next;
      const body = list.querySelector('tbody');
      const rows = page.runs.map((run) => runRow(run, title));
      body.append(...rows);
      announce(`${plural(page.runs.length, 'more run')}`);
      drawMore();
      rows[0]?.querySelector('a').focus();
    } catch (error) {
      button.disabled = false;
      replace(more, button, h('p', { class: 'field-error', role: 'alert' }, error.message));
    }
  }

  /** Redraws the row of a run that changed. A run that is not in the list asks for the first page again. */
  let soon = null;
  function changed(run) {
    const row = list.querySelector(`tr[data-run="${CSS.escape(run.id)}"]`);
    if (row) {
      const focused = row.contains(document.activeElement);
      const next = runRow(run, title);
      row.replaceWith(next);
      if (focused) next.querySelector('a').focus();
      return;
    }
    const first = list.querySelector('tr[data-run]');
    if (first && run.id < first.dataset.run) return; // older than what is shown
    clearTimeout(soon);
    soon = setTimeout(() => load().catch(() => {}), 150);
  }

  events.on('run.updated', changed, signal);
  events.on('reset', () => load().catch(() => {}), signal);
  await load();
  const filters = filterBar({
    experiments,
    devices,
    values: state.query,
    changed(values) {
      state.query = values;
      note(`/runs${values.size ? `?${values}` : ''}`);
      load().catch(() => {});
    },
  });
  return {
    title: 'Runs',
    element: h(
      'div',
      { class: 'view' },
      h('header', { class: 'view-head' }, h('h1', {}, 'Runs'), queueLine(signal)),
      filters.element,
      list,
      more,
    ),
  };
}

function nothing(filtered) {
  return filtered
    ? notice({ title: 'No run matches', text: 'Nothing in the history fits all of these filters.' })
    : notice({
        title: 'Nothing measured yet',
        text: 'Runs appear here as soon as they are started, from this page or by a script.',
        actions: [h('a', { class: 'button primary', href: '/experiments' }, 'Choose an experiment')],
      });
}

/** What the queue does, with the switch that pauses it. */
function queueLine(signal) {
  const words = h('span', {});
  const trouble = h('span', { class: 'field-error', role: 'alert' });
  const button = h('button', { type: 'button', class: 'small', on: { click: press } }, 'Pause the queue');
  let paused = false;

  async function press() {
    button.disabled = true;
    replace(trouble);
    try {
      await api.pauseQueue(!paused);
      announce(paused ? 'The queue goes on' : 'The queue is paused');
      await lab.refreshQueue();
    } catch (error) {
      replace(trouble, error.message);
    }
    button.disabled = false;
  }

  const element = h('p', { class: 'lead queue-line' }, words, ' ', button, trouble);
  lab.watchQueue((queue) => {
    button.hidden = !queue;
    if (!queue) return replace(words, 'The state of the queue is not known.');
    paused = queue.paused;
    button.textContent = paused ? 'Let it go on' : 'Pause the queue';
    const waiting = queue.length ? `${plural(queue.length, 'run')} waiting` : 'nothing waiting';
    if (paused) return replace(words, `The queue is paused, ${waiting}.`);
    return replace(
      words,
      queue.running
        ? ['Measuring ', h('a', { href: `/runs/${queue.running}` }, 'a run'), `, ${waiting}.`]
        : 'The queue is empty; the next run starts at once.',
    );
  }, signal);
  return element;
}
