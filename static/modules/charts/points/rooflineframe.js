// The parts of a roofline chart around the points: roofs with their names, labels of the points. All coordinates are
// pixels of the SVG. `area` and `scales` are those of xyframe.js, `lines` the result of linesOf; `textWidth` measures a
// text (textWidths).

import { svg } from '../../dom.js';
import { axisUnit } from '../../results/axisunit.js';
import { flops, rate, tickText } from '../../text/format.js';
import { overlap, placeLabels } from '../../results/labelplacement.js';
import { valueText } from '../../text/displaynames.js';
import { colourOf, round } from '../xyframe.js';

const LABEL_HEIGHT = 14;

/** The dimensions of the chart (xyframe.js), whose ranges are `bounds`. */
export function dimensionsOf(bounds, metric) {
  return {
    x: { range: bounds.x, log: true, write: tickText, title: 'Arithmetic intensity (FLOP/B)' },
    y: { range: bounds.y, log: true, ...axisUnit(metric, bounds.y, true) },
  };
}

// --- the roofs -------------------------------------------------------------------------------------------------------

/** The values of a roof, such as "60.2 of 66.9 TFLOP/s" (measured of theoretical), with one unit if both have the same.
 */
function roofText({ measured, theoretical }, write) {
  if (!theoretical) return `${write(measured)} measured`;
  if (!measured) return `${write(theoretical)} theoretical`;
  const [number, unit] = write(measured).split('\u00a0');
  const peak = write(theoretical);
  return `${peak.endsWith(`\u00a0${unit}`) ? number : write(measured)} of ${peak}`;
}

const NAME_GAP = 24; // minimum px from the start of a flat roof to its name
const NAME_STEP = 20; // px between two positions that are tried for a name

/** The names of the compute roofs, which are flat: [{text, series, box}]. A name is above its roof, at the rightmost
 * position where it covers none of `marks`; names of roofs that are close are above one another. */
export function flatNames({ compute }, lines, scales, area, textWidth, marks) {
  const placed = [];
  const upperLine = (name) => lines.filter(({ of }) => of === name).reduce((a, b) => (b.to[1] > a.to[1] ? b : a));
  const drawn = compute.filter(({ name }) => lines.some(({ of }) => of === name));
  const roofs = drawn.map((roof) => ({ roof, line: upperLine(roof.name) })).sort((a, b) => a.line.to[1] - b.line.to[1]);
  const markBoxes = marks.map(around);
  for (const { roof, line } of roofs) {
    const name = valueText('type', roof.name);
    const text = area.narrow ? name : `${name}: ${roofText(roof, (value) => flops(value * 1e9))}`;
    const nameWidth = textWidth(text);
    const boxAt = (left) => {
      let bottom = scales.y.at(line.to[1]) - 3;
      const box = () => ({ left, right: left + nameWidth, bottom, top: bottom - LABEL_HEIGHT });
      for (const other of placed) if (overlap(box(), other.box)) bottom = other.box.top;
      return box();
    };
    const [rightmost, leftmost] = [area.right - 4 - nameWidth, scales.x.at(line.from[0]) + NAME_GAP];
    const positions = [rightmost];
    for (let left = rightmost - NAME_STEP; left > leftmost; left -= NAME_STEP) positions.push(left);
    if (leftmost < rightmost) positions.push(leftmost);
    const boxes = positions.map(boxAt);
    const free = boxes.find((box) => !markBoxes.some((mark) => overlap(box, mark)));
    placed.push({ text, series: roof.series, box: free ?? boxes[0] });
  }
  return placed;
}

/** The box around the mark of a point. */
export const around = ({ x, y }) => ({ left: x - 7, right: x + 7, top: y - 7, bottom: y + 7 });

const SLOPE_GAP = 10; // minimum px from either end of the slope to its name
const SLOPE_START = 24; // preferred px from the lower end of the slope to its name

/** The name of the memory roof, written along the upper of its two slopes: {text, x, y, angle in degrees, boxes: boxes
 * that cover the text}; null if there is no free position. `taken` are the boxes of other names and of the points. */
export function slopeName({ memory }, lines, scales, area, textWidth, taken) {
  const slopes = lines.filter(({ of }) => of === 'memory');
  if (!slopes.length) return null;
  const { from, to } = slopes.reduce((a, b) => (b.from[1] > a.from[1] ? b : a));
  const angle = Math.atan2(scales.y.decade, scales.x.decade);
  // The slope enters the plot at the left or at the bottom.
  const low = Math.max(from[0], from[0] * (scales.y.range[0] / from[1]));
  const [x, y] = [scales.x.at(low), scales.y.at((from[1] / from[0]) * low)];
  const length = Math.hypot(scales.x.at(to[0]) - x, scales.y.at(to[1]) - y);
  const figures = roofText(memory, (value) => rate(value * 1e9));
  // The position `distance` px along the slope from its lower end and `height` px above it.
  const positionAt = (distance, height) => [
    x + distance * Math.cos(angle) - height * Math.sin(angle),
    y - distance * Math.sin(angle) - height * Math.cos(angle),
  ];
  const boxesAt = (start, nameWidth) => {
    const boxes = [];
    for (let distance = start; distance < start + nameWidth; distance += 10) {
      const [left, middle] = positionAt(distance, 10);
      boxes.push({ left, right: left + 10, top: middle - 8, bottom: middle + 8 });
    }
    return boxes;
  };
  for (const text of area.narrow ? ['memory'] : [`memory: ${figures}`, figures, 'memory']) {
    const nameWidth = textWidth(text);
    for (const start of startsOf(length, nameWidth)) {
      const boxes = boxesAt(start, nameWidth);
      if (boxes.some((box) => taken.some((other) => overlap(box, other)))) continue;
      const [left, top] = positionAt(start, 5);
      return { text, x: left, y: top, angle: (-angle * 180) / Math.PI, boxes };
    }
  }
  return null;
}

/** Possible distances from the lower end of a slope to the start of its name, the best first; [] if the slope is too
 * short for the name. */
function startsOf(length, nameWidth) {
  const last = length - nameWidth - SLOPE_GAP;
  if (last < SLOPE_GAP) return [];
  const list = [];
  for (let start = Math.min(SLOPE_START, (length - nameWidth) / 2); start <= last; start += SLOPE_GAP) list.push(start);
  return [...list, SLOPE_GAP];
}

/** The SVG group with the lines of the roofs and their names; `names` as returned by flatNames, `slope` by slopeName.
 */
export function roofElements(lines, names, slope, scales, area) {
  const coordinates = ([x, y]) => `${round(scales.x.at(x))} ${round(scales.y.at(y))}`;
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
          d: `M${coordinates(line.from)}L${coordinates(line.to)}`,
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

/** The SVG group with the labels of the points; `marks` are the points as drawn ({x, y, label}), `taken` the boxes of
 * other texts. Points without a label have none; those with the same at nearly the same position have one. */
export function labelElements(marks, taken, area, textWidth) {
  const labels = [];
  for (const { label: text, x, y } of marks) {
    if (!text) continue;
    const isNear = (other) => other.text === text && Math.hypot(other.x - x, other.y - y) < 9;
    if (!labels.some(isNear)) labels.push({ text, x, y, width: textWidth(text) });
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
