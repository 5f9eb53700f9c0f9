// What the page of comparisons shows while none is chosen: an experiment whose runs are compared, and the runs that compare
// two requests themselves.

import * as api from '../../lab/api.js';
import { freshId, h } from '../../dom.js';
import { notice } from '../../parts/notice.js';
import { shortId } from '../../parts/runtable.js';
import { relativeTime } from '../../parts/status.js';
import { comparisonAddress, sidesAddress } from '../../parts/trendlink.js';
import { headlineFigures } from '../../results/headline.js';
import { newestPair } from '../../results/runpairs.js';
import { go } from '../../router.js';

const RECENT = 200; // runs among which those to compare are looked for

/** Returns the element. `experiments` are those of the lab. */
export async function choosePanel(experiments, signal) {
  const { runs } = await api.runs({ limit: RECENT }, signal);
  const title = (name) => experiments.find((one) => one.name === name)?.title ?? name;
  const names = [...new Set(runs.map(({ experiment }) => experiment))];
  const pairs = names
    .map((name) => ({ name, pair: newestPair(runs.filter(({ experiment }) => experiment === name)) }))
    .filter(({ pair }) => pair);
  const comparing = runs.filter(({ compare_with: other, status }) => other && status === 'succeeded');
  if (!pairs.length && !comparing.length)
    return notice({
      title: 'Nothing to compare yet',
      text: 'Two runs of the same experiment can be compared: run an experiment twice, for example with other parameters.',
      actions: [h('a', { class: 'button primary', href: '/' }, 'Choose an experiment')],
    });
  return h(
    'div',
    { class: 'choose' },
    pairs.length ? pairPanel(pairs, title) : null,
    comparing.length ? comparingPanel(comparing, title) : null,
  );
}

function pairPanel(pairs, title) {
  const id = freshId('experiment');
  const select = h(
    'select',
    { id },
    pairs.map(({ name }) => h('option', { value: name }, title(name))),
  );
  const compare = () => {
    const { base, head } = pairs.find(({ name }) => name === select.value).pair;
    go(comparisonAddress({ base: base.id, head: head.id }));
  };
  return h(
    'section',
    { class: 'panel' },
    h('h2', {}, 'The last two runs of an experiment'),
    h(
      'div',
      { class: 'choose-line' },
      h('div', { class: 'filter' }, h('label', { for: id }, 'Experiment'), select),
      h('button', { type: 'button', class: 'primary', on: { click: compare } }, 'Compare'),
    ),
    h('p', { class: 'aside' }, 'Others can be chosen afterwards, or selected in the ', h('a', { href: '/runs' }, 'list of runs'), '.'),
  );
}

function comparingPanel(runs, title) {
  return h(
    'section',
    { class: 'panel' },
    h('h2', {}, 'Runs that measured two requests alternately'),
    h(
      'ul',
      { class: 'item-list' },
      runs.map((run) =>
        h(
          'li',
          {},
          h('a', { href: sidesAddress(run.id) }, `${title(run.experiment)} ${shortId(run.id)}`),
          ` ${headlineFigures(run).map(({ text }) => text)[0] ?? ''} `,
          relativeTime(run.created_at),
        ),
      ),
    ),
  );
}
