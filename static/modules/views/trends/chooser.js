// The fields that choose a trend: experiment, metric, point and device model. They lead to the address of another
// trend.

import * as api from '../../lab/api.js';
import { freshId, h } from '../../dom.js';
import { trendAddress } from '../../parts/trendlink.js';
import { axesOf, pointName } from '../../results/comparison.js';
import { go } from '../../router.js';

const POINTS_MAX = 500; // points of a metric to choose from

/** Returns the element. `trend` is {experiment, metric, axes, device}, `experiment` its document, `runs` recent runs of
 * the experiment. */
export async function chooser({ trend, experiment, experiments, runs, signal }) {
  const { metric, device } = trend;
  const { points } = await api.seriesPoints({ experiment: experiment.name, metric, device, limit: POINTS_MAX }, signal);
  const field = (title, options, changed) => {
    const id = freshId('trend');
    const select = h('select', { id, on: { change: (event) => changed(event.currentTarget.value) } }, options);
    return h('div', { class: 'filter stack dense' }, h('label', { for: id }, title), select);
  };
  const option = (value, text, selected) => h('option', { value, selected }, text);

  async function toMetric(name) {
    const query = { experiment: experiment.name, metric: name, device, limit: 1 };
    const { points: [first] } = await api.seriesPoints(query, signal);
    if (first) go(trendAddress({ ...trend, metric: name, axes: first.axes }));
  }

  const models = [...new Set(runs.flatMap((run) => run.devices.map(({ name }) => name)).filter(Boolean))];
  const measured = new Set(runs.flatMap((run) => (run.headline ?? []).map((one) => one.metric)));
  const metrics = await metricsOf(experiment, device, signal);
  metrics.sort((a, b) => measured.has(b.name) - measured.has(a.name));
  const offered = experiment.unknown ? [...experiments, experiment] : experiments;
  return h(
    'div',
    { class: 'filter-fields trend-fields' },
    field('Experiment', offered.map(({ name, title }) => option(name, title, name === experiment.name)), (name) =>
      go(`/trends?experiment=${encodeURIComponent(name)}`),
    ),
    field('Metric', metrics.map(({ name, title }) => option(name, title, name === metric)), toMetric),
    field('Point', pointOptions({ trend, experiment, points, runs }), (value) =>
      go(trendAddress({ ...trend, ...JSON.parse(value) })),
    ),
    field(
      'Device',
      [...new Set([...models, device])].map((name) => option(name, name, name === device)),
      (name) => go(`/trends?${new URLSearchParams({ experiment: experiment.name, device: name })}`),
    ),
  );
}

/** The metrics to choose from: those of the experiment, or those that its runs have where the lab does not have it. */
async function metricsOf({ name: experiment, metrics = [], unknown }, device, signal) {
  if (!unknown) return metrics.filter(({ name }) => !name.startsWith('predicted_'));
  const { points } = await api.seriesPoints({ experiment, device, limit: POINTS_MAX }, signal);
  return [...new Set(points.map(({ metric }) => metric))].map((name) => ({ name, title: name }));
}

const identity = (axes) => JSON.stringify(Object.entries(axes).sort(([a], [b]) => (a < b ? -1 : 1)));

/** The headlines of the newest run, then all points of the metric; the value of an option is {metric, axes} as JSON. */
function pointOptions({ trend, experiment, points, runs }) {
  const isShown = ({ metric, axes }) => metric === trend.metric && identity(axes) === identity(trend.axes);
  const headlines = runs.find(({ headline }) => headline?.length)?.headline ?? [];
  const shownHeadline = headlines.some(isShown);
  const all = points.some(isShown) ? points : [{ metric: trend.metric, axes: trend.axes }, ...points];
  const { varying } = axesOf(all, experiment.axes);
  const option = (text, { metric, axes }, selected) => h('option', { value: JSON.stringify({ metric, axes }), selected }, text);
  return [
    h('optgroup', { label: 'Headlines of the newest run' }, headlines.map((one) => option(one.title, one, isShown(one)))),
    h(
      'optgroup',
      { label: 'All points of the metric' },
      all.map((point) => option(pointName(point, varying), point, !shownHeadline && isShown(point))),
    ),
  ];
}
