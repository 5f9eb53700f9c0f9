// The roofline chart as SVG: roofs, points with labels, and a tooltip with the values of a point for pointer and
// keyboard.

import { h, svg } from '../dom.js';
import { percent, quantity } from '../format.js';
import { isReference } from '../stepgroups.js';
import { boundsOf, linesOf, pointsOf, roofsOf, shareOfRoof } from '../roofline.js';
import { ALL_POINTS } from '../series.js';
import { valueText } from '../displaynames.js';
import {
  areaOf,
  around,
  colourOf,
  flatNames,
  grid,
  labelElements,
  roofElements,
  scalesOf,
  slopeName,
  textWidths,
} from './rooflineframe.js';
import { markerOf } from './seriesstyle.js';

const round = (value) => Math.round(value * 10) / 10;

/** Returns a chart (linechart.js describes the interface); `update` also takes {measurements}. */
export function roofline({ view, metric, signal }) {
  const chart = svg('svg', { class: 'roofline-chart', role: 'group' });
  const tooltip = h('div', { class: 'tooltip', hidden: true, 'aria-hidden': 'true' });
  const element = h('div', { class: 'roofline' }, chart, tooltip);
  const textWidth = textWidths(element);
  let drawn = { points: [], roofs: { memory: null, compute: [] } };
  let marks = []; // the points as drawn: {point, x, y, element}
  let drawnSignature = '';
  let selectedKey = null; // key of the point selected with the keyboard

  function draw() {
    const { points, roofs } = drawn;
    const bounds = boundsOf(points, roofs);
    const area = areaOf(element.clientWidth, bounds, textWidth);
    if (!element.isConnected || !area) return;
    const scales = scalesOf(bounds, area);
    const lines = linesOf(roofs, scales.x.range);
    marks = points.map((point) => markOf(point, scales));
    const roofNames = flatNames(roofs, lines, scales, area, textWidth, marks);
    const boxes = roofNames.map(({ box }) => box);
    const slopeLabel = slopeName(roofs, lines, scales, area, textWidth, [...boxes, ...marks.map(around)]);
    const occupied = [...boxes, ...(slopeLabel?.boxes ?? [])];
    const hadFocus = chart.contains(document.activeElement);
    chart.setAttribute('width', area.width);
    chart.setAttribute('height', area.height);
    chart.setAttribute('aria-label', describe(view, points));
    const [references, others] = [true, false].map((which) =>
      marks.filter(({ point }) => isReference(point.step) === which).map(({ element: mark }) => mark),
    );
    if (!points.some(({ key }) => key === selectedKey)) selectedKey = points[0]?.key ?? null;
    chart.replaceChildren(
      grid(scales, area, metric),
      roofElements(lines, roofNames, slopeLabel, scales, area),
      labelElements(marks, occupied, area, textWidth),
      svg('g', {}, references, others), // references first, so that they hide no other point
    );
    for (const { point, element: mark } of marks) mark.setAttribute('tabindex', point.key === selectedKey ? 0 : -1);
    hideTooltip();
    if (hadFocus) select(selectedKey);
  }

  // --- points and their tooltips ---

  /** The mark of a point: its position and its element, which shows the tooltip and handles keys. */
  function markOf(point, scales) {
    const [x, y] = [scales.x.at(point.intensity), scales.y.at(point.throughput)];
    const wrong = point.measurement.verified === false;
    const colour = colourOf(point.series);
    const hollow = isReference(point.step);
    const mark = svg(
      'g',
      {
        class: 'roofline-point',
        role: 'img',
        'aria-label': pointTexts(point).join(', '),
        transform: `translate(${round(x)} ${round(y)})`,
        on: {
          pointerenter: () => showTooltip(point, x, y),
          pointerleave: hideTooltip,
          click: () => select(point.key),
          focus: () => showTooltip(point, x, y),
          blur: hideTooltip,
          keydown: (event) => onKey(event, point.key),
        },
      },
      svg('circle', { class: 'roofline-hit-area', r: 11 }),
      svg('path', {
        class: hollow ? 'roofline-mark hollow' : 'roofline-mark',
        d: markerOf(point.series),
        transform: 'scale(1.25)',
        style: hollow ? { stroke: colour } : { fill: colour },
      }),
      wrong && svg('path', { class: 'roofline-wrong', d: 'M-7-7L7 7M7-7L-7 7' }),
    );
    return { point, x, y, element: mark };
  }

  /** The name of a point, then its values as texts. */
  function pointTexts(point) {
    const share = shareOfRoof(point, drawn.roofs);
    return [
      [valueText('step', point.step), point.series.label].filter((text) => text && text !== ALL_POINTS).join(', '),
      quantity(point.throughput, metric.unit),
      quantity(point.intensity, 'FLOP/B'),
      share === null ? null : `${percent(share, 3)} of the measured roof`,
      point.measurement.verified === false ? 'wrong result' : null,
    ].filter(Boolean);
  }

  function showTooltip(point, x, y) {
    const [name, ...facts] = pointTexts(point);
    tooltip.replaceChildren(h('strong', {}, name), ...facts.map((text) => h('span', {}, text)));
    tooltip.hidden = false;
    const [available, box] = [element.clientWidth, tooltip.getBoundingClientRect()];
    const left = x + 14 + box.width > available ? Math.max(0, x - 14 - box.width) : x + 14;
    Object.assign(tooltip.style, { left: `${left}px`, top: `${Math.max(0, y - box.height - 8)}px` });
  }

  function hideTooltip() {
    tooltip.hidden = true;
  }

  /** Moves the keyboard focus to a point. */
  function select(key) {
    selectedKey = key;
    for (const { point, element: mark } of marks) {
      mark.setAttribute('tabindex', point.key === key ? 0 : -1);
      if (point.key === key) mark.focus({ preventScroll: true });
    }
  }

  /** Moves the focus with the arrow keys to the point with the next higher or lower throughput, of any data type. */
  function onKey(event, key) {
    const order = [...drawn.points].sort((a, b) => a.throughput - b.throughput).map((point) => point.key);
    const index = order.indexOf(key);
    const next = {
      ArrowUp: index + 1,
      ArrowRight: index + 1,
      ArrowDown: index - 1,
      ArrowLeft: index - 1,
      Home: 0,
      End: order.length - 1,
    }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    if (order[next] !== undefined) select(order[next]);
  }

  const observer = new ResizeObserver(draw);
  observer.observe(element);
  const close = () => observer.disconnect();
  signal.addEventListener('abort', close);

  return {
    element,
    close,
    update(series, hidden, { measurements }) {
      const shown = series.filter(({ key }) => !hidden.has(key));
      drawn = { points: pointsOf(shown, measurements), roofs: roofsOf(shown, measurements) };
      // Drawing again hides the tooltip, so it is done only if something in the chart changes.
      const next = signature(drawn);
      if (next !== drawnSignature || !marks.length) draw();
      drawnSignature = next;
    },
  };
}

/** Everything that the chart shows, as a string for comparison. */
const signature = ({ points, roofs }) =>
  JSON.stringify([
    points.map(({ key, series, intensity, throughput, measurement: { verified } }) => [
      key,
      [series.label, series.colour, series.marker],
      [intensity, throughput, verified],
    ]),
    roofs.memory,
    roofs.compute.map(({ series, ...roof }) => [series?.colour, roof]),
  ]);

const describe = (view, points) =>
  `${view.title}: ${points.length} points below the memory roof and the compute roofs. ` +
  'Arrow keys move between points; the exact values are in the table.';
