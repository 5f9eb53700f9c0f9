// The frame of a roofline chart: plot area and scales, grid, roofs with their names, labels of the points. All
// coordinates are pixels of the SVG.

import { svg } from '../dom.js';
import { flops, plain, rate } from '../format.js';
import { overlap, placeLabels } from '../labelplacement.js';
import { decimalTicks } from '../ticks.js';
import { valueText } from '../displaynames.js';
import { colourVariable } from './seriesstyle.js';

const NARROW_WIDTH = 560; // narrower charts use short names and do not label points
const LABEL_HEIGHT = 14;
const TITLE_WIDTH = 24; // px for the title of the vertical axis
const TICK_GAP = 6; // px between a tick label and the axis

const round = (value) => Math.round(value * 10) / 10;

/** The colour of a series; the text colour for null. */
export const colourOf = (series) => (series ? `var(${colourVariable(series)})` : 'var(--text-2)');

/** Returns a function that measures the width of a text in the font of `element`. */
export function textWidths(element) {
  const context = document.createElement('canvas').getContext('2d');
  return (text) => {
    context.font = `12px ${getComputedStyle(element).fontFamily}`;
    return context.measureText(text).width;
  };
}

/** The plot area within an SVG of width `total`: {width, height, left, right, top, bottom, narrow}; null if it is too
 * narrow. The labels of `y` and the axis title are to its left. */
export function areaOf(total, { y }, width) {
  if (total < 120) return null;
  const height = Math.round(Math.min(560, Math.max(340, total * 0.68)));
  const [top, bottom] = [8, height - 44];
  const widest = Math.max(...yTicks(y, bottom - top).map((value) => width(plain(value, 9))));
  const left = TITLE_WIDTH + Math.ceil(widest) + TICK_GAP;
  return { width: total, height, left, right: total - 14, top, bottom, narrow: total < NARROW_WIDTH };
}

const yTicks = ([low, high], length) => decimalTicks(low, high, length, 34);

/** {x, y}: logarithmic scales {at(value) -> px, range, decade: px per decade}. */
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
  const up = yTicks(scales.y.range, bottom - top).map((value) => [value, scales.y.at(value)]);
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
        { x: left - TICK_GAP, y: round(y), 'text-anchor': 'end', 'dominant-baseline': 'central' },
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

/** "60.2 of 66.9 TFLOP/s": measured of theoretical, with one unit if both share it. */
function roofText({ measured, theoretical }, write) {
  if (!theoretical) return `${write(measured)} measured`;
  if (!measured) return `${write(theoretical)} theoretical`;
  const [number, unit] = write(measured).split('\u00a0');
  const whole = write(theoretical);
  return `${whole.endsWith(`\u00a0${unit}`) ? number : write(measured)} of ${whole}`;
}

const NAME_GAP = 24; // px from the start of a flat roof to its name
const NAME_STEP = 20;

/** The names of the flat roofs: above the line, as far right as `marks` allow, and stacked where roofs are close:
 * [{text, series, box}]. */
export function flatNames({ compute }, lines, scales, area, width, marks) {
  const placed = [];
  const upper = (type) => lines.filter(({ of }) => of === type).reduce((a, b) => (b.to[1] > a.to[1] ? b : a));
  const drawn = compute.filter(({ type }) => lines.some(({ of }) => of === type));
  const roofs = drawn.map((roof) => ({ roof, line: upper(roof.type) })).sort((a, b) => a.line.to[1] - b.line.to[1]);
  const full = marks.map(around);
  for (const { roof, line } of roofs) {
    const type = valueText('type', roof.type);
    const text = area.narrow ? type : `${type}: ${roofText(roof, (value) => flops(value * 1e9))}`;
    const long = width(text);
    const boxAt = (left) => {
      let bottom = scales.y.at(line.to[1]) - 3;
      const box = () => ({ left, right: left + long, bottom, top: bottom - LABEL_HEIGHT });
      for (const other of placed) if (overlap(box(), other.box)) bottom = other.box.top;
      return box();
    };
    const [first, last] = [area.right - 4 - long, scales.x.at(line.from[0]) + NAME_GAP];
    const places = [first];
    for (let left = first - NAME_STEP; left > last; left -= NAME_STEP) places.push(left);
    if (last < first) places.push(last);
    const boxes = places.map(boxAt);
    const free = boxes.find((box) => !full.some((mark) => overlap(box, mark)));
    placed.push({ text, series: roof.series, box: free ?? boxes[0] });
  }
  return placed;
}

