// The curves of both runs in one chart, base dashed and head solid, and below it their ratios with intervals.

import { curves } from '../../charts/curves.js';
import { chooseSamples } from '../../charts/samples/choosing.js';
import { swatch } from '../../charts/seriesstyle.js';
import { h, replace } from '../../dom.js';
import { axisUnit } from '../../results/axisunit.js';
import { curvesOf, curveViews, decided, ratioRange, ratioText } from '../../results/comparison.js';
import { rangeOf } from '../../results/scatter.js';
import { axisValueText, titledValue } from '../../text/displaynames.js';
import { quantity, tickText } from '../../text/format.js';
import { shownUnit, withShownUnit } from '../../text/units.js';

const HEIGHTS = { values: 400, ratios: 260 };
const SHOWN_MAX = 8; // curves shown at first: as many as there are colours
const SIZE_SPACING = 68; // px between ticks with units

/** Returns the element; null if the points form no curve. `comparison` is the answer of GET /compare, `effect` the
 * minimum effect; `choices` (choices.js) keep the view. showSamples(point) shows the samples of a point of it. */
export function curvesPanel({ comparison, experiment, effect, choices, showSamples, signal }) {
  const views = curveViews(experiment.views ?? [], comparison.points);
  if (!views.length) return null;
  const deciding = new Set(decided(comparison.points).map(({ metric }) => metric));
  const first = views.find(({ metric }) => deciding.has(metric)) ?? views[0];
  // `read` is the point at the pointer
  const state = { view: views.find(({ name }) => name === choices.get('view')) ?? first, curves: [], hidden: new Set(), read: null };
  const readout = h('p', { class: 'aside' });
  const items = h('ul', { class: 'curves-legend' });
  const hover = (x, found) => {
    state.read = found?.point ?? null;
    values.point(x);
    ratios.point(x);
    drawValues(x);
  };
  const values = curves({ height: HEIGHTS.values, hover, signal });
  const ratios = curves({ height: HEIGHTS.ratios, hover, signal });
  for (const { element } of [values, ratios]) chooseSamples({ element, read: () => state.read, show: showSamples, isZoomed: () => false, signal });
  const viewSwitch = h(
    'div',
    { class: 'segments', role: 'group', 'aria-label': 'View' },
    views.map((view) =>
      h('button', { type: 'button', dataset: { view: view.name }, on: { click: () => select(view) } }, view.title),
    ),
  );

  function select(view) {
    choices.set({ view: view === first ? '' : view.name });
    state.view = view;
    drawView();
  }

  function toggle(key) {
    if (!state.hidden.delete(key)) state.hidden.add(key);
    draw();
  }

  function drawView() {
    for (const button of viewSwitch.children)
      button.setAttribute('aria-pressed', String(button.dataset.view === state.view.name));
    Object.assign(state, curvesOf(state.view, comparison.points, experiment.axes));
    state.hidden = new Set(state.curves.slice(SHOWN_MAX).map(({ key }) => key));
    draw();
  }

  function draw() {
    const shown = state.curves.filter(({ key }) => !state.hidden.has(key));
    const x = dimensionX(state.view, experiment, state.curves);
    values.update(valuesDrawing(state.view, metricOf(experiment, state.view), shown, x));
    ratios.update(ratiosDrawing(shown, x, effect));
    drawLegend();
    drawValues(null);
  }

  function drawLegend() {
    const focused = [...items.querySelectorAll('button')].indexOf(document.activeElement);
    replace(items, state.curves.map((curve) => h('li', {}, legendButton(curve))));
    if (focused >= 0) items.querySelectorAll('button')[focused]?.focus();
  }

  const legendButton = (curve) =>
    h(
      'button',
      {
        type: 'button',
        class: 'legend-item',
        'aria-pressed': String(!state.hidden.has(curve.key)),
        on: { click: () => toggle(curve.key) },
      },
      swatch({ ...curve, dash: 0 }),
      h('span', { class: 'legend-label' }, curve.label),
      h('span', { class: 'legend-value', 'aria-hidden': 'true', dataset: { key: curve.key } }),
    );

  /** Shows the values at an x beside the names of the curves; with null how to read the chart. */
  function drawValues(x) {
    const same = state.constant.map(({ axis, value }) => titledValue(axis, value)).join(', ');
    readout.textContent =
      x === null
        ? `Dashed: base. Solid: head.${same ? ` Same for all: ${same}.` : ''} Click a point to see its samples.`
        : `At ${axisValueText(axisOf(experiment, state.view), x)}: base → head, ratio`;
    for (const element of items.querySelectorAll('.legend-value')) {
      const curve = state.curves.find(({ key }) => key === element.dataset.key);
      const found = curve.points.find((one) => one.x === x)?.point;
      element.textContent = found ? valueText(found) : '';
    }
  }

  drawView();
  return h(
    'section',
    { class: 'panel comparison-curves stack', 'aria-label': 'Curves of both runs' },
    views.length > 1 ? h('div', { class: 'result-head row spread' }, viewSwitch) : h('h2', {}, first.title),
    readout,
    items,
    values.element,
    h('h2', { class: 'label' }, 'Ratio of head to base, with intervals'),
    ratios.element,
  );
}

