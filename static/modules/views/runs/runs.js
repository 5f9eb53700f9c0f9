// The list of runs, newest first or sorted by a column, with the result of each. Filters, order and grouping are part
// of the address; older runs are loaded when the end of the list comes into view.

import * as api from '../../lab/api.js';
import { choicesOf } from '../../choices.js';
import { arrange, h, replace } from '../../dom.js';
import * as events from '../../lab/events.js';
import * as lab from '../../lab/lab.js';
import { announce } from '../../parts/announce.js';
import { errorList, notice } from '../../parts/notice.js';
import { queueLine } from '../../parts/queue.js';
import { filterBar } from '../../parts/runfilters.js';
import { runColumns, runRow, runTableHead } from '../../parts/runtable.js';
import { sortHeads } from '../../parts/sortheads.js';
import { nextOrder, orderOf, sortedRows } from '../../results/rowfilter.js';
import { groupRuns } from '../../results/rungroups.js';
import { plural } from '../../text/format.js';
import { afterPause } from '../../throttle.js';
import { runList } from './runlist.js';
import { selection } from './selection.js';

const REFRESH_DELAY_MS = 150; // several runs often change at once
const SORTED_MAX = 1000; // runs that are loaded to be sorted

export async function view(route, signal) {
  const [groups, devices, recorded] = await Promise.all([lab.experimentsBySubject(), lab.devices(signal), api.recordedDevices(signal)]);
  const experiments = groups.flatMap((group) => group.experiments);
  const title = (name) => experiments.find((one) => one.name === name)?.title ?? name;
  const choices = choicesOf(route);
  const list = runList(signal);
  const area = h('div', { class: 'history' });
  const more = h('div', { class: 'more' });
  const rows = new Map(); // id -> {run, row}
  const chosen = selection({ runs: shownRuns, title, changed: refresh });
  const table = h('table', { class: 'runs selectable' }, h('caption', { class: 'visually-hidden' }, 'Runs'));
  const panel = h('div', { class: 'panel flush' }, table);
  const filters = filterBar({ groups, devices, recorded, choices, changed: load, rearranged });
  let head = null; // {columns, element, show, ofOneExperiment}: of the table

  /** The runs in the order in which they are shown. */
  function shownRuns() {
    return sortedRows(list.runs(), order());
  }

  /** The row of a run; created again only if the run has changed, so that it keeps the focus. */
  function rowOf(run) {
    const shown = rows.get(run.id);
    if (shown?.run === run) return shown.row;
    const focused = shown?.row.contains(document.activeElement);
    const row = runRow(run, title, chosen.box(run));
    rows.set(run.id, { run, row });
    if (focused) {
      shown.row.replaceWith(row);
      row.querySelector('a').focus();
    }
    return row;
  }

  const order = () => orderOf(head.columns, choices.get('sort'));

  /** Makes the head anew where the results of one experiment are listed, which can be sorted, or no longer are. */
  function drawHead() {
    const ofOneExperiment = Boolean(choices.get('experiment'));
    if (head?.ofOneExperiment !== ofOneExperiment) {
      const columns = runColumns(title, { ofOneExperiment });
      const { cells, show } = sortHeads(columns, (name) => {
        choices.set({ sort: nextOrder(columns, choices.get('sort'), name) });
        rearranged();
      });
      head = { columns, ofOneExperiment, show, element: runTableHead(cells, chosen.allBox) };
    }
    head.show(order());
    filters.showOrders(head.columns);
  }


  function draw() {
    drawHead();
    const runs = shownRuns();
    const bodies = groupRuns(runs, choices.get('group'), title).map((group) => bodyOf(group, head.columns.length, table, rowOf));
    arrange(table, [table.caption, head.element, ...bodies]);
    replaceOnly(area, runs.length ? panel : noRuns(filters, experiments));
    const older = order() ? `Only the newest ${plural(runs.length, 'run')} are sorted. ` : '';
    replace(more, list.hasMore() ? [older, moreButton] : null);
    chosen.prune();
    const shown = new Set(runs.map(({ id }) => id));
    for (const id of [...rows.keys()].filter((one) => !shown.has(one))) rows.delete(id);
  }

  async function load() {
    try {
      if (await list.load(filters.query())) rearranged();
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof api.Problem)) throw error;
      replace(area, notice({ title: error.title, text: error.detail, tone: 'bad', more: errorList(error) }));
      replace(more);
    }
  }

  /** Draws the list in its order, once all runs that are sorted have come. */
  async function rearranged() {
    draw();
    while (order() && list.hasMore() && list.runs().length < SORTED_MAX && !signal.aborted) if (!(await loadOlder(false))) return;
  }

  async function refresh() {
    await list.refresh().catch(() => {}); // the header shows a lost connection; the list stays
    if (!signal.aborted) draw();
  }

  const moreButton = h('button', { type: 'button', on: { click: () => loadOlder(true) } }, 'Older runs');

  /** Appends the next page; resolves with whether it came. If the user asked for it, its first run gets the focus. */
  async function loadOlder(asked) {
    if (moreButton.disabled || !list.hasMore()) return false;
    moreButton.disabled = true;
    let added = [];
    try {
      added = await list.loadMore();
      draw();
      announce(plural(added.length, 'more run'));
      if (asked) rows.get(added[0]?.id)?.row.querySelector('a').focus();
    } catch (error) {
      if (!signal.aborted) replace(more, moreButton, h('p', { class: 'field-error', role: 'alert' }, error.message));
    }
    moreButton.disabled = false;
    return added.length > 0;
  }

  const observer = new IntersectionObserver(
    (entries) => entries.some(({ isIntersecting }) => isIntersecting) && !order() && loadOlder(false),
    { rootMargin: '600px' },
  );
  signal.addEventListener('abort', () => observer.disconnect());
  const refreshSoon = afterPause(refresh, REFRESH_DELAY_MS);
  events.on('run.updated', (run) => (list.update(run) ? draw() : refreshSoon()), signal);
  events.on('run.progress', ({ id, done, total }) => list.progress(id, { done, total }) && draw(), signal);
  events.on('run.deleted', ({ id }) => list.remove(id) && draw(), signal);
  events.on('missed', refresh, signal);
  await load();
  observer.observe(more);
  return {
    title: 'Runs',
    element: h(
      'div',
      { class: 'view stack spaced' },
      h('header', { class: 'view-head stack tight start' }, h('h1', {}, 'Runs'), queueLine(signal).element),
      filters.element,
      area,
      more,
      chosen.element,
    ),
  };
}

