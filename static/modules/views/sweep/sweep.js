// The page of a sweep: how many of its runs have ended, and a grid with a cell for each run; of a sweep over machines,
// their ranking. Live until all have ended.

import { choicesOf } from '../../choices.js';
import * as api from '../../lab/api.js';
import { h, keepingFocus, replaceKeepingScroll, replace } from '../../dom.js';
import * as events from '../../lab/events.js';
import * as lab from '../../lab/lab.js';
import { announce } from '../../parts/announce.js';
import { confirm } from '../../parts/confirm.js';
import { absoluteTime } from '../../parts/status.js';
import { fieldsOf } from '../../text/schema.js';
import { isLive, STATUSES } from '../../text/displaynames.js';
import { plural } from '../../text/format.js';
import { throttled } from '../../throttle.js';
import { sweepGrid } from '../../results/sweepgrid.js';
import { gridTable, rowTitle } from './grid.js';
import { rankingPanel } from './ranking.js';

const PAGE_SIZE = 500;

export async function view(route, signal) {
  const { id } = route.parts;
  const choices = choicesOf(route);
  const [sweep] = await Promise.all([api.sweep(id, signal), lab.devices(signal)]);
  const experiment = await lab.experiment(sweep.experiment);
  const fields = fieldsOf(experiment?.parameters);
  const runs = new Map();
  const progress = h('div', { class: 'sweep-progress row loose' });
  const results = h('div', { class: 'view stack spaced' });
  const message = h('p', { class: 'field-error', role: 'alert' });
  const cancelButton = h('button', { type: 'button', class: 'danger', on: { click: cancel } }, 'Cancel the sweep');

  function draw() {
    const all = [...runs.values()];
    replace(progress, progressParts(sweep, all));
    cancelButton.hidden = !all.some(({ status }) => isLive(status));
    replaceKeepingScroll(results, resultsOf(sweepGrid(sweep, all), fields, { order: choices.get('order'), choose }));
  }

  /** Shows machines in another order. */
  function choose(order) {
    choices.set({ order });
    keepingFocus(results, '.segments button', draw);
  }
  const drawSoon = throttled(draw, signal);
  const reloadSoon = throttled(() => reload().catch(() => {}), signal);

  async function cancel() {
    const sure = await confirm({
      title: 'Cancel the sweep?',
      text: 'Its waiting runs are not started and the running one is stopped. Results so far are kept.',
      action: 'Cancel the sweep',
    });
    if (!sure) return;
    replace(message);
    try {
      await api.cancelSweep(id);
      announce('Sweep cancelled');
      await reload();
    } catch (error) {
      replace(message, error.message);
    }
  }

  /** Fetches the runs; one that an event has changed meanwhile stays as it is. */
  async function reload() {
    const known = new Map(runs);
    const list = await runsOf(id, signal);
    const changed = [...runs.values()].filter((run) => known.get(run.id) !== run);
    runs.clear();
    for (const run of [...list, ...changed]) runs.set(run.id, run);
    draw();
  }

  events.on('run.updated', (run) => run.sweep === id && (runs.set(run.id, run), drawSoon()), signal);
  events.on('run.progress', ({ id: run, done, total, label }) => {
    if (!runs.has(run)) return;
    runs.set(run, { ...runs.get(run), progress: { done, total, label } });
    drawSoon();
  }, signal);
  events.on('run.deleted', (run) => runs.delete(run.id) && reloadSoon(), signal);
  events.on('missed', reloadSoon, signal);
  await reload();
  const title = experiment?.title ?? sweep.experiment;
  return {
    title: `Sweep: ${title}`,
    element: h(
      'div',
      { class: 'view stack spaced' },
      h(
        'header',
        { class: 'view-head stack tight start' },
        h('h1', {}, `Sweep: ${title}`),
        h(
          'p',
          { class: 'lead' },
          `${plural(sweep.total, 'run')}${sweep.nodes ? ` on ${plural(sweep.nodes.length, 'machine')}` : ''}, started `,
          absoluteTime(sweep.created_at),
          sweep.requested_by ? ` by ${sweep.requested_by}` : null,
        ),
        progress,
        h(
          'div',
          { class: 'actions' },
          cancelButton,
          h('a', { class: 'button', href: `/experiments/${encodeURIComponent(sweep.experiment)}` }, 'About the experiment'),
          h('a', { class: 'button', href: `/runs?sweep=${encodeURIComponent(id)}` }, 'List of its runs'),
        ),
        message,
      ),
      results,
    ),
  };
}

/** The grid; of a sweep over machines a ranking for each row of the grid, which is left out if it has no other. */
function resultsOf(grid, fields, ordering) {
  if (grid.across.name !== 'nodes') return gridTable(grid, fields);
  const rankings = grid.rows.map((row) =>
    rankingPanel(
      rowTitle(grid, row, fields) || 'Machines',
      grid.columns.map((machine, at) => ({ machine, run: row.cells[at] })),
      ordering,
    ),
  );
  return [rankings, grid.rows.length > 1 ? gridTable(grid, fields) : null];
}

/** All runs of a sweep, as in lists. */
async function runsOf(sweep, signal) {
  const found = [];
  let cursor = null;
  do {
    const page = await api.runs({ sweep, limit: PAGE_SIZE, cursor }, signal);
    found.push(...page.runs);
    cursor = page.next;
  } while (cursor);
  return found;
}

/** A bar, and the number of runs with each status in words. */
function progressParts({ total }, runs) {
  const ended = runs.filter(({ status }) => !isLive(status)).length + Math.max(0, total - runs.length);
  const counts = Object.entries(STATUSES).map(([status, { word, tone }]) => {
    const count = runs.filter((run) => run.status === status).length;
    return count ? h('li', { class: `status ${tone}` }, `${count} ${word}`) : null;
  });
  return [
    h('progress', { max: total, value: ended, 'aria-label': 'Runs that have ended' }),
    h('ul', { class: 'counts row loose' }, counts, total > runs.length ? h('li', { class: 'status quiet' }, `${total - runs.length} deleted`) : null),
  ];
}
