// The results of a run: a switch between the experiment's views, the chart with its legend, and the table of exact
// values, which is an element of its own. Updated while measurements arrive.

import { choicesInMemory } from '../choices.js';
import { h, replace, replaceKeepingScroll } from '../dom.js';
import { idealOf } from '../results/ideal.js';
import { inStepOrder, orderOf } from '../results/stepgroups.js';
import { matricesOf, matricesTsv, rowAxisOf } from '../results/matrix.js';
import { predictionOf, withPredictions } from '../results/predictions.js';
import { joinMetric, scatterTsv } from '../results/scatter.js';
import { hiddenKeys, hiddenText } from '../results/hidden.js';
import { filterSeries } from '../results/seriesfilter.js';
import { throttled } from '../throttle.js';
import { rooflineTsv } from '../results/roofline.js';
import { chartKind, seriesOf, shows } from '../results/series.js';
import { ofSize, showsOneSize, sizeTitle, sizesOf } from '../results/sizes.js';
import { measurementsTsv } from '../text/tsv.js';
import { isLive } from '../text/displaynames.js';
import { barChart } from './barchart.js';
import { copyButton } from '../parts/copybutton.js';
import { tablePanels } from './tablepanels.js';
import { stepBars } from './stepbars.js';
import { legend } from './legend.js';
import { lineChart } from './linechart.js';
import { heatTables } from './heat.js';
import { matrixTables } from './matrix.js';
import { seriesFilter } from './seriesfilter.js';
import { roofline } from './roofline.js';
import { rooflineTable } from './rooflinetable.js';
import { scatter } from './scatter.js';
import { scatterTable } from './scattertable.js';
import { sizePick } from './sizepick.js';
import { seriesTable } from './table.js';

/** By kind of view, the function that creates its chart; a new kind needs an entry here. */
const CHARTS = {
  line: lineChart,
  bars: async (options) => barChart(options),
  ladder: async (options) => stepBars(options),
  roofline: async (options) => roofline(options),
  matrix: async (options) => matrixTables(options),
  heat: async (options) => heatTables(options),
  scatter: async (options) => scatter(options),
};

/** By kind of view, the axis of the points of a series where it is not the view's `x`. */
const POINT_AXES = { roofline: () => 'step', scatter: ({ y }) => y };

const tableWithoutSwatches = (options) => seriesTable({ ...options, swatches: false });

/** By kind of view, the function that creates its table of exact values; seriesTable creates that of other kinds. */
const TABLES = {
  roofline: rooflineTable,
  matrix: tableWithoutSwatches,
  heat: tableWithoutSwatches,
  scatter: scatterTable,
};

/** Kinds that draw tables of coloured cells (matrix.js) instead of series. */
const OF_CELLS = new Set(['matrix', 'heat']);

/** Returns {element, values, tablePanels, update(measurements, run, backend)}: `element` has the chart, `values` the table
 * of exact values of the view that is shown, `tablePanels` the metrics that no chart shows. `experiment` is the
 * experiment's document of the API, `devices` are the run's devices (rundevices.js). `choices` (choices.js) has what the
 * user chooses: `view`, `size`, `hidden` series, and for each axis that filters series `only-AXIS`. */
