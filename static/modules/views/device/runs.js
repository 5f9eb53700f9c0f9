// The runs of a device: the result of each experiment, and the newest runs.

import * as api from '../../lab/api.js';
import { h, replace } from '../../dom.js';
import * as events from '../../lab/events.js';
import { headlineFigures } from '../../results/headline.js';
import { notice } from '../../parts/notice.js';
import { runTable } from '../../parts/runtable.js';
import { relativeTime } from '../../parts/status.js';
import { whenChanged } from '../../throttle.js';

const NEWEST = 10;

/** Resolves with {element, latest, newest}, which stays current until `signal` is aborted: the run whose result stands
 * for each experiment, and the newest runs, both as summaries. `title(name)` returns the title of an experiment. */
export async function runsOfDevice(device, title, signal) {
  const element = h('div', { class: 'stack spaced' });
  const fetchAll = () =>
    Promise.all([
      api.resultRuns({ device }, signal),
      api.runs({ device, limit: NEWEST }, signal),
    ]);
  const draw = whenChanged(([results, newest]) =>
    replace(element, latestResults(results, title), newestRuns(device, newest.runs, newest.next, title)),
  );

  const first = await fetchAll();
  draw(first);
  let timer = null;
  const redrawSoon = () => {
    clearTimeout(timer);
    timer = setTimeout(() => fetchAll().then(draw).catch(() => {}), 200); // the header shows a lost connection
  };
  const concerns = ({ devices }) => (devices ?? []).some(({ id }) => id === device);
  events.on('run.updated', (run) => concerns(run) && redrawSoon(), signal);
  events.on('run.deleted', redrawSoon, signal);
  events.on('missed', redrawSoon, signal);
  return { element, latest: first[0], newest: first[1].runs };
}

/** The headline figures of each experiment. */
function latestResults(runs, title) {
  const shown = runs.filter((run) => headlineFigures(run).length);
  if (!shown.length) return null;
  const row = (run) =>
    h('div', { class: 'latest-result' }, [
      h('dt', {}, h('a', { href: `/runs/${run.id}` }, title(run.experiment))),
      headlineFigures(run).map((figure) =>
        h('dd', {}, h('span', { class: 'latest-value' }, figure.text), h('span', { class: 'aside' }, ` ${figure.title}`)),
      ),
      h('dd', { class: 'aside' }, relativeTime(run.started_at ?? run.created_at)),
    ]);
  return h(
    'section',
    { class: 'panel', 'aria-labelledby': 'latest-title' },
    h('h2', { id: 'latest-title' }, 'Results'),
    h('dl', { class: 'latest-results' }, shown.map(row)),
  );
}

function newestRuns(device, runs, more, title) {
  const all = `/runs?device=${encodeURIComponent(device)}`;
  return h(
    'section',
    { 'aria-labelledby': 'newest-title' },
    h(
      'div',
      { class: 'section-head' },
      h('h2', { id: 'newest-title' }, 'Newest runs'),
      more ? h('a', { href: all }, 'All its runs') : null,
    ),
    runs.length
      ? h('div', { class: 'panel flush' }, runTable(runs, title, 'Newest runs on this device'))
      : notice({
          title: 'No runs on this device yet',
          text: 'Results appear here as soon as an experiment was run on it.',
          level: 3,
          actions: [h('a', { class: 'button primary', href: '/' }, 'Choose an experiment')],
        }),
  );
}
