// The head of a run's page: what it is, how it stands, and what can be done with it. What does not change is made
// once, so that the focus stays where it is while the run goes on.

import * as api from '../api.js';
import { h, replace } from '../dom.js';
import { duration, elapsed, plural } from '../format.js';
import * as lab from '../lab.js';
import { go } from '../router.js';
import { isLive } from '../displaynames.js';
import { announce } from './announce.js';
import { confirm } from './confirm.js';
import { copyButton } from './copybutton.js';
import { exactly, statusSign } from './status.js';

/** {element, update(run)}. */
export function runHead(first, experiment) {
  let run = first;
  const links = api.links(run.id);
  const signs = h('span', { class: 'run-signs' });
  const facts = h('ul', { class: 'lead facts-line' });
  const note = h('p', { class: 'note' });
  const erase = h(
    'button',
    { type: 'button', class: 'quiet danger', on: { click: () => remove(run, trouble) } },
    'Delete',
  );
  const trouble = h('span', { class: 'field-error', role: 'alert' });
  const element = h(
    'header',
    { class: 'view-head' },
    h('div', { class: 'run-title' }, h('h1', {}, experiment.title), signs),
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
      erase,
      trouble,
    ),
  );

  return {
    element,
    update(next) {
      run = next;
      replace(
        signs,
        statusSign(run.status),
        run.pinned ? h('span', { class: 'tag' }, 'pinned') : null,
        (run.tags ?? []).map((tag) => h('a', { class: 'tag', href: `/runs?tag=${encodeURIComponent(tag)}` }, tag)),
      );
      replace(
        facts,
        factsOf(run).map((fact) => h('li', {}, fact)),
      );
      note.textContent = run.note ?? '';
      note.hidden = !run.note;
      erase.hidden = isLive(run.status);
    },
  };
}

function factsOf(run) {
  const took = elapsed(run.started_at, run.finished_at);
  return [
    lab.devicesWords(run),
    run.host ? `on ${run.host}` : null,
    exactly(run.started_at ?? run.created_at),
    Number.isFinite(took) ? `took ${duration(took)}` : null,
  ].filter(Boolean);
}

async function remove(run, trouble) {
  const count = run.measurement_count ?? run.measurements?.length ?? 0;
  const sure = await confirm({
    title: 'Delete this run?',
    text: `Its ${plural(count, 'measurement')} will be gone, with every sample and for everyone who uses this lab.`,
    action: 'Delete the run',
  });
  if (!sure) return;
  try {
    await api.remove(run.id);
    announce('The run was deleted');
    go('/runs', { replaceState: true });
  } catch (error) {
    replace(trouble, error.message);
  }
}
