// What a run found, drawn: a switch between the experiment's views, the picture with its legend, and the table of
// exact values beside it. Grows while measurements arrive.

import { h, replace, replaceKept } from '../dom.js';
import { idealOf } from '../ideal.js';
import { inOrder, orderOf } from '../stepgroups.js';
import { matricesOf, ROWS, tabbedMatrices } from '../matrix.js';
import { narrow } from '../seriesfilter.js';
import { unhurried } from '../throttle.js';
import { tabbedRoofline } from '../roofline.js';
import { kindFor, seriesOf, shows } from '../series.js';
import { atSize, isOfOneSize, sizeNames, sizesOf } from '../sizes.js';
import { tabSeparated } from '../tsv.js';
import { isLive } from '../displaynames.js';
import { barChart } from './barchart.js';
import { copyButton } from './copybutton.js';
import { figures } from './tablepanels.js';
import { ladder } from './stepbars.js';
import { legend } from './legend.js';
import { matrixTables } from './matrix.js';
import { narrowPick } from './seriesfilter.js';
import { roofline } from './roofline.js';
import { rooflineTable } from './rooflinetable.js';
import { sizePick } from './sizepick.js';
import { seriesTable } from './table.js';

/** The kinds of picture; another kind is another line here. The chart library is fetched when it is first needed. */
const PICTURES = {
  line: async (options) => (await import('./linechart.js')).lineChart(options),
  bars: async (options) => barChart(options),
  ladder: async (options) => ladder(options),
  roofline: async (options) => roofline(options),
  matrix: async (options) => matrixTables(options),
};

/** Kinds whose points are told apart by an axis that is not the view's. */
const POINTS_BY = { roofline: 'step' };

/** The table of exact values beside a kind of picture, where it is not the usual one. */
const TABLES = { roofline: rooflineTable, matrix: (options) => seriesTable({ ...options, swatches: false }) };

/** Kinds that have a table at their side where the page is wide. */
const BESIDE = new Set(['line', 'roofline']);

/** {element, rest, update(measurements, run, backend)}: `rest` are the tables beside the pictures. `experiment` is what
 * the API says of it, `devices` are those of the run (rundevices.js). */
