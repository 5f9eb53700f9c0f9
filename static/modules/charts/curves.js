// A chart of lines with intervals, as SVG, for a wide panel: measurements of two runs, their ratios, a point over time.
// The value at the pointer is shown by the caller, at a fixed place. A point can lead to another page.

import { h, svg } from '../dom.js';
import { dashOf, markerOf } from './seriesstyle.js';
import { areaOf, colourOf, drawnToWidth, grid, round, scalesOf, textWidths } from './xyframe.js';

const MARKERS_MAX = 60; // points of a series; more markers would hide the line
const HIT_WIDTH = 3; // px beside a line of a mark where the pointer finds it
const ROW_HEIGHT = 14; // px from a text of a vertical rule to one below it

/** Creates a chart: {element, update(drawing), point(x), close()}. `height` is in px; hover(x, point) is called with
 * the x of the points next to the pointer or the focus, and the point among them next to the pointer, null when it
 * leaves; open(point) when a point with `href` is chosen.
 *
 * A drawing is {label, x, y, series, rules, zone}. `x` and `y` are dimensions of xyframe.js; `label` is the text for
 * screen readers. A series is {key, colour, dash, marker, intervals, points: [{x, y, low, high, kind, href, name, …}]}:
 * `intervals` is "band" or "bars", `kind` the look of the marker ("wrong", "caution", "pinned" or ""), `name` what a
 * screen reader says for a point that leads to `href`. `rules` are lines across the chart [{x or y, text, row, kind}],
 * where `row` is how far below the top the text of a vertical one is, `zone` is a range of y that is shaded, {low,
 * high}, or null. point(x) marks an x, null none. */
export function curves({ height, hover = () => {}, open = () => {}, signal }) {
  const chart = svg('svg', { class: 'xy-chart curves-chart', role: 'group' });
  const element = h('div', { class: 'curves' }, chart);
  const textWidth = textWidths(element);
  const cursor = svg('path', { class: 'curves-cursor', 'aria-hidden': 'true' });
  let drawing = null;
  let scales = null;
  let area = null;
  let selected = null; // index of the point that the Tab key reaches

  function drawAt(width) {
    if (!drawing) return;
    area = areaOf(width, drawing.y, textWidth, { height });
    if (!area) return;
    scales = scalesOf(drawing, area);
    chart.setAttribute('width', area.width);
    chart.setAttribute('height', area.height);
    chart.setAttribute('aria-label', drawing.label);
    chart.replaceChildren(
      grid(scales, area, drawing),
      zoneOf(drawing.zone, scales, area) ?? '',
      ...drawing.series.flatMap((one) => shapesOf(one, scales, area)),
      ...drawing.rules.map((rule) => ruleOf(rule, scales, area)),
      cursor,
      links(),
    );
    point(null);
  }

  /** The points that lead to another page; the arrow keys move between them. */
  function links() {
    const points = drawing.series.flatMap((one) => one.points.filter(({ href }) => href).map((at) => [one, at]));
    const list = points.map(([one, at], index) => linkOf(one, at, index));
    const focus = (index) => {
      if (!list[index]) return;
      selected = index;
      list.forEach((link, position) => link.setAttribute('tabindex', position === index ? 0 : -1));
      list[index].focus({ preventScroll: true });
    };
    function linkOf(one, at, index) {
      const link = svg(
        'a',
        { class: 'curves-link', href: at.href, 'aria-label': at.name, tabindex: index === selected ? 0 : -1 },
        svg('circle', { cx: round(scales.x.at(at.x)), cy: round(scales.y.at(at.y)), r: 7 }),
      );
      link.addEventListener('focus', () => show(at.x));
      link.addEventListener('blur', () => show(null));
      link.addEventListener('keydown', (event) => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        const next = { Home: 0, End: list.length - 1 }[event.key] ?? (step ? index + step : null);
        if (next === null) return;
        event.preventDefault();
        focus(next);
      });
      link.addEventListener('click', (event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
        event.preventDefault();
        open(at);
      });
      return link;
    }
    if (selected === null || selected >= list.length) selected = list.length - 1;
    list[selected]?.setAttribute('tabindex', 0);
    return svg('g', {}, list);
  }

  function show(x, at = null) {
    point(x);
    hover(x, at);
  }

  function point(x) {
    const at = x === null || !scales ? null : round(scales.x.at(x));
    cursor.setAttribute('d', at === null ? '' : `M${at} ${area.top}V${area.bottom}`);
  }

  chart.addEventListener('pointermove', (event) => {
    if (!scales || !drawing) return;
    const box = chart.getBoundingClientRect();
    const [left, top] = [event.clientX - box.left, event.clientY - box.top];
    if (left < area.left - HIT_WIDTH) return show(null);
    const x = nearestX(drawing.series, scales, left);
    return show(x, nearestPoint(drawing.series, scales, x, top));
  });
  chart.addEventListener('pointerleave', () => show(null));
  const { draw, close } = drawnToWidth(element, drawAt, signal);
  return {
    element,
    point,
    close,
    update(next) {
      drawing = next;
      draw();
    },
  };
}

