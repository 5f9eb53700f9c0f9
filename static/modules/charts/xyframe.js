// The frame of a chart drawn as SVG: plot area, scales, grid, and the two axes with their tick labels and titles. All
// coordinates are pixels of the SVG. A dimension is {range: [low, high], log, zero, binary, title, write(value)};
// `zero` is true on a logarithmic dimension that also has values of 0, which are drawn at its lower end; `binary` is
// true if its ticks are powers of two, or multiples of a unit of bytes; `counts` is true if they are whole numbers. A
// dimension can have a function ticks(count) that returns its ticks.

import { svg } from '../dom.js';
import { binaryTicks, countTicks, decimalTicks, evenTicks } from '../results/ticks.js';
import { BINARY, unitStep } from '../text/units.js';
import { colourVariable } from './seriesstyle.js';

const NARROW_WIDTH = 560; // narrower charts have space for short names only
const [HEIGHT_MIN, HEIGHT_MAX] = [340, 560]; // px
const SCREEN_SHARE = 0.42; // of the height of the window, the height that a chart has at most
const TITLE_WIDTH = 24; // px for the title of the vertical axis
const TICK_GAP = 6; // px between a tick label and the axis
const ZERO_RATIO = 4; // ticks below this multiple of a range that starts with 0 have no space

export const round = (value) => Math.round(value * 10) / 10;

/** The colour of a series; the text colour for null. */
export const colourOf = (series) => (series ? `var(${colourVariable(series)})` : 'var(--text-2)');

/** Returns a function that measures the width of a text in the font of `element`, which must be in the document by
 * then. */
export function textWidths(element) {
  let context = null;
  return (text) => {
    if (!context) {
      context = document.createElement('canvas').getContext('2d');
      context.font = `12px ${getComputedStyle(element).fontFamily}`;
    }
    return context.measureText(text).width;
  };
}

/** Draws a chart for the width of its `element`: returns {draw(), close()}. `work(width)` is called when the element
 * has got another width, by its first layout too, and by draw() from then on, until close() or the abort of
 * `signal`. */
export function drawnToWidth(element, work, signal) {
  let drawn = 0; // the width of the last drawing; 0: none, or the element is not shown
  function drawAt(width) {
    drawn = width;
    if (drawn) work(drawn);
  }
  const draw = () => drawn && drawAt(element.clientWidth);
  const observer = new ResizeObserver(() => element.clientWidth !== drawn && drawAt(element.clientWidth));
  const close = () => observer.disconnect();
  observer.observe(element);
  signal.addEventListener('abort', close);
  return { draw, close };
}

/** The positions of the ticks of a dimension that is `length` px long. */
function ticksOf({ range: [low, high], log, zero, binary, counts, ticks: own }, length, spacing) {
  const count = Math.max(2, Math.floor(length / spacing));
  if (own) return own(count);
  if (!log && counts) return countTicks(low, high, count);
  if (!log) {
    const factor = binary ? unitStep(high, BINARY)[1] : 1;
    return evenTicks(low / factor, high / factor, count).map((tick) => tick * factor);
  }
  const ticks = (binary ? binaryTicks : decimalTicks)(low, high, length, spacing);
  return zero ? [0, ...ticks.filter((tick) => tick >= low * ZERO_RATIO)] : ticks;
}

const yTicks = (y, length) => ticksOf(y, length, 34);

/** The plot area within an SVG of width `total`: {width, height, left, right, top, bottom, narrow}; null if the SVG is
 * too narrow. The labels of the dimension `y` and its title are to the left of the area. `narrow` is true if there is
 * only space for short names. `ratio` is the height of the SVG as a share of its width, within the bounds that make a
 * chart readable and leave room for the rest of the first screen; `height` overrides it. */
export function areaOf(total, y, textWidth, { ratio = 0.68, height: fixed } = {}) {
  if (total < 120) return null;
  const height = fixed ?? Math.round(Math.max(HEIGHT_MIN, Math.min(HEIGHT_MAX, (globalThis.innerHeight ?? Infinity) * SCREEN_SHARE, total * ratio)));
  const [top, bottom] = [8, height - 44];
  const widest = Math.max(...yTicks(y, bottom - top).map((value) => textWidth(y.write(value))));
  const left = TITLE_WIDTH + Math.ceil(widest) + TICK_GAP;
  return { width: total, height, left, right: total - 14, top, bottom, narrow: total < NARROW_WIDTH };
}

/** The scales {x, y} of two dimensions, each {at(value) -> px, valueAt(px) -> value, range}; a logarithmic one also has
 * `decade`, the px per factor of ten. */
export function scalesOf({ x, y }, area) {
  return { x: scaleOf(x, area.left, area.right), y: scaleOf(y, area.bottom, area.top) };
}

function scaleOf({ range, log }, from, to) {
  const [low, high] = range;
  if (!log) {
    const unit = (to - from) / (high - low);
    return { range, at: (value) => from + unit * (value - low), valueAt: (px) => low + (px - from) / unit };
  }
  const decade = (to - from) / Math.log10(high / low);
  return {
    range,
    at: (value) => (value > 0 ? from + decade * Math.log10(value / low) : from),
    valueAt: (px) => low * 10 ** ((px - from) / decade),
    decade: Math.abs(decade),
  };
}

/** The SVG group with grid lines, the two axes, their tick labels and titles. */
export function grid(scales, area, { x, y }) {
  const { left, right, top, bottom } = area;
  const spacing = Math.max(area.narrow ? 44 : 56, x.spacing ?? 0);
  const xTickPositions = ticksOf(x, right - left, spacing).map((value) => [value, scales.x.at(value)]);
  const yTickPositions = yTicks(y, bottom - top).map((value) => [value, scales.y.at(value)]);
  const middle = (left + right) / 2;
  return svg(
    'g',
    { class: 'xy-grid', 'aria-hidden': 'true' },
    svg('path', {
      d: [
        xTickPositions.map(([, at]) => `M${round(at)} ${top}V${bottom}`),
        yTickPositions.map(([, at]) => `M${left} ${round(at)}H${right}`),
      ]
        .flat()
        .join(''),
    }),
    svg('path', { class: 'xy-axes', d: `M${left} ${top}V${bottom}H${right}` }),
    xTickPositions.map(([value, at]) => {
      const isAtEdge = at > right - 20;
      return svg(
        'text',
        { x: isAtEdge ? right + 12 : round(at), y: bottom + 16, 'text-anchor': isAtEdge ? 'end' : 'middle' },
        x.write(value),
      );
    }),
    yTickPositions.map(([value, at]) =>
      svg(
        'text',
        { x: left - TICK_GAP, y: round(at), 'text-anchor': 'end', 'dominant-baseline': 'central' },
        y.write(value),
      ),
    ),
    svg('text', { x: middle, y: bottom + 36, 'text-anchor': 'middle' }, x.title),
    svg(
      'text',
      { transform: `translate(12 ${(top + bottom) / 2}) rotate(-90)`, 'text-anchor': 'middle' },
      y.title,
    ),
  );
}
