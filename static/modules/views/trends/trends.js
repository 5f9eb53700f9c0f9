// A point over time, /trends?experiment=…&metric=…&axes=…&device=…; without a point, those of each experiment.

import * as api from '../../lab/api.js';
import { choicesOf } from '../../choices.js';
import { h, replace } from '../../dom.js';
import * as events from '../../lab/events.js';
import * as lab from '../../lab/lab.js';
import { announce } from '../../parts/announce.js';
import { notice } from '../../parts/notice.js';
import { trendAddress } from '../../parts/trendlink.js';
import { inShownUnit, trendText } from '../../results/trend.js';
import { replaceAddress } from '../../router.js';
import { titledValue } from '../../text/displaynames.js';
import { trendChart } from './chart.js';
import { chooser } from './chooser.js';
import { marksPanel } from './marks.js';
import { overview } from './overview.js';
import { shiftsPanel } from './shifts.js';
import { trendTable } from './table.js';

const RUNS_PER_PAGE = 200;
const RECENT_RUNS = 50; // runs whose devices and headlines are offered
const REFRESH_DELAY_MS = 500;

export async function view(route, signal) {
  const { query } = route;
  const experiments = await lab.experiments();
  const name = query.get('experiment');
  if (!name) {
    const lead = 'The main number of each experiment over time; recent changes first.';
    return { title: 'Trends', element: page('Trends', lead, await overview(experiments, choicesOf(route), signal)) };
  }
  const experiment = (await lab.experiment(name)) ?? lab.unknownExperiment(name);
  const filters = { experiment: name, status: 'succeeded', limit: RECENT_RUNS, device: query.get('device') };
  const [{ runs }, standing] = await Promise.all([api.runs(filters, signal), query.get('device') ? [] : api.resultRuns({ experiment: name }, signal)]);
  if (experiment.unknown && !runs.length)
    throw new api.Problem(404, { title: 'Experiment not found', detail: `This lab has no experiment ${name}, and no run of it.` });
  const trend = trendOf(query, [...standing, ...runs.filter((run) => !run.compare_with)]);
  const title = `Trend: ${experiment.title}`;
  if (!trend) return { title, element: page(title, '', noRuns(experiment)) };
  replaceAddress(trendAddress(trend));
  return { title, element: await trendPage({ title, trend, experiment, experiments, runs, signal }) };
}

/** The trend that the address names; by default the first headline of the first of `runs` that has one. Null if there
 * is none. */
function trendOf(query, runs) {
  const first = runs.find(({ headline }) => headline?.length);
  const device = query.get('device') || first?.devices[0]?.name || '';
  const [experiment, metric] = [query.get('experiment'), query.get('metric')];
  if (metric && query.get('axes')) return { experiment, metric, axes: parsed(query.get('axes')), device };
  if (!first) return null;
  const headline = first.headline.find((one) => !metric || one.metric === metric) ?? first.headline[0];
  return { experiment, metric: headline.metric, axes: headline.axes, device };
}

function parsed(axes) {
  try {
    return JSON.parse(axes);
  } catch {
    throw new api.Problem(422, { title: 'Invalid address', detail: '"axes" in the address must be a JSON object.' });
  }
}

const page = (title, lead, ...content) =>
  h(
    'div',
    { class: 'view stack spaced' },
    h('header', { class: 'view-head stack tight start' }, h('h1', {}, title), lead ? h('p', { class: 'lead' }, lead) : null),
    content,
  );

const noRuns = ({ name, title, unknown }) =>
  notice({
    title: 'No runs with a result',
    text: `No run of ${title} has succeeded here.`,
    actions: unknown ? [] : [h('a', { class: 'button primary', href: `/experiments/${encodeURIComponent(name)}` }, `Run ${title}`)],
  });

async function trendPage({ title, trend, experiment, experiments, runs, signal }) {
  const fetchPage = async (before) => inShownUnit(await api.series({ ...trend, limit: RUNS_PER_PAGE, before }, signal));
  let series = await fetchPage(null);
  const metric = experiment.metrics?.find((one) => one.name === trend.metric) ?? { title: trend.metric };
  const answer = h('p', { class: 'answer' });
  const chart = trendChart({ metric, signal });
  const shifts = shiftsPanel({ accepted: () => refresh('Baseline set'), signal });
  const table = trendTable();
  let marks = [];
  const marked = marksPanel({ signal, changed: (all) => {
    marks = all;
    chart.update(series, marks);
  } });
  const more = h('div', { class: 'more' });
  const older = h('button', { type: 'button', class: 'small', on: { click: loadOlder } }, 'Load older runs');

  function draw() {
    answer.textContent = trendText(series);
    chart.update(series, marks);
    shifts.update(series);
    table.update(series);
    replace(more, series.next ? older : null);
  }

  /** Fetches the newest page again; older ones that were loaded stay. */
  async function refresh(text) {
    const newest = await fetchPage(null);
    const last = newest.values.at(-1)?.run ?? '';
    const kept = newest.next ? series.values.filter(({ run }) => run < last) : [];
    series = joined(newest, { ...series, values: kept });
    draw();
    if (text) announce(text);
  }

  async function loadOlder() {
    older.disabled = true;
    try {
      series = joined(series, await fetchPage(series.next));
      draw();
    } catch (error) {
      replace(more, older, h('p', { class: 'field-error', role: 'alert' }, error.message));
    }
    older.disabled = false;
  }

  let timer = null;
  const refreshSoon = () => {
    clearTimeout(timer);
    timer = setTimeout(() => refresh().catch(() => {}), REFRESH_DELAY_MS);
  };
  events.on('run.updated', (run) => run.experiment === experiment.name && run.finished_at && refreshSoon(), signal);
  events.on('missed', refreshSoon, signal);
  signal.addEventListener('abort', () => clearTimeout(timer));
  draw();
  marked.load();
  const facts = pointFacts(trend.axes, experiment);
  return h(
    'div',
    { class: 'view stack spaced' },
    h(
      'header',
      { class: 'view-head stack tight start' },
      h('p', {}, h('a', { href: '/trends' }, 'All trends')),
      h('h1', {}, title),
      answer,
      h('p', { class: 'aside' }, `${metric.title}, ${facts}`),
    ),
    await chooser({ trend, experiment, experiments, runs, signal }),
    shifts.element,
    h(
      'section',
      { class: 'panel', 'aria-label': 'Trend' },
      chart.element,
      metric.formula ? h('p', { class: 'formula' }, `${metric.title}: ${metric.formula}.`) : null,
      more,
    ),
    marked.element,
    table.element,
  );
}

/** Two pages of a series, the newer one first. */
const joined = (newer, olderPage) => ({
  ...newer,
  values: [...newer.values, ...olderPage.values],
  shifts: [...olderPage.shifts.filter(({ run }) => !newer.shifts.some((one) => one.run === run)), ...newer.shifts],
  next: olderPage.values.length ? olderPage.next : newer.next,
});

/** The values of the axes of a point as a sentence. */
function pointFacts(axes, experiment) {
  const axisOf = (name) => experiment.axes?.find((axis) => axis.name === name) ?? { name, title: name, unit: null };
  return `${Object.entries(axes).map(([name, value]) => titledValue(axisOf(name), value)).join(', ')}.`;
}
