// The head of a run's page: title, status, device, tags, note and the possible actions. Elements that do not change are
// created once, so that they keep the focus while the run progresses.

import * as api from '../lab/api.js';
import { h, replace } from '../dom.js';
import { duration, elapsed, plural } from '../text/format.js';
import * as lab from '../lab/lab.js';
import { go } from '../router.js';
import { isLive } from '../text/displaynames.js';
import { announce } from './announce.js';
import { confirm } from './confirm.js';
import { copyButton } from './copybutton.js';
import { absoluteTime, statusText } from './status.js';

/** Returns {element, update(run)}; `first` is the run as first fetched. */
export function runHead(first, experiment) {
  let run = first;
  const links = api.links(run.id);
  const badges = h('span', { class: 'run-badges' });
  const facts = h('ul', { class: 'lead facts-line' });
  const note = h('p', { class: 'note' });
  const deleteButton = h(
    'button',
    { type: 'button', class: 'quiet danger', on: { click: () => remove(run, errorText) } },
    'Delete',
  );
  const errorText = h('span', { class: 'field-error', role: 'alert' });
  const element = h(
    'header',
    { class: 'view-head' },
    h('div', { class: 'run-title' }, h('h1', {}, experiment.title), badges),
    facts,
    note,
    h(
      'p',
      { class: 'identity' },
      h('code', {}, run.id),
      copyButton('Copy link', () => new URL(`/runs/${run.id}`, location.origin).href),
    ),
    h(
      'div',
      { class: 'actions' },
      h(
        'a',
        { class: 'button primary', href: `/experiments/${encodeURIComponent(run.experiment)}?from=${run.id}` },
        'Repeat with these parameters',
      ),
      h('a', { class: 'button', href: links.json, target: '_blank', rel: 'noopener' }, 'JSON'),
      h('a', { class: 'button', href: links.csv, download: `${run.experiment}-${run.id}.csv` }, 'CSV'),
      deleteButton,
      errorText,
    ),
  );

  return {
    element,
    update(next) {
      run = next;
      replace(
        badges,
        statusText(run.status),
        run.pinned ? h('span', { class: 'tag' }, 'pinned') : null,
        (run.tags ?? []).map((tag) => h('a', { class: 'tag', href: `/runs?tag=${encodeURIComponent(tag)}` }, tag)),
      );
      replace(
        facts,
        factsOf(run).map((fact) => h('li', {}, fact)),
      );
      note.textContent = run.note ?? '';
      note.hidden = !run.note;
      deleteButton.hidden = isLive(run.status);
    },
  };
}

function factsOf(run) {
  const took = elapsed(run.started_at, run.finished_at);
  return [
    lab.runDevicesText(run),
    run.host ? `on ${run.host}` : null,
    absoluteTime(run.started_at ?? run.created_at),
    Number.isFinite(took) ? `took ${duration(took)}` : null,
  ].filter(Boolean);
}

/** Deletes the run if the user confirms, and shows the list of runs; shows an error in `errorText`. */
async function remove(run, errorText) {
  const count = run.measurement_count ?? run.measurements?.length ?? 0;
  const confirmed = await confirm({
    title: 'Delete this run?',
    text: `This permanently deletes its ${plural(count, 'measurement')} with all samples, for all users of this lab.`,
    action: 'Delete run',
  });
  if (!confirmed) return;
  try {
    await api.remove(run.id);
    announce('Run deleted');
    go('/runs', { replaceState: true });
  } catch (error) {
    replace(errorText, error.message);
  }
}