function valueText({ metric, base, head, unit, ratio }) {
  const text = ({ median }) => quantity(median, shownUnit(metric, unit));
  return `${text(base)} → ${text(head)}, ${ratioText(ratio)}`;
}

const named = (list, name) => list?.find((one) => one.name === name) ?? { name, title: name, unit: null };
const axisOf = (experiment, { x }) => named(experiment.axes, x);
const metricOf = (experiment, { metric }) => withShownUnit(named(experiment.metrics, metric));

/** The dimension (xyframe.js) of the axis that both charts share. */
function dimensionX(view, experiment, all) {
  const axis = axisOf(experiment, view);
  const xs = all.flatMap(({ points }) => points.map(({ x }) => x));
  const [low, high] = [Math.min(...xs), Math.max(...xs)];
  const log = view.log_x && low > 0;
  const margin = (high - low) * 0.02;
  return {
    range: log ? [low / 1.1, high * 1.1] : [low - margin, high + margin],
    log,
    binary: axis.unit === 'B' || xs.every((x) => Number.isInteger(Math.log2(x))),
    ...axisUnit(axis, xs, log),
    spacing: axis.unit === 'B' ? SIZE_SPACING : 0,
  };
}

/** The chart of the values: two lines for each curve. */
function valuesDrawing(view, metric, shown, x) {
  const line = (curve, side, dash) => ({
    ...curve,
    key: `${side} ${curve.key}`,
    dash,
    intervals: 'band',
    points: curve.points.map(({ x: at, point }) => ({
      x: at,
      y: point[side].median,
      low: point[side].q1,
      high: point[side].q3,
      kind: point[side].verified === false ? 'wrong' : '',
      point,
    })),
  });
  const series = shown.flatMap((curve) => [line(curve, 'base', 1), line(curve, 'head', 0)]);
  const ys = series.flatMap(({ points }) => points.map(({ y }) => y)).filter(Number.isFinite);
  const log = view.log_y && ys.some((value) => value > 0);
  return {
    label: `${view.title} of both runs. The values are in the table.`,
    x,
    y: {
      ...(ys.length ? rangeOf(ys, log) : { range: [0, 1] }),
      log,
      binary: metric.unit === 'B',
      ...axisUnit(metric, ys, log),
    },
    series,
    rules: [],
    zone: null,
  };
}

/** The chart of the ratios; intervals that leave it end at its edge. */
function ratiosDrawing(shown, x, effect) {
  const points = shown.flatMap((curve) => curve.points.map(({ point }) => point));
  const [low, high] = points.length ? ratioRange(points) : [0.9, 1.1];
  const within = (value) => (value === null ? NaN : Math.min(high, Math.max(low, value)));
  return {
    label: 'Ratio of head to base with its interval of 95 %. The values are in the table.',
    x,
    y: { range: [low, high], log: true, title: 'Head / base', write: (value) => `${tickText(value, null)}×` },
    series: shown.map((curve) => ({
      ...curve,
      dash: 0,
      intervals: 'bars',
      points: curve.points.map(({ x: at, point }) => ({
        x: at,
        y: point.ratio ?? NaN,
        low: within(point.low),
        high: within(point.high),
        point,
      })),
    })),
    rules: [{ y: 1, text: '', kind: 'strong' }],
    zone: { low: 1 / (1 + effect), high: 1 + effect },
  };
}
