// What a run found, drawn: a switch between the experiment's views, the picture with its legend, and the table of
// exact values beside it. Grows while measurements arrive.

import { h, oncePerFrame, replace } from '../dom.js';
import { kindFor, seriesOf, shows } from '../series.js';
import { tabSeparated } from '../tabular.js';
import { isLive } from '../words.js';
import { barChart } from './bars.js';
import { copyButton } from './copy.js';
import { figures } from './figures.js';
import { legend } from './legend.js';
import { seriesTable } from './table.js';

/** The kinds of picture; another kind is another line here. The chart library is fetched when it is first needed. */
const PICTURES = {
  line: async (options) => (await import('./chart.js')).lineChart(options),
  bars: async (options) => barChart(options),
};

const MANY = 400; // drawing a table so long for each measurement would keep the browser busy with nothing else
const SLOWLY_MS = 500;

/** {element, rest, update(measurements, run)}: `rest` are the tables beside the pictures. `experiment` is what the API
 * says of it. */
export function results({ experiment, signal }) {
  const views = (experiment.views ?? []).filter(({ kind }) => kind in PICTURES);
  const element = h('div', { class: 'results' });
  const choice = h('div', { class: 'segments', role: 'group', 'aria-label': 'What to show' });
  const formula = h('p', { class: 'formula' });
  const picture = h('div', { class: 'picture' });
  const values = h('div', { class: 'values' });
  const body = h('div', { class: 'result-body' }, picture, values);
  const panel = h(
    'section',
    { class: 'panel result-panel', 'aria-label': 'Result' },
    h('div', { class: 'result-head' }, choice, copyButton('Copy table', copied)),
    formula,
    body,
  );
  const rest = figures({ experiment });
  const state = { chosen: null, view: null, hidden: new Set(), measurements: [], drawn: null };
  const draw = oncePerFrame(drawNow, signal);
  let later = null;

  const has = (view) => state.measurements.some((measurement) => !measurement.skipped && shows(view, measurement));

  function choose(view) {
    Object.assign(state, { chosen: view, hidden: new Set() });
    draw();
  }

  function toggle(key) {
    if (!state.hidden.delete(key)) state.hidden.add(key);
    draw();
  }

  function drawNow() {
    if (!state.measurements.length) return replace(element, waiting(state.live));
    state.view = state.chosen && has(state.chosen) ? state.chosen : (views.find(has) ?? null);
    rest.update(state.measurements);
    if (!state.view) return replace(element);
    if (panel.parentNode !== element || element.children.length !== 1) replace(element, panel);
    drawSwitch();
    return drawView(state.view);
  }

  function drawSwitch() {
    const usable = views.filter(has);
    const next = usable.map((view) => view.name).join();
    if (choice.dataset.views !== next) {
      choice.dataset.views = next;
      replace(
        choice,
        usable.map((view) =>
          h('button', { type: 'button', dataset: { view: view.name }, on: { click: () => choose(view) } }, view.title),
        ),
      );
    }
    for (const button of choice.children)
      button.setAttribute('aria-pressed', String(button.dataset.view === state.view.name));
  }

  function drawView(view) {
    const axis = experiment.axes?.find(({ name }) => name === view.x) ?? {
      name: view.x ?? '',
      title: view.x ?? '',
      unit: null,
    };
    const metric = experiment.metrics?.find(({ name }) => name === view.metric) ?? {
      title: view.metric ?? '',
      unit: null,
    };
    const grouped = seriesOf(view, state.measurements, experiment.axes, state.swept);
    formula.textContent = metric.formula ? `${metric.title}: ${metric.formula}` : '';
    drawTable({ view, axis, metric, series: grouped.series.filter(({ key }) => !state.hidden.has(key)) });
    return drawPicture({ view, axis, metric, grouped, kind: kindFor(view, grouped.series) });
  }

  function drawTable({ view, axis, metric, series }) {
    const { scrollTop = 0, scrollLeft = 0 } = values.firstElementChild ?? {};
    const focused = values.contains(document.activeElement);
    replace(values, seriesTable({ series, axis, metric, caption: `${view.title}: exact values` }));
    Object.assign(values.firstElementChild, { scrollTop, scrollLeft });
    if (focused) values.firstElementChild.focus({ preventScroll: true });
  }

  /** Makes a new picture when the view or its kind changed, else brings the present one up to date. */
  async function drawPicture({ view, axis, metric, grouped, kind }) {
    const what = `${view.name} ${kind}`;
    body.classList.toggle('stacked', kind !== 'line');
    if (state.drawn?.what !== what) {
      state.drawn?.picture?.close();
      const mine = { what, picture: null };
      state.drawn = mine;
      const words = legend({ axis, metric, toggle });
      const made = await PICTURES[kind]({ view, axis, metric, signal, point: words.point });
      if (state.drawn !== mine || signal.aborted) return made.close();
      Object.assign(mine, { picture: made, words });
      replace(picture, made.element, words.element);
      return draw();
    }
    if (!state.drawn.picture) return undefined; // still being fetched; it draws itself
    state.drawn.words.update(grouped, state.hidden, kind);
    return state.drawn.picture.update(grouped.series, state.hidden);
  }

  function copied() {
    return tabSeparated(
      state.measurements.filter((measurement) => shows(state.view, measurement)),
      experiment.axes,
    );
  }

  signal.addEventListener('abort', () => clearTimeout(later));
  return {
    element,
    rest: rest.element,
    update(measurements, { status, parameters }) {
      const live = isLive(status);
      Object.assign(state, { measurements, live, swept: live ? parameters : {} });
      if (!live || measurements.length < MANY) return draw();
      later ??= setTimeout(() => {
        later = null;
        draw();
      }, SLOWLY_MS);
      return undefined;
    },
  };
}

function waiting(live) {
  return h(
    'section',
    { class: 'panel empty' },
    live
      ? [h('h2', {}, 'Waiting for the first measurement'), h('p', {}, 'Curves appear here as points are measured.')]
      : [h('h2', {}, 'No measurements'), h('p', {}, 'This run ended before its first point was measured.')],
  );
}