function nearestX(series, scales, left) {
  let best = { x: null, distance: Infinity };
  for (const { x } of series.flatMap(({ points }) => points)) {
    const distance = Math.abs(scales.x.at(x) - left);
    if (distance < best.distance) best = { x, distance };
  }
  return best.x;
}

/** The point at `x` that is drawn nearest to `top`; null when there is none. */
function nearestPoint(series, scales, x, top) {
  const distance = ({ y }) => Math.abs(scales.y.at(y) - top);
  const found = series.flatMap(({ points }) => points.filter((one) => one.x === x && Number.isFinite(one.y)));
  return found.reduce((a, b) => (distance(b) < distance(a) ? b : a), found[0] ?? null);
}

function zoneOf(zone, scales, { left, right, top, bottom }) {
  if (!zone) return null;
  const clamp = (value) => round(Math.min(bottom, Math.max(top, scales.y.at(value))));
  const [high, low] = [clamp(zone.high), clamp(zone.low)];
  return svg('rect', { class: 'curves-zone', x: left, y: high, width: right - left, height: Math.max(0, low - high) });
}

/** The interval, line and markers of a series. */
function shapesOf(series, scales, area) {
  const colour = colourOf(series);
  const at = ({ x }, y) => `${round(scales.x.at(x))} ${round(scales.y.at(y))}`;
  const drawn = series.points.filter(({ y }) => Number.isFinite(y));
  const bounded = drawn.filter(({ low, high }) => Number.isFinite(low) && Number.isFinite(high));
  const markers = drawn.length <= MARKERS_MAX || area.width / drawn.length > 12;
  return [
    series.intervals === 'band' && bounded.length > 1
      ? svg('path', {
          class: 'curves-band',
          d: `M${bounded.map((one) => at(one, one.high)).join('L')}L${[...bounded].reverse().map((one) => at(one, one.low)).join('L')}Z`,
          style: { fill: colour },
        })
      : svg('path', {
          class: 'curves-bars',
          d: bounded.map((one) => `M${at(one, one.low)}L${at(one, one.high)}`).join(''),
          style: { stroke: colour },
        }),
    svg('path', {
      class: 'curves-line',
      d: drawn.length ? `M${drawn.map((one) => at(one, one.y)).join('L')}` : '',
      'stroke-dasharray': dashOf(series).join(' ') || null,
      style: { stroke: colour },
    }),
    drawn
      .filter(({ kind }) => markers || kind)
      .map((one) =>
        svg('path', {
          class: `curves-marker ${one.kind ?? ''}`.trim(),
          d: markerOf(series),
          transform: `translate(${at(one, one.y)})`,
          style: { fill: colour },
        }),
      ),
  ]
    .flat()
    .filter(Boolean);
}

/** A line across the chart with its text at the end. */
function ruleOf({ x, y, text, row = 0, kind = '' }, scales, { left, right, top, bottom }) {
  const isVertical = x !== undefined;
  const at = round(isVertical ? scales.x.at(x) : scales.y.at(y));
  const isRight = isVertical && at > (left + right) / 2;
  const place = isVertical
    ? { x: isRight ? at - 5 : at + 5, y: top + 12 + row * ROW_HEIGHT, 'text-anchor': isRight ? 'end' : 'start' }
    : { x: right - 4, y: at - 5, 'text-anchor': 'end' };
  return svg(
    'g',
    { class: `curves-rule ${kind}`.trim() },
    svg('path', { d: isVertical ? `M${at} ${top}V${bottom}` : `M${left} ${at}H${right}` }),
    text ? svg('text', place, text) : null,
  );
}