export function results({ experiment, devices, signal }) {
  const views = (experiment.views ?? []).filter(({ kind }) => kind in PICTURES);
  const element = h('div', { class: 'results' });
  const choice = h('div', { class: 'segments', role: 'group', 'aria-label': 'What to show' });
  const formula = h('p', { class: 'formula' });
  const picture = h('div', { class: 'picture' });
  const values = h('div', { class: 'values' });
  const body = h('div', { class: 'result-body' }, picture, values);
  const size = sizePick(() => draw(true));
  const few = narrowPick(() => draw(true));
  const panel = h(
    'section',
    { class: 'panel result-panel', 'aria-label': 'Result' },
    h('h2', { class: 'unseen' }, 'Result'),
    h('div', { class: 'result-head' }, choice, size.element, copyButton('Copy table', copied)),
    formula,
    few.element,
    body,
  );
  const rest = figures({ experiment });
  const state = { chosen: null, view: null, hidden: new Set(), measurements: [], drawn: null };
  const draw = unhurried(drawNow, signal);
  const drawRest = unhurried(() => rest.update(state.measurements), signal);

  const has = (view) => state.measurements.some((measurement) => !measurement.skipped && shows(view, measurement));

  function choose(view) {
    Object.assign(state, { chosen: view, hidden: new Set() });
    few.clear();
    draw(true);
  }

  function toggle(key) {
    if (!state.hidden.delete(key)) state.hidden.add(key);
    draw(true);
  }

  function drawNow() {
    if (!state.measurements.length) return replace(element, state.live ? waiting('measurement') : none());
    state.view = state.chosen && has(state.chosen) ? state.chosen : (views.find(has) ?? null);
    if (!state.view) return replace(element, state.live ? waiting('point of the pictures') : null);
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

  /** The measurements that a view draws: of the size that is chosen, or all of its own unless they are too many. */
  function measurementsOf(view) {
    const own = state.measurements.filter((measurement) => shows(view, measurement));
    const ofOneSize = isOfOneSize(view);
    size.element.hidden = !ofOneSize;
    if (!ofOneSize) {
      const { picks, measurements } = narrow(own, experiment.axes, view.x, few.chosen, state.swept);
      few.update(picks);
      return measurements;
    }
    few.update([]);
    const sizes = sizesOf(own, experiment.axes);
    const key = size.update(sizes, sizeNames(own, experiment.axes), state.complete);
    size.element.hidden ||= view.kind === 'matrix' && sizes.length < 2;
    return inOrder(atSize(own, experiment.axes, key), experiment);
  }

  const axisOf = (name) =>
    experiment.axes?.find((axis) => axis.name === name) ?? { name: name ?? '', title: name ?? '', unit: null };
  const metricOf = (name) =>
    experiment.metrics?.find((metric) => metric.name === name) ?? { title: name ?? '', unit: null };

  function drawView(chosen) {
    const view = { ...chosen, x: POINTS_BY[chosen.kind] ?? chosen.x };
    const [axis, metric] = [axisOf(view.x), metricOf(view.metric)];
    if (axis.values) view.order = [...axis.values.keys()];
    else if (isOfOneSize(view)) view.order = orderOf(experiment, view.x);
    const shown = measurementsOf(view);
    const grouped = seriesOf(view, shown, experiment.axes, state.swept);
    state.matrices = view.kind === 'matrix' ? matricesOf(view, shown, experiment, devices) : null;
    formula.textContent = metric.formula ? `${metric.title}: ${metric.formula}` : '';
    state.table = { view, axis, metric, series: grouped.series.filter(({ key }) => !state.hidden.has(key)) };
    state.skipped = grouped.skipped;
    drawTable(state.table);
    return drawPicture({ view, axis, metric, grouped, kind: kindFor(view, grouped.series) });
  }

  function drawTable({ view, axis, metric, series }) {
    const table = TABLES[view.kind] ?? seriesTable;
    const { measurements } = state;
    replaceKept(values, table({ series, axis, metric, measurements, caption: `${view.title}: exact values` }));
  }

  /** Makes a new picture when the view or its kind changed, else brings the present one up to date. */
  async function drawPicture({ view, axis, metric, grouped, kind }) {
    const what = `${view.name} ${kind}`;
    state.grouped = grouped;
    body.classList.toggle('stacked', !BESIDE.has(kind));
    if (state.drawn?.what !== what) {
      state.drawn?.picture?.close();
      const mine = { what, picture: null };
      state.drawn = mine;
      const words = legend({ axis, metric, ideal: idealOf(view), toggle });
      const made = await PICTURES[kind]({ view, axis, metric, experiment, devices, signal, point: words.point });
      if (state.drawn !== mine || signal.aborted) return made.close();
      Object.assign(mine, { picture: made, words });
      replace(picture, made.element, words.element);
    }
    if (!state.drawn.picture) return undefined; // still being fetched; it draws itself
    // What there is to draw may have changed meanwhile.
    const shown = state.grouped;
    state.drawn.words.update(
      state.matrices ? { ...shown, ...state.matrices, series: [], coloured: null } : shown,
      state.hidden,
      kind,
    );
    return state.drawn.picture.update(shown.series, state.hidden, state);
  }

  /** What the table shows, in full numbers, and which of its points were skipped. */
  function copied() {
    const { matrices, measurements, skipped } = state;
    const { view, metric, series } = state.table;
    if (matrices) return tabbedMatrices(matrices, metric, fullName, [ROWS, view.x].map(axisOf));
    if (view.kind === 'roofline') return tabbedRoofline({ series, measurements, axes: experiment.axes, metric });
    const shown = series.flatMap(({ points }) => points.map(({ measurement }) => measurement));
    return tabSeparated([...shown, ...skipped], experiment.axes);
  }

  function fullName(id) {
    const { short = id, name } = devices.find((device) => device.id === id) ?? {};
    return [short, name].filter(Boolean).join(' ');
  }

  return {
    element,
    rest: rest.element,
    /** `backend` is the runtime that measured, null where it is not known. */
    update(measurements, { status, parameters }, backend = null) {
      const live = isLive(status);
      const complete = status === 'succeeded';
      Object.assign(state, { measurements, live, complete, backend, swept: complete ? {} : parameters });
      draw(!live);
      drawRest(!live);
    },
  };
}

const waiting = (what) =>
  h(
    'section',
    { class: 'panel empty' },
    h('h2', {}, `Waiting for the first ${what}`),
    h('p', {}, 'Curves appear here as points are measured.'),
  );

const none = () =>
  h(
    'section',
    { class: 'panel empty' },
    h('h2', {}, 'No measurements'),
    h('p', {}, 'This run ended before its first point was measured.'),
  );
