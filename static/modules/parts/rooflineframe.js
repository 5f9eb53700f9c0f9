// What a roofline is drawn on and under: its area and scales, the grid, the roofs with their names, and the labels of
// the points. Everything is in pixels of the SVG.

import { svg } from '../dom.js';
import { flops, plain, rate } from '../format.js';
import { overlap, placeLabels } from '../labelplacement.js';
import { decimalTicks } from '../ticks.js';
import { valueWords } from '../displaynames.js';
import { colourName } from './seriesstyle.js';

const NARROW = 560; // below it names are short, and points are named by the tip and the table alone
const LABEL_HEIGHT = 14;
const TITLE_ROOM = 24; // px at the left for the title of the vertical axis
const TICK_AWAY = 6; // px from a tick's label to the axis

const round = (value) => Math.round(value * 10) / 10;

/** The colour of a series; of what belongs to several, the text's. */
export const colourOf = (one) => (one ? `var(${colourName(one)})` : 'var(--ink-2)');

/** The widths of texts in the font that `element` has. */
export function textWidths(element) {
  const context = document.createElement('canvas').getContext('2d');
  return (text) => {
    context.font = `12px ${getComputedStyle(element).fontFamily}`;
    return context.measureText(text).width;
  };
}

/** The box of the plot within an SVG of width `total`: {width, height, left, right, top, bottom, narrow}; null while
 * there is no room for one. At its left are the labels of `y` and the axis's title. */
export function areaOf(total, { y }, width) {
  if (total < 120) return null;
  const height = Math.round(Math.min(560, Math.max(340, total * 0.68)));
  const [top, bottom] = [8, height - 44];
  const widest = Math.max(...upTicks(y, bottom - top).map((value) => width(plain(value, 9))));
  const left = TITLE_ROOM + Math.ceil(widest) + TICK_AWAY;
  return { width: total, height, left, right: total - 14, top, bottom, narrow: total < NARROW };
}

const upTicks = ([low, high], length) => decimalTicks(low, high, length, 34);

/** {x, y}: logarithmic scales {at(value) -> px, range, decade: px of one}. */
export function scalesOf({ x, y }, area) {
  const scale = ([low, high], from, to) => {
    const decade = (to - from) / Math.log10(high / low);
    return { at: (value) => from + decade * Math.log10(value / low), range: [low, high], decade: Math.abs(decade) };
  };
  return { x: scale(x, area.left, area.right), y: scale(y, area.bottom, area.top) };
}

export function grid(scales, area, metric) {
  const { left, right, top, bottom } = area;
  const across = decimalTicks(...scales.x.range, right - left, area.narrow ? 44 : 56).map((value) => [
    value,
    scales.x.at(value),
  ]);
  const up = upTicks(scales.y.range, bottom - top).map((value) => [value, scales.y.at(value)]);
  const middle = (left + right) / 2;
  return svg(
    'g',
    { class: 'roofline-grid', 'aria-hidden': 'true' },
    svg('path', {
      d: [across.map(([, x]) => `M${round(x)} ${top}V${bottom}`), up.map(([, y]) => `M${left} ${round(y)}H${right}`)]
        .flat()
        .join(''),
    }),
    svg('path', { class: 'roofline-axes', d: `M${left} ${top}V${bottom}H${right}` }),
    across.map(([value, x]) => {
      const edge = x > right - 20;
      return svg(
        'text',
        { x: edge ? right + 12 : round(x), y: bottom + 16, 'text-anchor': edge ? 'end' : 'middle' },
        plain(value, 9),
      );
    }),
    up.map(([value, y]) =>
      svg(
        'text',
        { x: left - TICK_AWAY, y: round(y), 'text-anchor': 'end', 'dominant-baseline': 'central' },
        plain(value, 9),
      ),
    ),
    svg('text', { x: middle, y: bottom + 36, 'text-anchor': 'middle' }, 'Arithmetic intensity (FLOP/B)'),
    svg(
      'text',
      { transform: `translate(12 ${(top + bottom) / 2}) rotate(-90)`, 'text-anchor': 'middle' },
      `${metric.title} (${metric.unit})`,
    ),
  );
}

// --- the roofs -------------------------------------------------------------------------------------------------------

/** "60.2 of 66.9 TFLOP/s": measured of theoretical, the unit once where both share it. */
function roofWords({ measured, theoretical }, write) {
  if (!theoretical) return `${write(measured)} measured`;
  if (!measured) return `${write(theoretical)} theoretical`;
  const [number, unit] = write(measured).split('\u00a0');
  const whole = write(theoretical);
  return `${whole.endsWith(`\u00a0${unit}`) ? number : write(measured)} of ${whole}`;
}

const NAME_AWAY = 24; // px from where the slope leaves a flat roof to its name
const NAME_STEP = 20;

/** The flat roofs' names over them, as far to the right as `marks` leave room for, and one above the other where roofs are
 * near: [{words, one, box}]. */
export function flatNames({ compute }, lines, scales, area, width, marks) {
  const placed = [];
  const upper = (type) => lines.filter(({ of }) => of === type).reduce((a, b) => (b.to[1] > a.to[1] ? b : a));
  const drawn = compute.filter(({ type }) => lines.some(({ of }) => of === type));
  const roofs = drawn.map((roof) => ({ roof, line: upper(roof.type) })).sort((a, b) => a.line.to[1] - b.line.to[1]);
  const full = marks.map(around);
  for (const { roof, line } of roofs) {
    const type = valueWords('type', roof.type);
    const words = area.narrow ? type : `${type}: ${roofWords(roof, (value) => flops(value * 1e9))}`;
    const long = width(words);
    const boxAt = (left) => {
      let bottom = scales.y.at(line.to[1]) - 3;
      const box = () => ({ left, right: left + long, bottom, top: bottom - LABEL_HEIGHT });
      for (const other of placed) if (overlap(box(), other.box)) bottom = other.box.top;
      return box();
    };
    const [first, last] = [area.right - 4 - long, scales.x.at(line.from[0]) + NAME_AWAY];
    const places = [first];
    for (let left = first - NAME_STEP; left > last; left -= NAME_STEP) places.push(left);
    if (last < first) places.push(last);
    const boxes = places.map(boxAt);
    const free = boxes.find((box) => !full.some((mark) => overlap(box, mark)));
    placed.push({ words, one: roof.one, box: free ?? boxes[0] });
  }
  return placed;
}

