// The headline figures of a run in a few lines, with its devices and time as a link to it: beside an experiment.

import { h } from '../dom.js';
import { runPlaceText } from '../lab/lab.js';
import { headlineFigures } from '../results/headline.js';
import { relativeTime } from './status.js';

const FIGURES_MAX = 4;

/** The figures of `run`, a summary; "Not run yet" without one. */
export function latestResult(run) {
  if (!run) return h('p', { class: 'latest none' }, 'Not run yet');
  const figures = headlineFigures(run).slice(0, FIGURES_MAX);
  return h(
    'div',
    { class: 'latest' },
    figures.length
      ? h(
          'dl',
          { class: 'latest-figures row loose baseline' },
          figures.map(({ title, text, share }) =>
            h('div', {}, h('dt', {}, title), h('dd', {}, text), share && h('dd', { class: 'latest-share' }, share)),
          ),
        )
      : h('p', { class: 'none' }, 'No result on this device'),
    h('a', { class: 'latest-run', href: `/runs/${run.id}` }, runPlaceText(run), ', ', relativeTime(run.finished_at)),
  );
}