export function results({ experiment, devices, signal, choices = choicesInMemory() }) {
  const views = (experiment.views ?? []).filter(({ kind }) => kind in CHARTS);
  const element = h('div', { class: 'results' });
  const viewSwitch = h('div', { class: 'segments', role: 'group', 'aria-label': 'View' });
  const formula = h('p', { class: 'formula' });
  const chartArea = h('div', { class: 'chart-area' });
  const tableArea = h('div', { class: 'values' });
  const size = sizePick(choices, () => draw(true));
  const filter = seriesFilter(choices, experiment.axes ?? [], () => draw(true));
  const panel = h(
    'section',
    { class: 'panel result-panel', 'aria-label': 'Result' },
    h('h2', { class: 'visually-hidden' }, 'Result'),
    h('div', { class: 'result-head' }, viewSwitch, size.element),
    formula,
    filter.element,
    chartArea,
  );
  const valuesTitle = h('h2', {});
  const valuesPanel = h(
    'section',
    { class: 'panel values-panel', 'aria-label': 'Exact values', hidden: true },
    h('div', { class: 'result-head' }, valuesTitle, copyButton('Copy table', tableText)),
    tableArea,
  );
  const below = tablePanels({ experiment });
  // `view` is the view shown, `hidden` the keys of hidden series, `drawn` the current chart {identity, chart}
  const state = { view: null, hidden: new Set(), measurements: [], drawn: null };
  const draw = throttled(drawNow, signal);
  const drawBelow = throttled(() => below.update(state.measurements), signal);

  const hasData = (view) => state.measurements.some((measurement) => !measurement.skipped && shows(view, measurement));

  function selectView({ name }) {
    filter.clear();
    choices.set({ view: name === views[0].name ? '' : name, hidden: '' });
    draw(true);
  }

  function toggle(key) {
    if (!state.hidden.delete(key)) state.hidden.add(key);
    choices.set({ hidden: hiddenText(state.hidden) });
    draw(true);
  }

  function drawNow() {
    state.view = views.find((view) => view.name === choices.get('view') && hasData(view)) ?? views.find(hasData) ?? null;
    valuesPanel.hidden = !state.view;
    if (!state.measurements.length) return replace(element, state.live ? waiting('measurement') : noMeasurements());
    if (!state.view) return replace(element, state.live ? waiting('value for a chart') : null);
    if (panel.parentNode !== element || element.children.length !== 1) replace(element, panel);
    drawViewSwitch();
    return drawView(state.view);
  }

  function drawViewSwitch() {
    const usable = views.filter(hasData);
    const next = usable.map((view) => view.name).join();
    if (viewSwitch.dataset.views !== next) {
      viewSwitch.dataset.views = next;
      replace(
        viewSwitch,
        usable.map((view) =>
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

  /** The measurements that a view draws: those of the selected size in a view of one size; otherwise all of the view,
   * filtered if they are too many series. */
  function measurementsOf(view) {
    const own = state.measurements.filter((measurement) => shows(view, measurement));
    const ofOneSize = showsOneSize(view);
    size.element.hidden = !ofOneSize;
    if (view.kind === 'heat') {
      filter.update([]);
      return own;
    }
    if (!ofOneSize) {
      const { picks, measurements } = filterSeries(own, experiment.axes, view.x, filter.chosenOf(own), state.swept);
      filter.update(picks);
      return measurements;
    }
    filter.update([]);
    const sizes = sizesOf(own, experiment.axes);
    const key = size.update(sizes, sizeTitle(own, experiment.axes), state.complete);
    size.element.hidden ||= view.kind === 'matrix' && sizes.length < 2;
    return inStepOrder(ofSize(own, experiment.axes, key), experiment);
  }

  const axisOf = (name) =>
    experiment.axes?.find((axis) => axis.name === name) ?? { name: name ?? '', title: name ?? '', unit: null };
  const metricOf = (name) =>
    experiment.metrics?.find((metric) => metric.name === name) ?? { title: name ?? '', unit: null };

  function drawView(chosen) {
    const view = { ...chosen, x: POINT_AXES[chosen.kind]?.(chosen) ?? chosen.x };
    const [axis, metric, across] = [axisOf(view.x), metricOf(view.metric), metricOf(chosen.x)];
    if (axis.values) view.order = [...axis.values.keys()];
    else if (showsOneSize(view)) view.order = orderOf(experiment, view.x);
    const shown = measurementsOf(view);
    const grouped = seriesOf(view, shown, experiment.axes, state.swept);
    grouped.series = completeSeries(chosen, grouped.series);
    const order = (name) => orderOf(experiment, name);
    state.matrices = OF_CELLS.has(view.kind) ? matricesOf(view, shown, experiment, devices, order) : null;
    formula.textContent = (chosen.kind === 'scatter' ? [metric, across] : [metric]).map(formulaText).join(' ');
    const { varying } = grouped;
    state.hidden = hiddenKeys(choices.get('hidden'), grouped.series);
    const visible = grouped.series.filter(({ key }) => !state.hidden.has(key));
    state.table = { view, axis, metric, across, varying, series: visible };
    state.skipped = grouped.skipped;
    drawTable(state.table);
    return drawChart({ view, axis, metric, across, grouped, kind: chartKind(view, grouped.series) });
  }

  /** The series with the values of another metric that the view shows at the same points. */
  function completeSeries(view, series) {
    const { kind, metric, x } = view;
    if (kind === 'scatter') return joinMetric(series, state.measurements, x, view);
    const prediction = kind === 'line' ? predictionOf(experiment, metric) : null;
    return prediction ? withPredictions(series, state.measurements, prediction) : series;
  }

  function drawTable({ view, axis, metric, across, series }) {
    const table = TABLES[view.kind] ?? seriesTable;
    const { measurements } = state;
    valuesTitle.textContent = view.title;
    replaceKeepingScroll(
      tableArea,
      table({ series, axis, metric, across, measurements, caption: `${view.title}: exact values` }),
    );
  }

  /** Creates a new chart when the view or the kind of chart changed, otherwise updates the present one. */
  async function drawChart({ view, axis, metric, across, grouped, kind }) {
    const identity = `${view.name} ${kind}`;
    state.grouped = grouped;
    if (state.drawn?.identity !== identity) {
      state.drawn?.chart?.close();
      const drawn = { identity, chart: null };
      state.drawn = drawn;
      const prediction = predictionOf(experiment, view.metric);
      const chartLegend = legend({ axis, metric, ideal: idealOf(view), prediction, toggle });
      const options = { view, axis, metric, across, experiment, devices, signal, point: chartLegend.point };
      const chart = await CHARTS[kind](options);
      if (state.drawn !== drawn || signal.aborted) return chart.close();
      Object.assign(drawn, { chart, chartLegend });
      replace(chartArea, chart.element, chartLegend.element);
    }
    if (!state.drawn.chart) return undefined; // still loading; it is drawn when loaded
    // The state may have changed while the chart was loading.
    const shown = state.grouped;
    state.drawn.chartLegend.update(
      state.matrices ? { ...shown, ...state.matrices, series: [], coloured: null } : shown,
      state.hidden,
      kind,
    );
    return state.drawn.chart.update(shown.series, state.hidden, state);
  }

  /** The table as text for the clipboard: exact numbers, including skipped points. */
  function tableText() {
    const { matrices, measurements, skipped } = state;
    const { view, axis, metric, across, varying, series } = state.table;
    if (matrices) return matricesTsv(matrices, metric, fullName, [rowAxisOf(view), view.x].map(axisOf));
    if (view.kind === 'scatter') return scatterTsv(series, varying, axis, [across, metric]);
    if (view.kind === 'roofline') return rooflineTsv({ series, measurements, axes: experiment.axes, metric });
    const shown = series.flatMap(({ points }) => points.map(({ measurement }) => measurement));
    return measurementsTsv([...shown, ...skipped], experiment.axes);
  }

  /** Short name and name of a device, for the table as text. */
  function fullName(id) {
    const { short = id, name } = devices.find((device) => device.id === id) ?? {};
    return [short, name].filter(Boolean).join(' ');
  }

  return {
    element,
    values: valuesPanel,
    tablePanels: below.element,
    /** `backend` is the runtime that measured, null if unknown. */
    update(measurements, { status, parameters }, backend = null) {
      const live = isLive(status);
      const complete = status === 'succeeded';
      Object.assign(state, { measurements, live, complete, backend, swept: complete ? {} : parameters });
      draw(!live);
      drawBelow(!live);
    },
  };
}

const formulaText = ({ title, formula: text }) => (text ? `${title}: ${text}.` : '');

/** Shown while a live run has nothing to draw; `what` names what is missing. */
const waiting = (what) =>
  h(
    'section',
    { class: 'panel empty' },
    h('h2', {}, `Waiting for the first ${what}`),
    h('p', {}, 'Charts appear here while points are measured.'),
  );

const noMeasurements = () =>
  h(
    'section',
    { class: 'panel empty' },
    h('h2', {}, 'No measurements'),
    h('p', {}, 'This run ended before the first point was measured.'),
  );