/** The box of a point's mark. */
export const around = ({ x, y }) => ({ left: x - 7, right: x + 7, top: y - 7, bottom: y + 7 });

const SLOPE_AWAY = 10; // px from either end of the slope to its name
const SLOPE_START = 24; // px from its lower end to the name, where there is room

/** The memory's name along the upper of its slopes: {words, x, y, angle, boxes} or null where the slope is too short for
 * it or full. `taken` are the boxes of other names and of the points. */
export function slopeName({ memory }, lines, scales, area, width, taken) {
  const slopes = lines.filter(({ of }) => of === 'memory');
  if (!slopes.length) return null;
  const { from, to } = slopes.reduce((a, b) => (b.from[1] > a.from[1] ? b : a));
  const angle = Math.atan2(scales.y.decade, scales.x.decade);
  // Where the slope enters the plot: at the left, or at the bottom.
  const low = Math.max(from[0], from[0] * (scales.y.range[0] / from[1]));
  const [x, y] = [scales.x.at(low), scales.y.at((from[1] / from[0]) * low)];
  const length = Math.hypot(scales.x.at(to[0]) - x, scales.y.at(to[1]) - y);
  const figures = roofWords(memory, (value) => rate(value * 1e9));
  const along = (away, over) => [
    x + away * Math.cos(angle) - over * Math.sin(angle),
    y - away * Math.sin(angle) - over * Math.cos(angle),
  ];
  const boxesAt = (start, long) => {
    const boxes = [];
    for (let away = start; away < start + long; away += 10) {
      const [left, middle] = along(away, 10);
      boxes.push({ left, right: left + 10, top: middle - 8, bottom: middle + 8 });
    }
    return boxes;
  };
  for (const words of area.narrow ? ['memory'] : [`memory: ${figures}`, figures, 'memory']) {
    const long = width(words);
    for (const start of starts(length, long)) {
      const boxes = boxesAt(start, long);
      if (boxes.some((box) => taken.some((other) => overlap(box, other)))) continue;
      const [left, top] = along(start, 5);
      return { words, x: left, y: top, angle: (-angle * 180) / Math.PI, boxes };
    }
  }
  return null;
}

/** Where on the slope a name may begin, the best first. */
function starts(length, long) {
  const last = length - long - SLOPE_AWAY;
  if (last < SLOPE_AWAY) return [];
  const list = [];
  for (let start = Math.min(SLOPE_START, (length - long) / 2); start <= last; start += SLOPE_AWAY) list.push(start);
  return [...list, SLOPE_AWAY];
}

export function roofElements(lines, names, slope, scales, area) {
  const place = ([x, y]) => `${round(scales.x.at(x))} ${round(scales.y.at(y))}`;
  return svg(
    'g',
    { class: 'roofline-roofs', 'aria-hidden': 'true' },
    // A part that is outside of the plot is cut off.
    svg(
      'svg',
      {
        x: area.left,
        y: area.top,
        width: area.right - area.left,
        height: area.bottom - area.top,
        viewBox: `${area.left} ${area.top} ${area.right - area.left} ${area.bottom - area.top}`,
      },
      lines.map((line) =>
        svg('path', {
          class: line.kind,
          d: `M${place(line.from)}L${place(line.to)}`,
          style: { stroke: colourOf(line.one) },
        }),
      ),
    ),
    names.map(({ words, one, box }) =>
      svg(
        'text',
        { x: round(box.right), y: round(box.bottom - 3), 'text-anchor': 'end', style: { fill: colourOf(one) } },
        words,
      ),
    ),
    slope &&
      svg(
        'text',
        { transform: `translate(${round(slope.x)} ${round(slope.y)}) rotate(${round(slope.angle)})` },
        slope.words,
      ),
  );
}

// --- the points' labels ----------------------------------------------------------------------------------------------

/** `marks` are {point, x, y}; `taken` the boxes of other texts. The same step of two types at the same place is named
 * once. */
export function labelElements(marks, taken, area, width) {
  const labels = [];
  for (const { point, x, y } of marks) {
    const words = valueWords('step', point.step);
    const near = (other) => other.words === words && Math.hypot(other.x - x, other.y - y) < 9;
    if (!labels.some(near)) labels.push({ words, x, y, width: width(words) });
  }
  const boxes = area.narrow ? [] : placeLabels(labels, { height: LABEL_HEIGHT, area, taken, marks });
  return svg(
    'g',
    { class: 'roofline-labels', 'aria-hidden': 'true' },
    labels.map(({ words, x, y }, index) => {
      const box = boxes[index];
      if (!box) return null;
      const [edge, middle] = [box.side === 'right' ? box.left - 1 : box.right + 1, (box.top + box.bottom) / 2];
      return [
        Math.abs(box.shift) > 3 && svg('path', { d: `M${round(x)} ${round(y)}L${round(edge)} ${round(middle)}` }),
        svg('text', { x: round(box.left), y: round(middle), 'dominant-baseline': 'central' }, words),
      ];
    }),
  );
}
