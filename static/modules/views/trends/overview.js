// The page of trends without a point: the first headline of each experiment over its last runs, those that have shifted
// recently first, or in the order of a column whose head was pressed.

import * as api from '../../lab/api.js';
import { h, replace, svg } from '../../dom.js';
import { notice } from '../../parts/notice.js';
import { sorter } from '../../parts/sortheads.js';
import { relativeTime } from '../../parts/status.js';
import { trendAddress } from '../../parts/trendlink.js';
import { changeText, inOverviewOrder, inShownUnit, isBetter, latestShift, noShiftReason, sparkline, weekBefore } from '../../results/trend.js';
import { plain, plural, quantity, UNKNOWN } from '../../text/format.js';

const RUNS = 60; // runs of each point
const AT_ONCE = 6; // requests at a time
const SPARK = { width: 160, height: 28 };

/** The columns; those with a `value` can be sorted by it. */
const COLUMNS = [
  { title: 'Point', value: ({ experiment, query }) => experiment?.title ?? query.experiment },
  { title: 'Newest' },
  { title: 'Change in a week', value: ({ series }) => weekBefore(series)?.relative },
  { title: 'Trend' },
  { title: 'Last shift', value: ({ series }) => latestShift(series)?.shift.relative },
  { title: 'Runs', value: ({ series }) => series.values.length },
  { title: 'Devices', value: ({ series }) => series.model },
];

/** Returns the element. `experiments` are those of the lab; the choice `sort` (choices.js) is the order of the rows. */
export async function overview(experiments, choices, signal) {
  const runs = await api.resultRuns({}, signal);
  const rows = (await inParallel(runs, (run) => rowOf(run, experiments, signal))).filter(Boolean);
  if (!rows.length)
    return notice({
      title: 'No trends yet',
      text: 'A trend shows how a result changes from run to run. It begins with the first run of an experiment.',
      actions: [h('a', { class: 'button primary', href: '/' }, 'Choose an experiment')],
    });
  const body = h('tbody', {});
  const draw = () => replace(body, heads.sorted(inOverviewOrder(rows)).map(tableRow));
  const heads = sorter(COLUMNS, draw, choices);
  draw();
  return h(
    'div',
    { class: 'panel flush table-wide', tabindex: 0, role: 'region', 'aria-label': 'Trends' },
    h(
      'table',
      { class: 'trend-list' },
      h('caption', { class: 'visually-hidden' }, 'The first headline of each experiment over its last runs'),
      h('thead', {}, h('tr', {}, heads.cells)),
      body,
    ),
  );
}

/** The results of `work` for each item, at most AT_ONCE at a time. */
async function inParallel(items, work) {
  const results = [];
  let next = 0;
  const worker = async () => {
    while (next < items.length) {
      const index = next;
      next += 1;
      results[index] = await work(items[index]);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return results;
}

/** The series of a run's first headline: {experiment, headline, query, series}; null if it has none. */
async function rowOf(run, experiments, signal) {
  const [headline] = run.headline ?? [];
  if (!headline) return null;
  const query = { experiment: run.experiment, metric: headline.metric, axes: headline.axes, device: run.devices[0]?.name };
  const experiment = experiments.find(({ name }) => name === run.experiment);
  try {
    return { experiment, headline, query, series: inShownUnit(await api.series({ ...query, limit: RUNS }, signal)) };
  } catch (error) {
    if (error instanceof api.Problem && error.status === 404) return null; // only a comparison has measured the point
    throw error;
  }
}

function tableRow({ experiment, headline, query, series }) {
  const { values, point, model, next } = series;
  const [newest] = values;
  return h(
    'tr',
    {},
    h(
      'th',
      { scope: 'row' },
      h('a', { class: 'row-link', href: trendAddress(query) }, experiment?.title ?? query.experiment),
      h('span', { class: 'aside' }, ` ${headline.title}`),
    ),
    h('td', { class: 'figure' }, h('strong', {}, quantity(newest.median, point.unit)), ' ', h('span', { class: 'aside' }, relativeTime(newest.at))),
    h('td', { dataset: { label: 'In a week: ' } }, weekBefore(series)?.change ?? UNKNOWN),
    h('td', {}, sparkOf(values)),
    h('td', { dataset: { label: 'Last shift: ' } }, shiftOf(series)),
    h('td', { class: 'figure', dataset: { label: 'Runs: ' } }, next ? `${plain(values.length)} or more` : plain(values.length)),
    h('td', {}, model),
  );
}

function sparkOf(values) {
  const { width, height } = SPARK;
  const box = { class: 'trend-spark', width, height, 'aria-hidden': 'true' };
  return values.length > 1 ? svg('svg', box, svg('path', { d: sparkline(values, width, height) })) : '–';
}

function shiftOf(series) {
  const latest = latestShift(series);
  if (!latest) return h('span', { class: 'aside' }, noShiftReason(series));
  const better = isBetter(latest.shift.relative, series.point.better);
  const tone = latest.recent && better !== null ? (better ? 'good' : 'bad') : 'quiet';
  return [
    h('span', { class: `status ${tone}` }, changeText(latest.shift.relative)),
    h('span', { class: 'aside' }, ` ${plural(latest.runs, 'run')} ago`),
  ];
}
