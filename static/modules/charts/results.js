// The results of a run: a switch between the experiment's views, the chart with its tools and legend, and the table of
// exact values, which is an element of its own. Updated while measurements arrive.

import { choicesInMemory } from '../choices.js';
import { h, replace, replaceKeepingScroll } from '../dom.js';
import * as lab from '../lab/lab.js';
import { later } from '../later.js';
import { cautionsOf, hasCautions } from '../results/cautions.js';
import { hiddenKeys, hiddenText } from '../results/hidden.js';
import { idealOf } from '../results/ideal.js';
import { ofDevices, peakLevels, referencesOf } from '../results/levels.js';
import { plainViews } from '../results/plainviews.js';
import { predictionOf } from '../results/predictions.js';
import { referencesOfRun } from '../results/published.js';
import { intensitiesOf } from '../results/roofline.js';
import { isShownIn } from '../results/series.js';
import { fittingViews, withSeveralValues } from '../results/shapes.js';
import { slopeSentence } from '../results/slope.js';
import { reportsShares } from '../results/stepgroups.js';
import { viewData } from '../results/viewdata.js';
import { painted, throttled } from '../throttle.js';
import { isLive } from '../text/displaynames.js';
import { copyButton } from '../parts/copybutton.js';
import { pathInLab } from '../place.js';
import { barChart } from './bars/barchart.js';
import { heatTables } from './cells/heat.js';
import { legend } from './legend.js';
import { lineChart } from './lines/linechart.js';
import { matrixTables } from './cells/matrix.js';
import { pointReading, readout } from './readout.js';
import { roofline } from './points/roofline.js';
import { scatter } from './points/scatter.js';
import { chooseSamples } from './samples/choosing.js';
import { seriesFilter } from './seriesfilter.js';
import { sizePick } from './sizepick.js';
import { stepBars } from './steps/stepbars.js';
import { exportButtons } from './export/buttons.js';
import { runLines } from './export/run.js';
import { chartTools } from './tools.js';

/** By kind of view, the function that creates its chart; a new kind needs an entry here. */
const CHARTS = {
  line: lineChart,
  bars: barChart,
  ladder: stepBars,
  roofline,
  matrix: matrixTables,
  heat: heatTables,
  scatter,
};

const MANY = 2000; // measurements

/** By kind of chart whose points have to be pointed at, how to read their values. */
const HINTS = {
  line: 'Point at the chart, or focus it and use the arrow keys, to read values. Drag to zoom.',
  scatter: 'Point at a mark, or use the arrow keys, to read its values.',
  roofline: 'Point at a mark, or use the arrow keys, to read its values.',
};

/** How to see the samples of a point, in a chart that has such a hint and in others. */
const SAMPLES_HINTS = { pointed: 'Click, or press Enter, to see the samples of a point.', written: 'Press a value to see its samples.' };

const chartText = later('chartText');
const valuesTable = later('valuesTable');

/** Returns {element, values, update(measurements, run, backend)}: `element` has the chart, `values` the table of exact
 * values of the view that is shown. `experiment` is the experiment's document of the API, `devices` are the run's
 * devices (rundevices.js). `choices` (choices.js) has what the user chooses: `view`, `size`, `hidden` series, for each
 * axis that filters series `only-AXIS`, and those of tools.js. Without `tools` it shows what is chosen, and nothing can
 * be chosen but hidden series. */
