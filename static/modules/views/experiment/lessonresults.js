// The results of an experiment in its lesson: the chart of the latest run that has succeeded, and the newest runs.

import * as api from '../../lab/api.js';
import { results } from '../../charts/results.js';
import { h, replace } from '../../dom.js';
import * as events from '../../lab/events.js';
import * as lab from '../../lab/lab.js';
import { devicesOf, withDeviceNames } from '../../lab/rundevices.js';
import { backendOf } from '../../lab/sources.js';
import { latestResult } from '../../parts/latestresult.js';
import { runTable } from '../../parts/runtable.js';

/** How many of the newest runs a lesson lists. */
export const LESSON_RUNS = 10;

/** Returns {latest, list}: elements that stay current. `runs` are the newest runs of the experiment, as in lists. */
export function lessonResults({ experiment, runs, signal }) {
  const latest = h('div', { class: 'lesson-result' });
  const list = h('div', {});
  let shown = ''; // id of the run whose chart is shown

  function draw(all) {
    const newest = all.find(({ status }) => status === 'succeeded');
    if (!newest) replace(latest, h('p', { class: 'aside' }, 'Not run yet. The chart of the first run appears here.'));
    else if (newest.id !== shown) showChart(newest).catch(() => {});
    replace(
      list,
      all.length
        ? [
            h('div', { class: 'panel flush' }, runTable(all, () => experiment.title, `Runs of ${experiment.title}`)),
            h('a', { class: 'all-runs', href: `/runs?experiment=${experiment.name}` }, 'All runs of this experiment'),
          ]
        : h('p', { class: 'aside' }, 'Not run yet.'),
    );
  }

  async function showChart(summary) {
    shown = summary.id;
    const run = await api.run(summary.id, signal);
    const devices = devicesOf(run, lab.device);
    const chart = results({ experiment: withDeviceNames(experiment, devices), devices, signal });
    replace(latest, latestResult(summary), chart.element);
    chart.update(run.measurements, run, backendOf(run, lab.device));
  }

  let timer = null;
  const reload = () => {
    clearTimeout(timer);
    timer = setTimeout(
      () => api.runs({ experiment: experiment.name, limit: LESSON_RUNS }, signal).then((answer) => draw(answer.runs), () => {}),
      200,
    );
  };
  events.on('run.updated', (run) => run.experiment === experiment.name && reload(), signal);
  events.on('missed', reload, signal);
  draw(runs);
  return { latest, list };
}
