// The list of runs, newest first, with the state of the queue. The filters are part of the address; a button loads
// older runs.

import * as api from '../lab/api.js';
import { h, replace } from '../dom.js';
import * as events from '../lab/events.js';
import { plural } from '../text/format.js';
import * as lab from '../lab/lab.js';
import { announce } from '../parts/announce.js';
import { filterBar, FILTERS } from '../parts/runfilters.js';
import { notice } from '../parts/notice.js';
import { runRow, runTable } from '../parts/runtable.js';
import { replaceAddress } from '../router.js';

const PAGE_SIZE = 50; // runs per request

export async function view({ query }, signal) {
  const [groups, devices] = await Promise.all([lab.experimentsBySubject(), lab.devices(signal)]);
  const experiments = groups.flatMap((group) => group.experiments);
  const title = (name) => experiments.find((one) => one.name === name)?.title ?? name;
  const list = h('div', { class: 'history' });
  const more = h('div', { class: 'more' });
  // `next` is the cursor of the next page (null: none), `requests` the number of first pages requested so far
  const state = { query: new URLSearchParams(), next: null, requests: 0 };
  for (const name of FILTERS) if (query.get(name)) state.query.set(name, query.get(name));

  const fetchPage = (cursor) => api.runs({ ...Object.fromEntries(state.query), limit: PAGE_SIZE, cursor }, signal);

  /** Loads the first page for the current filters. Answers to earlier requests are ignored. */
  async function load() {
    state.requests += 1;
    const request = state.requests;
    try {
      const page = await fetchPage(null);
      if (request !== state.requests) return;
      state.next = page.next;
      drawPage(page.runs);
    } catch (error) {
      if (signal.aborted || request !== state.requests) return;
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
        : noRunsNotice(state.query.size > 0),
    );
    drawMore();
  }

  function drawMore() {
    replace(more, state.next ? h('button', { type: 'button', on: { click: loadOlder } }, 'Older runs') : null);
  }

  /** Appends the next page to the table. */
  async function loadOlder(event) {
    const button = event.currentTarget;
    button.disabled = true;
    try {
      const page = await fetchPage(state.next);
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

  let reloadTimer = null;

  /** Redraws the row of a run that changed. For a new run the first page is loaded again. */
  function updateRow(run) {
    const row = list.querySelector(`tr[data-run="${CSS.escape(run.id)}"]`);
    if (row) {
      const focused = row.contains(document.activeElement);
      const next = runRow(run, title);
      row.replaceWith(next);
      if (focused) next.querySelector('a').focus();
      return;
    }
    const first = list.querySelector('tr[data-run]');
    if (first && run.id < first.dataset.run) return; // older than the runs shown
    clearTimeout(reloadTimer);
    reloadTimer = setTimeout(() => load().catch(() => {}), 150);
  }

  events.on('run.updated', updateRow, signal);
  events.on('reset', () => load().catch(() => {}), signal);
  await load();
  const filters = filterBar({
    groups,
    devices,
    values: state.query,
    changed(values) {
      state.query = values;
      replaceAddress(`/runs${values.size ? `?${values}` : ''}`);
      load().catch(() => {});
    },
  });
  return {
    title: 'Runs',
    element: h(
      'div',
      { class: 'view' },
      h('header', { class: 'view-head' }, h('h1', {}, 'Runs'), queueStatus(signal)),
      filters.element,
      list,
      more,
    ),
  };
}

/** The notice for an empty list; `filtered`: filters are set. */
function noRunsNotice(filtered) {
  return filtered
    ? notice({ title: 'No matching runs', text: 'No run matches all of these filters.' })
    : notice({
        title: 'No runs yet',
        text: 'Runs appear here as soon as they are started, from this page or by a script.',
        actions: [h('a', { class: 'button primary', href: '/experiments' }, 'Choose an experiment')],
      });
}

/** The state of the queue, with a button to pause and resume it. */
function queueStatus(signal) {
  const text = h('span', {});
  const errorText = h('span', { class: 'field-error', role: 'alert' });
  const button = h('button', { type: 'button', class: 'small', on: { click: toggleQueue } }, 'Pause the queue');
  let paused = false;

  async function toggleQueue() {
    button.disabled = true;
    replace(errorText);
    try {
      await api.pauseQueue(!paused);
      announce(paused ? 'Queue resumed' : 'Queue paused');
      await lab.refreshQueue();
    } catch (error) {
      replace(errorText, error.message);
    }
    button.disabled = false;
  }

  const element = h('p', { class: 'lead queue-line' }, text, ' ', button, errorText);
  lab.watchQueue((queue) => {
    button.hidden = !queue;
    if (!queue) return replace(text, 'The state of the queue is unknown.');
    paused = queue.paused;
    button.textContent = paused ? 'Resume the queue' : 'Pause the queue';
    const waiting = queue.length ? `${plural(queue.length, 'run')} waiting` : 'no runs waiting';
    if (paused) return replace(text, `The queue is paused; ${waiting}.`);
    return replace(
      text,
      queue.running
        ? [h('a', { href: `/runs/${queue.running}` }, 'One run'), ` is being measured; ${waiting}.`]
        : 'The queue is empty; a new run starts immediately.',
    );
  }, signal);
  return element;
}
