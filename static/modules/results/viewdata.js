// What a view of an experiment shows of a run: the measurements that belong to it, as series or tables, and the axes
// and metrics that its chart is drawn over.

import { matricesOf } from './matrix.js';
import { predictionOf, withPredictions } from './predictions.js';
import { joinMetric } from './scatter.js';
import { chartKind, distinct, isShownIn, seriesOf } from './series.js';
import { filterSeries } from './seriesfilter.js';
import { ofAllSizes, hasShapes } from './shapes.js';
import { ALL_SIZES, ofSize, showsOneSize, sizeTitle, sizesOf } from './sizes.js';
import { inStepOrder } from './stepgroups.js';
import { valueOrders } from './styles.js';
import { isCost, withShownUnit } from '../text/units.js';
import { orderOf } from '../text/valueorder.js';

/** By kind of view, the axis of the points of a series where it is not the view's `x`. */
const POINT_AXES = { roofline: ({ y }) => y, scatter: ({ y }) => y };

/** Kinds that draw tables of coloured cells instead of series. */
const OF_CELLS = new Set(['matrix', 'heat']);

/** The data of the view `chosen`: {view, kind: of chart, axis, metric, across, beside, rawMetric, rawAcross, rawBeside,
 * grouped (seriesOf), matrices (matricesOf) or null, formulas: text, positive: {x, y}, axisOf(name)}. `metric` and
 * `across` have the unit in which they are shown, `rawMetric` and `rawAcross` that of the values; `beside` is null for
 * none. `state` has the run, its measurements, `swept` and `complete`; `size` and `filter` are the selects that limit
 * what is shown (sizepick.js, seriesfilter.js), `colour` is the axis chosen for colours. */
export function viewData(chosen, state, { experiment, devices, size, filter, colour }) {
  const axes = experiment.axes ?? [];
  const axisOf = (name) => axes.find((axis) => axis.name === name) ?? { name: name ?? '', title: name ?? '', unit: null };
  const unitOf = (name) => state.measurements.find(({ metric }) => metric === name)?.unit ?? null;
  const rawMetricOf = (name) => experiment.metrics?.find((metric) => metric.name === name) ?? unlistedMetric(name ?? '', unitOf(name));
  const view = { ...chosen, x: POINT_AXES[chosen.kind]?.(chosen) ?? chosen.x };
  const axis = axisOf(view.x);
  const [rawMetric, rawAcross] = [rawMetricOf(view.metric), rawMetricOf(chosen.x)];
  const [metric, across] = [rawMetric, rawAcross].map(withShownUnit);
  const rawBeside = chosen.beside ? rawMetricOf(chosen.beside) : null;
  const order = (name) => orderOf(experiment, name);
  if (axis.values) view.order = [...axis.values.keys()];
  else if (showsOneSize(view)) view.order = order(view.x);
  const { measurements: shown, split = null, shapes = null } = shownMeasurements(view, state, { experiment, size, filter });
  const all = distinct(state.measurements, view.x);
  const orders = valueOrders(all, order, state.swept);
  const grouped = seriesOf(view, shown, axes, state.swept, { all, orders, colour, split });
  grouped.series = shapes ? ofAllSizes(grouped.series, view.x, shapes) : completeSeries(chosen, grouped.series, state.measurements, experiment);
  const isScatter = chosen.kind === 'scatter';
  return {
    view,
    kind: chartKind(view, grouped.series),
    axis,
    metric,
    across,
    beside: rawBeside && withShownUnit(rawBeside),
    rawMetric,
    rawAcross,
    rawBeside,
    grouped,
    matrices: OF_CELLS.has(view.kind) ? matricesOf({ ...view, shownUnit: metric.unit }, shown, experiment, devices, order) : null,
    formulas: (isScatter ? [metric, across] : [metric]).map(formulaText).join(' ').trim(),
    positive: {
      x: grouped.series.every(({ points }) => points.every((point) => (isScatter ? point.across.median : point.x) > 0)),
      y: grouped.series.some(({ points }) => points.some(({ measurement }) => measurement.median > 0)),
    },
    axisOf,
  };
}

/** A metric that the experiment does not list, as those of an unknown one. */
const unlistedMetric = (name, unit) => ({ name, title: name, unit, better: isCost(unit) ? 'lower' : null });

/** The measurements that a view draws, {measurements, split (seriesfilter.js), shapes}: those of the selected size in a
 * view of one size; otherwise all of the view, filtered if they are too many series. If all sizes are selected, the
 * measurements have no sizes, so that they form the series of one size, and `shapes` are those with sizes. */
function shownMeasurements(view, { run, measurements, swept, complete }, { experiment, size, filter }) {
  const own = measurements.filter(isShownIn(view));
  const ofOneSize = showsOneSize(view);
  size.element.hidden = !ofOneSize;
  if (view.kind === 'heat') {
    filter.update([]);
    return { measurements: own };
  }
  if (!ofOneSize) {
    const filtered = filterSeries(own, experiment.axes, view.x, filter.chosenOf(own), swept, {
      lines: ['line', 'scatter'].includes(view.kind),
      headline: run?.headline?.[0]?.axes,
    });
    filter.update(filtered.picks);
    return filtered;
  }
  filter.update([]);
  const others = experiment.axes.filter(({ name }) => name !== view.x);
  const sizes = sizesOf(own, others);
  const overShapes = view.kind === 'roofline' && hasShapes(own, sizes);
  const key = size.update(sizes, sizeTitle(own, others), { complete, all: overShapes });
  size.element.hidden ||= sizes.length < 2 && (view.kind === 'matrix' || !sizes[0]?.text);
  if (key === ALL_SIZES) return { measurements: inStepOrder(own.map((one) => withoutSize(one, view.x)), experiment), shapes: own };
  return { measurements: inStepOrder(ofSize(own, others, key), experiment) };
}

const withoutSize = (measurement, x) => ({
  ...measurement,
  axes: Object.fromEntries(Object.entries(measurement.axes).filter(([name, value]) => name === x || typeof value !== 'number')),
});

/** The series with the values of another metric that the view shows at the same points. */
function completeSeries(view, series, measurements, experiment) {
  const { kind, metric, x } = view;
  if (kind === 'scatter') return joinMetric(series, measurements, x, view);
  const prediction = kind === 'line' ? predictionOf(experiment, metric) : null;
  return prediction ? withPredictions(series, measurements, prediction) : series;
}

const formulaText = ({ title, formula: text }) => (text ? `${title}: ${text}.` : '');
