// A chart of one metric over another, as SVG: the points of a series are joined by a line in the order of an axis of
// numbers; the values of one are read with pointer or keyboard.

import { labelledValue } from '../../text/displaynames.js';
import { h, svg } from '../../dom.js';
import { axisUnit } from '../../results/axisunit.js';
import { quantity } from '../../text/format.js';
import { rangeOf } from '../../results/scatter.js';
import { ALL_POINTS } from '../../results/series.js';
import { pointMarks } from './pointmarks.js';
import { dashOf } from '../seriesstyle.js';
import { areaOf, colourOf, drawnToWidth, grid, round, scalesOf, textWidths } from '../xyframe.js';

const SIZE_SPACING = 68; // px between ticks with units

/** Returns a chart (lines/linechart.js describes the interface). `axis` is the axis of the points, `across` the metric
 * of the horizontal axis; the points of the series have been joined with it (joinMetric of scatter.js). */
export function scatter({ axis, across, metric, beside = null, read, signal }) {
  const chart = svg('svg', { class: 'xy-chart', role: 'group' });
  const element = h('div', { class: 'scatter xy' }, chart);
  const marker = pointMarks({ chart, read, readingOf: ({ point, series }) => readingOf(point, series) });
  const textWidth = textWidths(element);
  let drawn = [];
  let drawnSignature = '';
  let view = {};
  let cautions = () => [];

  /** The reading of a point (readout.js). */
  const readingOf = ({ x, across: horizontal, beside: third, measurement }, series) => ({
    series,
    name: [series.label, labelledValue(axis, x)].filter((text) => text !== ALL_POINTS).join(' · '),
    facts: [
      `${across.title.toLowerCase()} ${quantity(horizontal.median, across.unit)}`,
      `${metric.title.toLowerCase()} ${quantity(measurement.median, metric.unit)}`,
      third && `${beside.title.toLowerCase()} ${quantity(third.median, beside.unit)}`,
      measurement.verified === false ? 'wrong result' : null,
    ].filter(Boolean),
    cautions: cautions(measurement),
    measurement,
  });

  function drawAt(width) {
    const points = drawn.flatMap((series) => series.points.map((point) => ({ series, point })));
    if (!points.length) return chart.replaceChildren();
    const dimensions = {
      x: dimensionOf(across, view.log_x, points.map(({ point }) => point.across.median)),
      y: dimensionOf(metric, view.log_y, points.map(({ point }) => point.measurement.median)),
    };
    const area = areaOf(width, dimensions.y, textWidth, { ratio: 0.46 });
    if (!area) return undefined;
    const scales = scalesOf(dimensions, area);
    const marks = points.map(({ series, point }) => ({
      series,
      point,
      key: JSON.stringify([series.key, point.x]),
      x: scales.x.at(point.across.median),
      y: scales.y.at(point.measurement.median),
      hollow: false,
      wrong: point.measurement.verified === false,
      caution: cautions(point.measurement).length > 0,
    }));
    chart.setAttribute('width', area.width);
    chart.setAttribute('height', area.height);
    chart.setAttribute('aria-label', describe(view, axis, drawn));
    const keys = marks.map(({ key }) => key);
    return marker.draw(marks, keys, (elements) =>
      chart.replaceChildren(
        grid(scales, area, dimensions),
        ...(view.predicted ? [equality(dimensions, scales)] : []),
        lines(marks),
        svg('g', {}, elements),
      ),
    );
  }

  const { draw, close } = drawnToWidth(element, drawAt, signal);

  return {
    element,
    close,
    update(series, hidden, state) {
      ({ view, cautions } = state);
      drawn = series.filter(({ key }) => !hidden.has(key));
      // Drawing again hides the tooltip, so it is done only if something in the chart changes.
      const next = signature(drawn, view);
      if (next !== drawnSignature) draw();
      drawnSignature = next;
    },
  };
}

/** The dimension (xyframe.js) of a metric with some values. */
function dimensionOf({ title, unit }, log, values) {
  const shown = axisUnit({ title, unit }, values, log);
  return { ...rangeOf(values, log), log, binary: unit === 'B', ...shown, spacing: shown.own ? SIZE_SPACING : 0 };
}

/** The line on which both values are equal, within the ranges of both; an empty group where they do not overlap. */
function equality({ x, y }, scales) {
  const [low, high] = [Math.max(x.range[0], y.range[0]), Math.min(x.range[1], y.range[1])];
  const at = (value) => `${round(scales.x.at(value))} ${round(scales.y.at(value))}`;
  return svg('g', { class: 'scatter-equality', 'aria-hidden': 'true' }, low < high ? svg('path', { d: `M${at(low)}L${at(high)}` }) : []);
}

/** The line of each series, through its points in order; none through points of names, which have no order. */
function lines(marks) {
  const paths = new Map();
  for (const { series, x, y } of marks.filter(({ point }) => typeof point.x === 'number')) paths.set(series, [...(paths.get(series) ?? []), `${round(x)} ${round(y)}`]);
  return svg(
    'g',
    { class: 'scatter-lines', 'aria-hidden': 'true' },
    [...paths].map(([series, positions]) =>
      svg('path', {
        d: `M${positions.join('L')}`,
        'stroke-dasharray': dashOf(series).join(' ') || null,
        style: { stroke: colourOf(series) },
      }),
    ),
  );
}

/** Everything that the chart shows, as a string for comparison. */
const signature = (series, { log_x: logX, log_y: logY }) =>
  JSON.stringify([
    [logX, logY],
    series.map(({ key, label, colour, dash, marker, points }) => [
      [key, label, colour, dash, marker],
      points.map(({ x, across, measurement: { median, verified } }) => [x, across.median, median, verified]),
    ]),
  ]);

function describe(view, axis, series) {
  const text = series.map(({ label, points }) => `${label}, ${points.length} points`).join('; ');
  return (
    `${view.title}, a point for each ${axis.title.toLowerCase()}. ${text}. ` +
    'Arrow keys move between points; the exact values are in the table.'
  );
}
