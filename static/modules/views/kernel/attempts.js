// The history of a kernel or a program: a bar for each of its runs, newest first.

import { h, replace } from '../../dom.js';
import * as api from '../../lab/api.js';
import * as events from '../../lab/events.js';
import { relativeTime, statusText } from '../../parts/status.js';
import { attemptRows } from '../../results/attempts.js';
import { dateTime } from '../../text/format.js';

const LISTED_MAX = 200; // runs of the experiment among which the attempts are
const SHOWN_MAX = 20; // attempts that are shown

/** Returns {element, list(), start()}. list() are the attempts that are shown, newest first: {id, title, text, code,
 * base, status}, `code` the kernel or program. Of the runs of the experiment called `experiment` those are attempts
 * whose `codeOf(run)` is not null; textOf(code) is the text whose changes are counted, `first()` the one before the
 * first attempt; baseOf(run) is the text that the run was compared with, or null; `empty` says that there is none.
 * `restore` and `compare` are called with an attempt by its buttons, `changed()` when the list has changed. */
export function attempts({ experiment, codeOf, textOf, first, baseOf = () => null, empty, signal, restore, compare, changed }) {
  const texts = new Map(); // {code, base} by id of the run: lists of runs have no texts
  const body = h('div', {});
  const element = h('section', { class: 'panel attempts', 'aria-label': 'Attempts' }, h('h2', {}, 'Attempts'), body);
  let shown = [];
  let drawn = null; // shown as JSON when it was drawn last; null: body shows something else

  async function refresh() {
    try {
      const { runs } = await api.runs({ experiment, limit: LISTED_MAX }, signal);
      const own = runs.filter(codeOf).slice(0, SHOWN_MAX);
      await Promise.all(
        own.map(async ({ id }) => texts.has(id) || texts.set(id, textsOf(await api.run(id, signal)))),
      );
      shown = own.map((run) => ({ ...run, ...texts.get(run.id), text: textOf(texts.get(run.id).code) }));
      const json = JSON.stringify(shown);
      if (json === drawn) return; // its buttons keep the focus
      drawn = json;
      draw();
      changed();
    } catch (error) {
      drawn = null;
      if (!signal.aborted)
        replace(
          body,
          h(
            'p',
            { class: 'aside', role: 'alert' },
            `The attempts could not be loaded: ${error.message} `,
            h('button', { type: 'button', class: 'small', on: { click: refresh } }, 'Try again'),
          ),
        );
    }
  }

  const textsOf = (run) => ({ code: codeOf(run), base: baseOf(run) });
  const entry = (run) => ({ id: run.id, title: titleOf(run), text: run.text, code: run.code, base: run.base, status: run.status });

  function draw() {
    if (!shown.length)
      return replace(
        body,
        h('p', { class: 'aside' }, empty),
      );
    const rows = attemptRows(shown, first());
    return replace(
      body,
      h(
        'ol',
        { class: 'attempt-list stack tight' },
        rows.map((row) => attemptRow(row, entry(row.run), { restore, compare })),
      ),
    );
  }

  const isOwn = (run) => run.experiment === experiment && codeOf(run);
  return {
    element,
    list: () => shown.map(entry),
    start() {
      events.on('run.updated', (run) => isOwn(run) && refresh(), signal);
      events.on('run.deleted', ({ id }) => shown.some((run) => run.id === id) && refresh(), signal);
      events.on('missed', refresh, signal);
      return refresh();
    },
  };
}

const titleOf = ({ note, created_at: time }) => [dateTime(time), note].filter(Boolean).join(': ');

function attemptRow({ run, figure, share, change }, one, { restore, compare }) {
  const button = (text, click) =>
    h(
      'button',
      { type: 'button', class: 'small', 'aria-label': `${text}: ${one.title}`, on: { click: () => click(one) } },
      text,
    );
  return h(
    'li',
    {},
    h(
      'div',
      { class: 'attempt-bar', 'aria-hidden': 'true' },
      h('span', { class: 'attempt-fill', style: { width: `${100 * share}%` } }),
    ),
    h('span', { class: 'attempt-figure' }, figure?.text, (!figure || run.status !== 'succeeded') && [' ', statusText(run.status)]),
    h(
      'span',
      { class: 'attempt-text' },
      h('a', { href: `/runs/${run.id}` }, relativeTime(run.created_at)),
      run.note && ` ${run.note}`,
      h('span', { class: 'aside' }, ` ${change}`),
    ),
    h('span', { class: 'attempt-actions' }, button('Restore', restore), button('Differences', compare)),
  );
}
