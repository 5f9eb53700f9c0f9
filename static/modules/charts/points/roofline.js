// The roofline chart as SVG: roofs and points with labels; the values of a point are read with pointer or keyboard.

import { h, svg } from '../../dom.js';
import { percent, quantity } from '../../text/format.js';
import { isReference } from '../../results/stepgroups.js';
import { boundsOf, fastestOf, linesOf, placeOf, pointsOf, roofsOf, shareOfRoof } from '../../results/roofline.js';
import { ALL_POINTS } from '../../results/series.js';
import { valueText } from '../../text/displaynames.js';
import { pointMarks } from './pointmarks.js';
import { around, dimensionsOf, flatNames, labelElements, roofElements, slopeName } from './rooflineframe.js';
import { areaOf, drawnToWidth, grid, scalesOf, textWidths } from '../xyframe.js';

/** Returns a chart (lines/linechart.js describes the interface); `update` also takes {measurements}. */
export function roofline({ view, axis, metric, devices, read, signal }) {
  const chart = svg('svg', { class: 'xy-chart', role: 'group' });
  const element = h('div', { class: 'roofline xy' }, chart);
  const marker = pointMarks({ chart, read, readingOf: ({ point }) => readingOf(point) });
  const textWidth = textWidths(element);
  let drawn = { points: [], roofs: { memory: null, compute: [] } };
  let drawnSignature = '';
  let cautions = () => [];

  function drawAt(width) {
    const { points, roofs } = drawn;
    const dimensions = dimensionsOf(boundsOf(points, roofs), metric);
    const area = areaOf(width, dimensions.y, textWidth);
    if (!area) return;
    const scales = scalesOf(dimensions, area);
    const lines = linesOf(roofs, scales.x.range);
    const fastest = fastestOf(points);
    const labelOf = (point) => (point.shape ? fastest.has(point) && point.shape : valueText(axis.name, point.step));
    const marks = points.map((point) => ({ ...markOf(point, scales, area), label: labelOf(point) }));
    const roofNames = flatNames(roofs, lines, scales, area, textWidth, marks);
    const boxes = roofNames.map(({ box }) => box);
    const slopeLabel = slopeName(roofs, lines, scales, area, textWidth, [...boxes, ...marks.map(around)]);
    const occupied = [...boxes, ...(slopeLabel?.boxes ?? []), ...marks.map(lineBox).filter(Boolean)];
    chart.setAttribute('width', area.width);
    chart.setAttribute('height', area.height);
    chart.setAttribute('aria-label', describe(view, points));
    const rising = [...points].sort((one, other) => one.throughput - other.throughput).map(({ key }) => key);
    // references first, so that they hide no other point
    const inOrder = [...marks].sort((one, other) => other.hollow - one.hollow);
    marker.draw(inOrder, rising, (elements) =>
      chart.replaceChildren(
        grid(scales, area, dimensions),
        roofElements(lines, roofNames, slopeLabel, scales, area),
        labelElements(marks, occupied, area, textWidth),
        svg('g', {}, elements),
      ),
    );
  }

  /** A point for pointmarks.js. */
  const markOf = (point, scales, area) => ({
    point,
    key: point.key,
    series: point.series,
    x: scales.x.at(placeOf(point)),
    y: scales.y.at(point.throughput),
    second: point.intensity && point.counted ? within(scales.x.at(point.counted), area) : null,
    hollow: isReference(point.step),
    wrong: point.measurement.verified === false,
    caution: cautions(point.measurement).length > 0,
  });

  /** A position as the second of a mark: one beyond the chart is at its edge. */
  const within = (x, { right }) => ({ x: Math.min(x, right), beyond: x > right });

  /** The box around the line from a mark to its second one, without the mark; null if it has none. */
  const lineBox = ({ x, y, second }) =>
    second && { left: Math.min(x - 7, second.x - 4), right: Math.max(x + 7, second.x + 4), top: y - 2, bottom: y + 2 };

  /** The reading of a point (readout.js). */
  function readingOf(point) {
    const share = shareOfRoof(point, drawn.roofs);
    return {
      series: point.series,
      name: [valueText(axis.name, point.step), point.series.label, point.shape].filter((text) => text && text !== ALL_POINTS).join(', '),
      facts: [
        quantity(point.throughput, metric.unit),
        point.intensity && quantity(point.intensity, 'FLOP/B'),
        point.counted && `${quantity(point.counted, 'FLOP/B')} counted`,
        share === null ? null : `${percent(share, 3)} of the measured roof`,
        point.measurement.verified === false ? 'wrong result' : null,
      ].filter(Boolean),
      cautions: cautions(point.measurement),
      measurement: point.measurement,
    };
  }

  const { draw, close } = drawnToWidth(element, drawAt, signal);

  return {
    element,
    close,
    update(series, hidden, { measurements, cautions: cautionsOf }) {
      cautions = cautionsOf;
      const shown = series.filter(({ key }) => !hidden.has(key));
      drawn = { points: pointsOf(shown, measurements), roofs: roofsOf(shown, measurements, devices) };
      // Drawing again hides the tooltip, so it is done only if something in the chart changes.
      const next = signature(drawn);
      if (next !== drawnSignature) draw();
      drawnSignature = next;
    },
  };
}

/** Everything that the chart shows, as a string for comparison. */
const signature = ({ points, roofs }) =>
  JSON.stringify([
    points.map(({ key, series, intensity, counted, throughput, measurement: { verified } }) => [
      key,
      [series.label, series.colour, series.marker],
      [intensity, counted, throughput, verified],
    ]),
    roofs.memory,
    roofs.compute.map(({ series, ...roof }) => [series?.colour, roof]),
  ]);

const describe = (view, points) =>
  `${view.title}: ${points.length} points below the memory roof and the compute roofs. ` +
  'Arrow keys move between points; the exact values are in the table.';
