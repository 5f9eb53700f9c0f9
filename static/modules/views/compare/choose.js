// What the page of comparisons shows while none is chosen: the last two runs of each experiment that had the same
// request, and the runs that compare two requests themselves.

import * as api from '../../lab/api.js';
import { h } from '../../dom.js';
import { runPlaceText } from '../../lab/lab.js';
import { notice } from '../../parts/notice.js';
import { relativeTime } from '../../parts/status.js';
import { comparisonAddress, sidesAddress } from '../../parts/trendlink.js';
import { headlineFigures } from '../../results/headline.js';
import { newestPair } from '../../results/runpairs.js';
import { shortId } from '../../text/runtitle.js';

const RECENT = 200; // runs among which those to compare are looked for

/** The runs that `head` can be compared with. */
export const basesPanel = (runs, head) =>
  panel(
    'Runs of this experiment on other devices',
    runs.map((run) => [
      h('a', { href: comparisonAddress({ base: run.id, head: head.id }) }, runPlaceText(run), h('span', { class: 'run-short' }, ` ${shortId(run.id)}`)),
      firstFigure(run),
      relativeTime(run.created_at),
    ]),
  );

/** Returns the element. `experiments` are those of the lab. */
export const choosePanel = async (experiments, signal) => (await pairsPanel(experiments, signal)) ?? nothingYet();

const nothingYet = () =>
  notice({
    title: 'Nothing to compare yet',
    text: 'No experiment has run twice on the same devices with the same parameters. Other runs can be selected in the list of runs.',
    actions: [
      h('a', { class: 'button primary', href: '/' }, 'Choose an experiment'),
      h('a', { class: 'button', href: '/runs' }, 'List of runs'),
    ],
  });

/** Pairs of runs that can be compared; null if there are none. */
export async function pairsPanel(experiments, signal) {
  const { runs } = await api.runs({ limit: RECENT }, signal);
  const title = (name) => experiments.find((one) => one.name === name)?.title ?? name;
  const names = [...new Set(runs.map(({ experiment }) => experiment))];
  const pairs = names
    .map((name) => ({ name, pair: newestPair(runs.filter(({ experiment }) => experiment === name)) }))
    .filter(({ pair }) => pair);
  const comparing = runs.filter(({ compare_with: other, status }) => other && status === 'succeeded');
  if (!pairs.length && !comparing.length) return null;
  return h(
    'div',
    { class: 'choose' },
    pairs.length ? pairPanel(pairs, title) : null,
    comparing.length ? comparingPanel(comparing, title) : null,
  );
}

const pairPanel = (pairs, title) =>
  panel(
    'The last two runs of an experiment',
    pairs.map(({ name, pair: { base, head } }) => [
      h('a', { href: comparisonAddress({ base: base.id, head: head.id }) }, title(name)),
      [firstFigure(base), firstFigure(head)].filter(Boolean).join(' → '),
      relativeTime(head.created_at),
    ]),
    h('p', { class: 'aside' }, 'On the same devices with the same parameters. Others can be chosen afterwards, or selected in the ', h('a', { href: '/runs' }, 'list of runs'), '.'),
  );

const comparingPanel = (runs, title) =>
  panel(
    'Runs that compare two requests (A/B)',
    runs.map((run) => [
      h('a', { href: sidesAddress(run.id) }, title(run.experiment), h('span', { class: 'run-short' }, ` ${shortId(run.id)}`)),
      firstFigure(run),
      relativeTime(run.created_at),
    ]),
  );

const firstFigure = (run) => headlineFigures(run).map(({ text }) => text)[0] ?? '';

/** A panel with a row for each of `rows`: a link, a figure and a time. */
const panel = (title, rows, ...more) =>
  h(
    'section',
    { class: 'panel' },
    h('h2', {}, title),
    h(
      'ul',
      { class: 'choose-list' },
      rows.map(([link, figure, time]) => h('li', {}, link, h('span', {}, figure), h('span', { class: 'aside' }, time))),
    ),
    more,
  );
