// The two sides of a comparison, with the fields that choose them.

import { freshId, h } from '../../dom.js';
import { runDevicesText } from '../../lab/lab.js';
import { absoluteTime, statusText } from '../../parts/status.js';
import { comparisonAddress } from '../../parts/trendlink.js';
import { headlineFigures } from '../../results/headline.js';
import { go } from '../../router.js';
import { dateTime } from '../../text/format.js';
import { shortId } from '../../text/runtitle.js';

/** The cards of two runs; `runs` are those of their experiment, from which others can be chosen, `isPinned` whether
 * base is the pinned baseline, `hasPinned` whether there is one. */
export function sideCards({ base, head, runs, isPinned, hasPinned }) {
  const change = (changes) =>
    go(comparisonAddress({ base: isPinned ? 'pinned' : base.id, head: head.id, ...changes }));
  const options = (own) => runs.some(({ id }) => id === own.id) ? runs : [own, ...runs];
  const select = (own, label, extra, work) => {
    const id = freshId('side');
    return [
      h('label', { class: 'label', for: id }, label),
      h(
        'select',
        { id, on: { change: (event) => work(event.currentTarget.value) } },
        extra,
        options(own).map((run) =>
          h('option', { value: run.id, selected: run.id === own.id && !(extra && isPinned) }, optionText(run)),
        ),
      ),
    ];
  };
  const pinned = hasPinned ? h('option', { value: 'pinned', selected: isPinned }, 'the pinned baseline') : null;
  return h(
    'div',
    { class: 'sides' },
    card(base, select(base, 'Base', pinned, (id) => change({ base: id }))),
    card(head, select(head, 'Head', null, (id) => change({ head: id }))),
    h(
      'button',
      { type: 'button', class: 'small', on: { click: () => go(comparisonAddress({ base: head.id, head: base.id })) } },
      'Swap base and head',
    ),
  );
}

/** The card of a run with the elements that choose it. */
function card(run, chooser) {
  const figures = headlineFigures(run);
  return h(
    'div',
    { class: 'side stack tight panel' },
    chooser,
    h('p', { class: 'row loose' }, figures.map(({ title, text }) => h('span', {}, h('strong', {}, text), ' ', title))),
    h(
      'p',
      { class: 'aside' },
      h('a', { href: `/runs/${run.id}` }, `run ${shortId(run.id)}`),
      ' · ',
      absoluteTime(run.started_at ?? run.created_at),
      ` · ${runDevicesText(run)}`,
      run.host ? ` on ${run.host}` : '',
      run.status === 'succeeded' ? '' : [' · ', statusText(run.status)],
    ),
  );
}

/** A run as the text of an option: "2026-01-31 14:05 · 55.5 GB/s · NVIDIA H200 · nightly · 3857ae". */
function optionText(run) {
  return [
    dateTime(run.started_at ?? run.created_at).slice(0, 16),
    headlineFigures(run)[0]?.text,
    runDevicesText(run),
    run.pinned ? 'pinned' : '',
    (run.tags ?? []).join(', '),
    shortId(run.id),
  ]
    .filter(Boolean)
    .join(' · ');
}