export function results({ experiment, devices, signal, choices = choicesInMemory(), showSamples = null, tools: withTools = true }) {
  const views = (experiment.views ?? []).filter(({ kind }) => kind in CHARTS);
  const element = h('div', { class: 'stack spaced' });
  const viewSwitch = h('div', { class: 'segments', role: 'group', 'aria-label': 'View' });
  const heading = h('h2', { class: 'visually-hidden' }, 'Result');
  const formula = h('p', { class: 'formula' });
  const chartArea = h('div', { class: 'chart-area' });
  const tableArea = h('div', { class: 'values' });
  const drawSoon = () => draw(true);
  const size = sizePick(choices, drawSoon);
  const filter = seriesFilter(choices, experiment.axes ?? [], drawSoon);
  const tools = chartTools(choices, drawSoon);
  const reading = readout();
  const panel = h(
    'section',
    { class: 'panel result-panel', 'aria-label': 'Result' },
    h(
      'div',
      { class: 'result-head row spread' },
      h('div', { class: 'result-views' }, heading, viewSwitch),
      withTools && h('div', { class: 'result-tools row loose' }, size.element, tools.element, exportButtons(picture, { data: tableText, page: pageToEmbed, signal })),
    ),
    withTools && [filter.element, reading.element],
    chartArea,
    formula,
  );
  const valuesTitle = h('h2', {});
  const valuesPanel = h(
    'section',
    { class: 'panel values-panel', 'aria-label': 'Exact values', hidden: true },
    h('div', { class: 'result-head row spread' }, valuesTitle, copyButton('Copy table', tableText)),
    tableArea,
  );
  // `usable` are the views that have measurements, `view` is the one shown, `data` what it shows (viewdata.js),
  // `version` counts the updates, `read` is the measurement at the pointer or the focus, `cautioned` are the
  // measurements with cautions, `references` those of the run's devices, `drawn` is the current chart {identity, chart,
  // legend}
  const state = {
    view: null,
    usable: [],
    data: null,
    version: 0,
    measurements: [],
    cautioned: new Set(),
    references: [],
    drawn: null,
  };
  const draw = throttled(drawNow, signal);
  if (showSamples) chooseSamples({ element: chartArea, read: () => state.read, show: showSamples, isZoomed: () => tools.window() !== null, signal });

  /** Shows a reading, and remembers its measurement. */
  function read(found, spoken) {
    state.read = found?.measurement ?? null;
    reading.show(found, spoken);
  }

  const cautions = (measurement) => (state.cautioned.has(measurement) ? cautionsOf(measurement, state.run) : []);

  /** The page with this chart alone (views/run/embed.js) and, on the page of the run, all that is chosen there. */
  function pageToEmbed() {
    const path = `/runs/${state.run.id}`;
    const chosen = new URLSearchParams(pathInLab() === path ? location.search : '');
    chosen.set('view', state.view.name);
    for (const name of ['tab', 'values', 'samples']) chosen.delete(name);
    return `${path}/embed?${chosen}`;
  }

  function selectView({ name }) {
    filter.clear();
    choices.set({ view: name === state.usable[0].name ? '' : name, hidden: '', x: '', y: '', zoom: '', colour: '' });
    draw(true);
  }

  function toggle(keys, shown) {
    const hidden = hiddenKeys(choices.get('hidden'), state.data.grouped.series);
    for (const key of keys) shown ? hidden.delete(key) : hidden.add(key);
    choices.set({ hidden: hiddenText(hidden) });
    draw(true);
  }

  function drawNow() {
    state.view = state.usable.find(({ name }) => name === choices.get('view')) ?? state.usable[0] ?? null;
    valuesPanel.hidden = !state.view;
    if (!state.measurements.length) return replace(element, state.live ? waiting('measurement') : noMeasurements());
    if (!state.view) return replace(element, state.live ? waiting('value for a chart') : allSkipped());
    if (panel.parentNode !== element || element.children.length !== 1) replace(element, panel);
    drawViewSwitch();
    const known = state.data;
    state.data = dataOf(state.view);
    // A long task would block the page, so many measurements are prepared in one and drawn in the next.
    if (state.data === known || state.measurements.length < MANY) return drawData();
    return setTimeout(() => signal.aborted || drawData());
  }

  function drawData() {
    drawTable();
    drawChart();
  }

  /** The switch between the views; of an only one, its title. */
  function drawViewSwitch() {
    const single = state.usable.length === 1;
    viewSwitch.hidden = single;
    heading.classList.toggle('visually-hidden', !single);
    heading.textContent = single ? state.view.title : 'Result';
    const next = state.usable.map((view) => view.name).join();
    if (viewSwitch.dataset.views !== next) {
      viewSwitch.dataset.views = next;
      replace(
        viewSwitch,
        state.usable.map((view) =>
          h(
            'button',
            { type: 'button', dataset: { view: view.name }, on: { click: () => selectView(view) } },
            view.title,
          ),
        ),
      );
    }
    for (const button of viewSwitch.children)
      button.setAttribute('aria-pressed', String(button.dataset.view === state.view.name));
  }

  /** What a view shows. It is computed anew only if measurements or choices that decide it have changed: hiding a
   * series or zooming does not. */
  function dataOf(view) {
    const picks = (experiment.axes ?? []).map(({ name }) => choices.get(`only-${name}`));
    const scales = ['x', 'y', 'colour', 'size'].map(choices.get);
    const identity = JSON.stringify([state.version, view.name, ...picks, ...scales]);
    if (state.data?.identity === identity) return state.data;
    const parts = { experiment, devices, size, filter, colour: choices.get('colour') };
    return { identity, ...viewData(tools.chosenView(view), state, parts) };
  }

  /** The series of the view that are not hidden. */
  function visibleSeries() {
    const { series } = state.data.grouped;
    const hidden = hiddenKeys(choices.get('hidden'), series);
    return { hidden, visible: series.filter(({ key }) => !hidden.has(key)) };
  }

  /** Draws the table if it is in the document: a page may show it only when the user opens it. */
  async function drawTable() {
    if (!valuesPanel.isConnected || !state.data) return;
    const { view, axis, metric, across, beside } = state.data;
    const { visible } = visibleSeries();
    const identity = JSON.stringify([state.data.identity, visible.map(({ key }) => key)]);
    if (state.table === identity) return;
    state.table = identity;
    valuesTitle.textContent = view.title;
    const { measurements } = state;
    const caption = `${view.title}: exact values`;
    const options = { series: visible, axis, metric, across, beside, predicted: view.predicted, measurements, devices, caption, cautions, showSamples };
    const made = await valuesTable(view.kind, options).catch(({ message }) => h('p', { class: 'field-error' }, message));
    if (state.table === identity && !signal.aborted) replaceKeepingScroll(tableArea, made);
  }

  /** The references that the view shows (levels.js), computed once for its data. */
  function shownReferences() {
    const { data, references } = state;
    if (data.references?.of !== references)
      data.references = { of: references, ...referencesOf(references, data.grouped.series, data.view, data.metric) };
    return data.references;
  }

  /** Creates a new chart when the view or the kind of chart changed, otherwise updates the present one. */
  function drawChart() {
    const { view, axis, metric, grouped, kind, formulas, matrices, positive } = state.data;
    const identity = `${view.name} ${kind}`;
    if (state.drawn?.identity !== identity) {
      state.drawn?.chart.close();
      state.read = null;
      state.drawn = { identity, ...createChart() };
      const samplesHint = showSamples && SAMPLES_HINTS[HINTS[kind] ? 'pointed' : 'written'];
      reading.setHint([HINTS[kind], samplesHint].filter(Boolean).join(' '), kind in HINTS);
      replace(chartArea, state.drawn.chart.element, state.drawn.legend.element);
    }
    formula.textContent = formulas;
    tools.update({ view: state.view, kind, varying: grouped.varying, coloured: grouped.coloured, positive });
    const { hidden, visible } = visibleSeries();
    const references = shownReferences();
    state.data.cautioned ??= grouped.series.some(({ points }) => points.some(({ measurement }) => state.cautioned.has(measurement)));
    const shown = matrices ? { ...grouped, ...matrices, series: [], coloured: null } : grouped;
    state.drawn.legend.update({ ...shown, reference: references.marks[0]?.system, cautioned: state.data.cautioned, intensities: kind === 'roofline' ? intensitiesOf(state.measurements) : undefined }, hidden, kind);
    state.drawn.chart.update(grouped.series, hidden, {
      ...state,
      view,
      grouped,
      matrices,
      axis,
      window: tools.window(),
      levels: [...peakLevels(visible, metric, devices), ...references.levels],
      references: references.marks.filter(({ one }) => !hidden.has(one.key)),
      cautions,
    });
  }

  function createChart() {
    const { view, axis, metric, across, beside } = state.data;
    const prediction = predictionOf(experiment, view.metric);
    const emphasise = (key) => state.drawn.chart.emphasise?.(key);
    const chartLegend = legend({ axis, metric, ideal: idealOf(view), slope: slopeSentence(view, axis, metric), prediction, ownScales: view.own_scales, alternated: reportsShares(state.measurements), toggle, emphasise });
    /** `found` is {one: series, point} or null. */
    function select(found, spoken) {
      chartLegend.point(found ? found.point.x : null);
      read(found && pointReading(found.one, found.point, { axis, metric, cautionsOf: cautions }), spoken);
    }
    const options = { view, axis, metric, across, beside, experiment, devices, signal, choices, showSamples };
    const actions = { select, read, setWindow: withTools ? tools.setWindow : () => {} };
    const chart = CHARTS[state.data.kind]({ ...options, ...actions });
    return { chart, legend: chartLegend };
  }

  /** The table as text for the clipboard: exact numbers, including skipped points. */
  function tableText() {
    return chartText({ data: state.data, measurements: state.measurements, visible: visibleSeries().visible, experiment, devices });
  }

  /** The chart as a picture (buttons.js). */
  function picture() {
    return {
      root: chartArea,
      title: `${experiment.title}: ${state.view.title}`,
      lines: [formula.textContent, ...runLines(state.run, devices)].filter(Boolean),
      name: `${experiment.name}-${state.view.name}-${state.run.id}`,
    };
  }

  /** Fetches the reference results after the first drawing, and draws those of the run's devices. */
  async function loadReferences() {
    await painted();
    const references = await lab.references(experiment.name).catch(() => []);
    state.references = ofDevices(referencesOfRun(references, state.run?.parameters ?? {}), devices);
    if (!signal.aborted && state.references.length) draw(true);
  }
  loadReferences();

  const inserted = new ResizeObserver(drawTable);
  inserted.observe(valuesPanel);
  signal.addEventListener('abort', () => inserted.disconnect());

  return {
    element,
    values: valuesPanel,
    /** `backend` is the runtime that measured, null if unknown. Nothing is drawn if all is as before. */
    update(measurements, run, backend = null) {
      if (state.measurements === measurements && state.run === run && state.backend === backend) return;
      const live = isLive(run.status);
      const complete = run.status === 'succeeded';
      const swept = complete ? {} : run.parameters;
      const measured = measurements.filter(({ skipped }) => !skipped);
      const fitting = fittingViews(views, measured).filter((view) => measured.some(isShownIn(view)));
      const telling = live ? fitting : withSeveralValues(fitting, measured);
      const usable = telling.length || live ? telling : plainViews(measured, experiment);
      const cautioned = new Set(measured.filter((one) => hasCautions(one, run)));
      Object.assign(state, { measurements, usable, cautioned, run, live, complete, backend, swept, version: state.version + 1 });
      draw(!live);
    },
  };
}

/** Shown while a live run has nothing to draw; `what` names what is missing. */
const waiting = (what) =>
  h(
    'section',
    { class: 'panel empty' },
    h('h2', {}, `Waiting for the first ${what}`),
    h('p', {}, 'Charts appear here while points are measured.'),
  );

const allSkipped = () =>
  h(
    'section',
    { class: 'panel empty' },
    h('h2', {}, 'All points were skipped'),
    h('p', {}, 'There is no value to draw. The tab Table has the reasons.'),
  );

const noMeasurements = () =>
  h(
    'section',
    { class: 'panel empty' },
    h('h2', {}, 'No measurements'),
    h('p', {}, 'This run ended before the first point was measured.'),
  );