/** The box around the mark of a point. */
export const around = ({ x, y }) => ({ left: x - 7, right: x + 7, top: y - 7, bottom: y + 7 });

const SLOPE_GAP = 10; // minimum px from either end of the slope to its name
const SLOPE_START = 24; // preferred px from the lower end of the slope to its name

/** The name of the memory roof, along the upper of its slopes: {text, x, y, angle, boxes}; null if there is no free
 * position. `taken` are the boxes of other names and of the points. */
export function slopeName({ memory }, lines, scales, area, width, taken) {
  const slopes = lines.filter(({ of }) => of === 'memory');
  if (!slopes.length) return null;
  const { from, to } = slopes.reduce((a, b) => (b.from[1] > a.from[1] ? b : a));
  const angle = Math.atan2(scales.y.decade, scales.x.decade);
  // The slope enters the plot at the left or at the bottom.
  const low = Math.max(from[0], from[0] * (scales.y.range[0] / from[1]));
  const [x, y] = [scales.x.at(low), scales.y.at((from[1] / from[0]) * low)];
  const length = Math.hypot(scales.x.at(to[0]) - x, scales.y.at(to[1]) - y);
  const figures = roofText(memory, (value) => rate(value * 1e9));
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
  for (const text of area.narrow ? ['memory'] : [`memory: ${figures}`, figures, 'memory']) {
    const long = width(text);
    for (const start of starts(length, long)) {
      const boxes = boxesAt(start, long);
      if (boxes.some((box) => taken.some((other) => overlap(box, other)))) continue;
      const [left, top] = along(start, 5);
      return { text, x: left, y: top, angle: (-angle * 180) / Math.PI, boxes };
    }
  }
  return null;
}

/** Possible start positions of the name along the slope, the best first. */
function starts(length, long) {
  const last = length - long - SLOPE_GAP;
  if (last < SLOPE_GAP) return [];
  const list = [];
  for (let start = Math.min(SLOPE_START, (length - long) / 2); start <= last; start += SLOPE_GAP) list.push(start);
  return [...list, SLOPE_GAP];
}

export function roofElements(lines, names, slope, scales, area) {
  const place = ([x, y]) => `${round(scales.x.at(x))} ${round(scales.y.at(y))}`;
  return svg(
    'g',
    { class: 'roofline-roofs', 'aria-hidden': 'true' },
    // The nested SVG clips lines to the plot area.
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
          style: { stroke: colourOf(line.series) },
        }),
      ),
    ),
    names.map(({ text, series, box }) =>
      svg(
        'text',
        { x: round(box.right), y: round(box.bottom - 3), 'text-anchor': 'end', style: { fill: colourOf(series) } },
        text,
      ),
    ),
    slope &&
      svg(
        'text',
        { transform: `translate(${round(slope.x)} ${round(slope.y)}) rotate(${round(slope.angle)})` },
        slope.text,
      ),
  );
}

// --- labels of the points -------------------------------------------------------------------------------------------

/** The labels of the points; `marks` are {point, x, y}, `taken` the boxes of other texts. A step that two types have at
 * nearly the same position is labelled once. */
export function labelElements(marks, taken, area, width) {
  const labels = [];
  for (const { point, x, y } of marks) {
    const text = valueText('step', point.step);
    const near = (other) => other.text === text && Math.hypot(other.x - x, other.y - y) < 9;
    if (!labels.some(near)) labels.push({ text, x, y, width: width(text) });
  }
  const boxes = area.narrow ? [] : placeLabels(labels, { height: LABEL_HEIGHT, area, taken, marks });
  return svg(
    'g',
    { class: 'roofline-labels', 'aria-hidden': 'true' },
    labels.map(({ text, x, y }, index) => {
      const box = boxes[index];
      if (!box) return null;
      const [edge, middle] = [box.side === 'right' ? box.left - 1 : box.right + 1, (box.top + box.bottom) / 2];
      return [
        Math.abs(box.shift) > 3 && svg('path', { d: `M${round(x)} ${round(y)}L${round(edge)} ${round(middle)}` }),
        svg('text', { x: round(box.left), y: round(middle), 'dominant-baseline': 'central' }, text),
      ];
    }),
  );
}
