// The roofline as SVG: roofs, points with their labels, and a tip that tells a point's values to pointer and keyboard.

import { h, svg } from '../dom.js';
import { percent, quantity } from '../format.js';
import { isReference } from '../stepgroups.js';
import { boundsOf, linesOf, pointsOf, roofsOf, shareOfRoof } from '../roofline.js';
import { ALL_POINTS } from '../series.js';
import { valueWords } from '../displaynames.js';
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

/** {element, update(series, hidden, {measurements}), close()}, as parts/chart.js has it. */
export function roofline({ view, metric, signal }) {
  const chart = svg('svg', { class: 'roofline-chart', role: 'group' });
  const tip = h('div', { class: 'timeline-tip', hidden: true, 'aria-hidden': 'true' });
  const element = h('div', { class: 'roofline' }, chart, tip);
  const width = textWidths(element);
  let drawn = { points: [], roofs: { memory: null, compute: [] } };
  let marks = []; // of the points as they are drawn: {point, x, y, element}
  let look = '';
  let current = null; // the key of the point that the keys have reached

  function draw() {
    const { points, roofs } = drawn;
    const bounds = boundsOf(points, roofs);
    const area = areaOf(element.clientWidth, bounds, width);
    if (!element.isConnected || !area) return;
    const scales = scalesOf(bounds, area);
    const lines = linesOf(roofs, scales.x.range);
    marks = points.map((point) => markOf(point, scales));
    const names = flatNames(roofs, lines, scales, area, width, marks);
    const boxes = names.map(({ box }) => box);
    const slope = slopeName(roofs, lines, scales, area, width, [...boxes, ...marks.map(around)]);
    const taken = [...boxes, ...(slope?.boxes ?? [])];
    const had = chart.contains(document.activeElement);
    chart.setAttribute('width', area.width);
    chart.setAttribute('height', area.height);
    chart.setAttribute('aria-label', describe(view, points));
    const [references, others] = [true, false].map((which) =>
      marks.filter(({ point }) => isReference(point.step) === which).map(({ element: mark }) => mark),
    );
    if (!points.some(({ key }) => key === current)) current = points[0]?.key ?? null;
    chart.replaceChildren(
      grid(scales, area, metric),
      roofElements(lines, names, slope, scales, area),
      labelElements(marks, taken, area, width),
      svg('g', {}, references, others), // a ring hides nothing
    );
    for (const { point, element: mark } of marks) mark.setAttribute('tabindex', point.key === current ? 0 : -1);
    hideTip();
    if (had) reach(current);
  }

  // --- the points, and what they tell ---

  function markOf(point, scales) {
    const [x, y] = [scales.x.at(point.intensity), scales.y.at(point.throughput)];
    const wrong = point.measurement.verified === false;
    const colour = colourOf(point.one);
    const hollow = isReference(point.step);
    const mark = svg(
      'g',
      {
        class: 'roofline-point',
        role: 'img',
        'aria-label': wordsOf(point).join(', '),
        transform: `translate(${round(x)} ${round(y)})`,
        on: {
          pointerenter: () => showTip(point, x, y),
          pointerleave: hideTip,
          click: () => reach(point.key),
          focus: () => showTip(point, x, y),
          blur: hideTip,
          keydown: (event) => keys(event, point.key),
        },
      },
      svg('circle', { class: 'roofline-reach', r: 11 }),
      svg('path', {
        class: hollow ? 'roofline-mark hollow' : 'roofline-mark',
        d: markerOf(point.one),
        transform: 'scale(1.25)',
        style: hollow ? { stroke: colour } : { fill: colour },
      }),
      wrong && svg('path', { class: 'roofline-wrong', d: 'M-7-7L7 7M7-7L-7 7' }),
    );
    return { point, x, y, element: mark };
  }

  function wordsOf(point) {
    const share = shareOfRoof(point, drawn.roofs);
    return [
      [valueWords('step', point.step), point.one.label].filter((words) => words && words !== ALL_POINTS).join(', '),
      quantity(point.throughput, metric.unit),
      quantity(point.intensity, 'FLOP/B'),
      share === null ? null : `${percent(share, 3)} of the measured roof`,
      point.measurement.verified === false ? 'did not verify' : null,
    ].filter(Boolean);
  }

  function showTip(point, x, y) {
    const [name, ...facts] = wordsOf(point);
    tip.replaceChildren(h('strong', {}, name), ...facts.map((words) => h('span', {}, words)));
    tip.hidden = false;
    const [room, box] = [element.clientWidth, tip.getBoundingClientRect()];
    const left = x + 14 + box.width > room ? Math.max(0, x - 14 - box.width) : x + 14;
    Object.assign(tip.style, { left: `${left}px`, top: `${Math.max(0, y - box.height - 8)}px` });
  }

  function hideTip() {
    tip.hidden = true;
  }

  function reach(key) {
    current = key;
    for (const { point, element: mark } of marks) {
      mark.setAttribute('tabindex', point.key === key ? 0 : -1);
      if (point.key === key) mark.focus({ preventScroll: true });
    }
  }

  /** Up and down go by throughput, whatever the type; left and right likewise. */
  function keys(event, key) {
    const order = [...drawn.points].sort((a, b) => a.throughput - b.throughput).map((point) => point.key);
    const at = order.indexOf(key);
    const next = {
      ArrowUp: at + 1,
      ArrowRight: at + 1,
      ArrowDown: at - 1,
      ArrowLeft: at - 1,
      Home: 0,
      End: order.length - 1,
    }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    if (order[next] !== undefined) reach(order[next]);
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
      // What is drawn again loses focus and tip: not for a measurement that changes nothing here.
      const next = signature(drawn);
      if (next !== look || !marks.length) draw();
      look = next;
    },
  };
}

/** All that the picture shows, to be compared. */
const signature = ({ points, roofs }) =>
  JSON.stringify([
    points.map(({ key, one, intensity, throughput, measurement: { verified } }) => [
      key,
      [one.label, one.colour, one.marker],
      [intensity, throughput, verified],
    ]),
    roofs.memory,
    roofs.compute.map(({ one, ...roof }) => [one?.colour, roof]),
  ]);

const describe = (view, points) =>
  `${view.title}: ${points.length} points under the roofs of memory and arithmetic. ` +
  'Arrow keys go from point to point; the exact values are in the table.';
