// A small chart of one figure over the last minutes, without axes. It is stretched to the size of its element, so that
// new values change a path and no layout.

import { svg } from '../dom.js';

const WIDTH = 300;
const HEIGHT = 48;
const EDGE = 1.5; // half of the line's width stays inside

/** Returns {element, update(segments)}; segments are lists of [x, y], both from 0 to 1, y upwards. The element is
 * hidden from screen readers: the values have to be written beside it. */
export function sparkline() {
  const area = svg('path', { class: 'sparkline-area' });
  const line = svg('path', { class: 'sparkline-line', 'vector-effect': 'non-scaling-stroke' });
  const element = svg(
    'svg',
    { class: 'sparkline', viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: 'none', 'aria-hidden': 'true' },
    area,
    line,
  );
  return {
    element,
    update(segments) {
      area.setAttribute('d', segments.map(areaPath).join(''));
      line.setAttribute('d', segments.map(linePath).join(''));
    },
  };
}

const xOf = (x) => (x * WIDTH).toFixed(1);
const yOf = (y) => (HEIGHT - EDGE - y * (HEIGHT - 2 * EDGE)).toFixed(1);

function linePath(points) {
  const list = points.map(([x, y]) => `${xOf(x)} ${yOf(y)}`);
  return `M${list.join('L')}${list.length === 1 ? 'h0.1' : ''}`;
}

const areaPath = (points) =>
  `M${xOf(points[0][0])} ${HEIGHT}L${points.map(([x, y]) => `${xOf(x)} ${yOf(y)}`).join('L')}L${xOf(points.at(-1)[0])} ${HEIGHT}Z`;