/** The part of a table of so many columns with the runs of a group; one that is there is used again. */
function bodyOf({ key, title, href, runs }, columns, table, rowOf) {
  const body = [...table.tBodies].find(({ dataset }) => dataset.group === key) ?? h('tbody', { dataset: { group: key } });
  const count = h('span', { class: 'aside' }, ` ${plural(runs.length, 'run')}`);
  const heading = h('th', { scope: 'rowgroup', colspan: columns + 1 }, href ? h('a', { href }, title) : title, count);
  const old = body.querySelector('.group-head');
  const same = old?.textContent === heading.textContent;
  const groupHead = same ? old : h('tr', { class: 'group-head' }, heading);
  arrange(body, [...(title ? [groupHead] : []), ...runs.map(rowOf)]);
  return body;
}

/** Makes `child` the only child of `element`. */
function replaceOnly(element, child) {
  if (element.firstChild !== child) replace(element, child);
}

/** The notice for an empty list. */
function noRuns(filters, experiments) {
  if (filters.active())
    return notice({ title: 'No matching runs', text: 'No run matches all of these filters.', actions: titled(filters.query(), experiments) });
  return notice({
    title: 'No runs yet',
    text: 'Runs appear here as soon as they are started, from this page or by a script.',
    actions: [h('a', { class: 'button primary', href: '/' }, 'Choose an experiment')],
  });
}

/** Links to the runs of the experiments whose title has the text that was searched: runs are found by the name only. */
function titled({ q, ...others }, experiments) {
  const text = q?.toLowerCase();
  return experiments
    .filter(({ title }) => text && title.toLowerCase().includes(text))
    .map(({ name, title }) => h('a', { class: 'button', href: `/runs?${new URLSearchParams({ ...others, experiment: name })}` }, `Runs of ${title}`));
}
