// The results of an experiment in its lesson: the figures and the chart of the run that stands for it, and the newest
// runs.

import * as api from '../../lab/api.js';
import { results } from '../../charts/results.js';
import { h, replace } from '../../dom.js';
import * as events from '../../lab/events.js';
import * as lab from '../../lab/lab.js';
import { devicesOf, withDeviceNames } from '../../lab/rundevices.js';
import { backendOf } from '../../lab/sources.js';
import { showHistories } from '../../parts/figurehistory.js';
import { latestResult } from '../../parts/latestresult.js';
import { runTable } from '../../parts/runtable.js';
import { devicesAddress } from '../../parts/trendlink.js';
import { afterPause, whenChanged } from '../../throttle.js';
import { healthSummary } from '../run/health.js';

const LESSON_RUNS = 10; // the newest runs that a lesson lists
const PAUSE_MS = 200; // several runs may end together

/** What a lesson shows: {runs: the newest runs, result: the run whose result stands for the experiment, or undefined},
 * as in lists. The result is that of `device`, an id, where the device has one. */
export async function fetchResults(experiment, device, signal) {
  const resultOf = (query) => api.resultRuns({ experiment, ...query }, signal);
  const [{ runs }, all, own] = await Promise.all([
    api.runs({ experiment, limit: LESSON_RUNS }, signal),
    resultOf({}),
    device ? resultOf({ device }) : [],
  ]);
  return { runs, result: own[0] ?? all[0] };
}

/** Returns {latest, list}: elements that stay current. `hasSeveral`: whether the lab knows several devices. `first` and
 * `refetch()` are as fetchResults returns; `shown(device)` is called with the device (rundevices.js) of each result
 * that is shown. */
export function lessonResults({ experiment, first, refetch, hasSeveral, shown: deviceShown, signal }) {
  const latest = h('div', { class: 'lesson-result stack' });
  const list = h('div', {});
  let shown = ''; // id of the run whose chart is shown

  const draw = whenChanged(({ runs: all, result }) => {
    if (!result) replace(latest, h('p', { class: 'aside' }, 'Not run yet. The chart of the first run appears here.'));
    else if (result.id !== shown) showChart(result).catch(() => {});
    replace(
      list,
      all.length
        ? [
            h('div', { class: 'panel flush' }, runTable(all, () => experiment.title, `Runs of ${experiment.title}`)),
            h('a', { class: 'all-runs', href: `/runs?experiment=${experiment.name}` }, 'All runs of this experiment'),
          ]
        : h('p', { class: 'aside' }, 'Not run yet.'),
    );
  });

  async function showChart(summary) {
    shown = summary.id;
    const run = await api.run(summary.id, signal);
    const devices = devicesOf(run, lab.device);
    const chart = results({ experiment: withDeviceNames(experiment, devices), devices, signal });
    deviceShown(devices[0]);
    const figures = latestResult(summary);
    const verdict = summary.experiment === 'health' && h('div', {});
    replace(latest, verdict, figures, chart.element, severalLink());
    if (verdict) api.health(summary.id, signal).then((answer) => replace(verdict, healthSummary(answer)), () => {});
    showHistories(figures, summary, { signal });
    chart.update(run.measurements, run, backendOf(run, lab.device));
  }

  /** Leads to the results of all devices in one chart, where the lab knows several. */
  const severalLink = () =>
    hasSeveral && h('p', {}, h('a', { href: devicesAddress(experiment.name) }, 'The results of all devices in one chart'));

  const reload = afterPause(() => refetch().then(draw, () => {}), PAUSE_MS);
  events.on('run.updated', (run) => run.experiment === experiment.name && reload(), signal);
  events.on('missed', reload, signal);
  draw(first);
  return { latest, list, reload };
}
