// Table of runs, with the result of each: the list of runs, and recent runs on other pages.

import { h } from '../dom.js';
import { headlineFigures } from '../results/headline.js';
import { ago, dateTime, duration, elapsed, plain, progressText, UNKNOWN, utcText } from '../text/format.js';
import { runPlaceText } from '../lab/lab.js';
import { STATUSES } from '../text/displaynames.js';
import { shortId } from '../text/runtitle.js';
import { sortHeads } from './sortheads.js';
import { statusText } from './status.js';

/** The columns as sortheads.js takes them. Only results of one experiment can be sorted by their first figure; `title`
 * as of runTable. */
export const runColumns = (title, { ofOneExperiment = false } = {}) => [
  { title: 'Run', value: ({ experiment }) => title(experiment) },
  { title: 'Result', value: ofOneExperiment ? ({ headline }) => headline?.[0]?.value : null },
  { title: 'Status', value: ({ status }) => STATUSES[status]?.word ?? status },
  { title: 'Devices', value: (run) => runPlaceText(run) || null },
  { title: 'By', value: ({ requested_by: person }) => person },
  { title: 'Duration', value: ({ started_at: from, finished_at: to }) => elapsed(from, to) },
  { title: 'Started', value: ({ started_at: started, created_at: created }) => started ?? created },
];

const FIGURES_MAX = 4; // figures of a result; more would make the row higher than the others

/** A table of run summaries. `title(name)` returns the title of an experiment. */
export function runTable(runs, title, caption) {
  return h(
    'table',
    { class: 'runs' },
    h('caption', { class: 'visually-hidden' }, caption),
    runTableHead(sortHeads(runColumns(title)).cells),
    h(
      'tbody',
      {},
      runs.map((run) => runRow(run, title)),
    ),
  );
}

/** The head of a table of runs, with the cells of its columns; `select` is an element for the column of boxes that
 * select runs, if there is one. */
export function runTableHead(cells, select = null) {
  return h(
    'thead',
    {},
    h(
      'tr',
      {},
      select ? h('td', { class: 'select' }, select) : null,
      cells,
    ),
  );
}

/** The row of a run; a click anywhere in the row opens the run. `select` is the box that selects it, or null. */
export function runRow(run, title, select = null) {
  const cell = (name, kind, ...children) =>
    h('td', { class: children[0] === UNKNOWN ? `${kind} none` : kind || null, dataset: { label: name } }, children);
  return h(
    'tr',
    { dataset: { run: run.id } },
    select ? h('td', { class: 'select' }, select) : null,
    nameCell(run, title),
    cell('Result', 'result', resultOf(run)),
    cell('Status', '', statusOf(run)),
    cell('Devices', '', runPlaceText(run) || UNKNOWN),
    cell('By', '', run.requested_by ?? UNKNOWN),
    cell('Duration', 'figure', duration(elapsed(run.started_at, run.finished_at))),
    cell('Started', '', timeOf(run)),
  );
}

function nameCell(run, title) {
  return h(
    'th',
    { scope: 'row' },
    h(
      'a',
      { class: 'row-link', href: `/runs/${run.id}` },
      title(run.experiment),
      h('span', { class: 'run-short' }, ` ${shortId(run.id)}`),
    ),
    h(
      'span',
      { class: 'run-tags row tight' },
      run.pinned ? h('span', { class: 'tag' }, 'pinned') : null,
      run.compare_with ? h('span', { class: 'tag' }, 'comparison') : null,
      run.sweep ? h('a', { class: 'tag', href: `/sweeps/${encodeURIComponent(run.sweep)}` }, 'sweep') : null,
      (run.tags ?? []).map((tag) => h('span', { class: 'tag' }, tag)),
    ),
    run.note ? h('span', { class: 'run-note fine' }, run.note) : null,
  );
}

/** The figures that answer the run; of a failed run the reason. */
function resultOf(run) {
  const figures = headlineFigures(run);
  if (run.error) return h('span', { class: 'run-error' }, run.error.detail || run.error.title);
  if (!figures.length) return UNKNOWN;
  return h(
    'ul',
    { class: 'run-figures row loose' },
    figures
      .slice(0, FIGURES_MAX)
      .map(({ title, text }) =>
        h('li', {}, h('strong', {}, text), ' ', h('span', { class: 'aside' }, title)),
      ),
    figures.length > FIGURES_MAX ? h('li', { class: 'aside' }, `${figures.length - FIGURES_MAX} more`) : null,
  );
}

function statusOf(run) {
  const progress = run.status === 'running' ? progressText(run.progress) : '';
  return [
    statusText(run.status),
    progress ? h('span', { class: 'aside' }, ` ${progress}`) : null,
    run.wrong_count > 0 ? h('span', { class: 'tag bad' }, `${plain(run.wrong_count)} wrong`) : null,
    run.contended ? h('span', { class: 'tag warn' }, 'contended') : null,
  ];
}

/** When the run started, or was requested: how long ago and, if that is not a date, the time of day. */
function timeOf({ started_at: started, created_at: created }) {
  const time = started ?? created;
  const [relative, exact] = [ago(time), dateTime(time)];
  const rest = (exact.startsWith(relative) ? exact.slice(relative.length + 1) : exact).replace(/:\d\d$/, '');
  const attributes = { class: 'run-time', datetime: time, title: utcText(time) };
  return h('time', attributes, h('span', {}, started ? '' : 'requested ', relative), ' ', h('span', { class: 'aside' }, rest));
}
