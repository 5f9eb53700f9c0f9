// Table of runs: the list of runs, and the recent runs on the first page.

import { h } from '../dom.js';
import { duration, elapsed, plain } from '../text/format.js';
import { runDevicesText } from '../lab/lab.js';
import { relativeTime, statusText } from './status.js';

const HEADS = ['Run', 'Status', 'Devices', 'Measurements', 'Duration', 'Started'];

/** A table of run summaries. `title(name)` returns the title of an experiment. */
export function runTable(runs, title, caption) {
  return h(
    'table',
    { class: 'runs' },
    h('caption', { class: 'visually-hidden' }, caption),
    h(
      'thead',
      {},
      h(
        'tr',
        {},
        HEADS.map((head) => h('th', { scope: 'col' }, head)),
      ),
    ),
    h(
      'tbody',
      {},
      runs.map((run) => runRow(run, title)),
    ),
  );
}

/** The row of a run; a click anywhere in the row opens the run. */
export function runRow(run, title) {
  const { done, total } = run.progress ?? {};
  const count = run.measurement_count ?? null;
  const cell = (name, properties, ...children) => h('td', { dataset: { label: name }, ...properties }, children);
  return h(
    'tr',
    { dataset: { run: run.id } },
    h(
      'th',
      { scope: 'row' },
      h(
        'a',
        { class: 'row-link', href: `/runs/${run.id}` },
        title(run.experiment),
        h('span', { class: 'run-short' }, ` ${shortId(run.id)}`),
      ),
      run.pinned ? h('span', { class: 'tag' }, 'pinned') : null,
      (run.tags ?? []).map((tag) => h('span', { class: 'tag' }, tag)),
      run.note ? h('span', { class: 'run-note' }, run.note) : null,
    ),
    cell(
      'Status',
      {},
      statusText(run.status),
      run.status === 'running' && total > 0
        ? h('span', { class: 'aside' }, ` ${Math.floor((100 * done) / total)}\u00a0%`)
        : null,
      run.wrong_count > 0 ? h('span', { class: 'tag bad' }, `${plain(run.wrong_count)} wrong`) : null,
      run.contended ? h('span', { class: 'tag warn' }, 'contended') : null,
    ),
    cell('Devices', {}, runDevicesText(run) || '–'),
    cell('Measurements', { class: 'figure' }, count === null ? '–' : plain(count)),
    cell('Duration', { class: 'figure' }, duration(elapsed(run.started_at, run.finished_at))),
    cell('Started', {}, relativeTime(run.started_at ?? run.created_at)),
  );
}

/** The end of a run's id, which is random; its start is the time and is the same for runs of the same minute. */
const shortId = (id) => id.slice(-6);
