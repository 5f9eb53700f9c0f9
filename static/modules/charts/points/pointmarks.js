// The points of an SVG chart: markers whose values are read with the pointer or the keyboard. The arrow keys move the
// focus from point to point.

import { svg } from '../../dom.js';
import { markerOf } from '../seriesstyle.js';
import { colourOf, round } from '../xyframe.js';

/** Returns {draw(points, order, place)}. `chart` is the SVG; readingOf(point) returns the reading of a point
 * (readout.js), and read(reading or null) shows it. */
export function pointMarks({ chart, read, readingOf }) {
  let marks = new Map(); // key of a point -> its element
  let order = []; // keys of the points
  let selectedKey = null; // key of the point selected with the keyboard

  function markOf(point) {
    const { key, series, x, y, second = null, hollow, wrong, caution } = point;
    const { name, facts, cautions } = readingOf(point);
    const colour = colourOf(series);
    return svg(
      'g',
      {
        class: 'point',
        role: 'img',
        'aria-label': [name, ...facts, ...cautions.map((one) => one.name)].join(', '),
        transform: `translate(${round(x)} ${round(y)})`,
        on: {
          pointerenter: () => read(readingOf(point)),
          pointerleave: () => read(null),
          click: () => select(key),
          focus: () => read(readingOf(point)),
          blur: () => read(null),
          keydown: (event) => onKey(event, key),
        },
      },
      svg('circle', { class: 'point-hit-area', r: 11 }),
      second && svg('path', { class: 'point-second', d: `M0 0H${round(second.x - x)}`, style: { stroke: colour } }),
      second && !second.beyond && svg('circle', { class: 'point-second', cx: round(second.x - x), r: 3, style: { fill: colour } }),
      svg('path', {
        class: hollow ? 'point-mark hollow' : 'point-mark',
        d: markerOf(series),
        transform: 'scale(1.25)',
        style: hollow ? { stroke: colour } : { fill: colour },
      }),
      wrong && svg('path', { class: 'mark-wrong', d: 'M-7-7L7 7M7-7L-7 7' }),
      caution && svg('path', { class: 'mark-caution', d: 'M0-15l4.5 8h-9z' }),
    );
  }

  /** Moves the keyboard focus to a point. */
  function select(key) {
    selectedKey = key;
    markSelected();
    marks.get(key)?.focus({ preventScroll: true });
  }

  /** Lets the Tab key reach the selected point. */
  function markSelected() {
    for (const [key, mark] of marks) mark.setAttribute('tabindex', key === selectedKey ? 0 : -1);
  }

  function onKey(event, key) {
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

  return {
    /** Draws points {key, series, x, y, second, hollow, wrong, caution}, x and y in px. `second` {x, beyond} is another
     * value, null for none: a dot at the end of a line, which has none if the value is beyond the chart. `order` lists
     * their keys in the order of the arrow keys. `place(elements)` inserts the elements into the chart. */
    draw(points, keys, place) {
      const hadFocus = chart.contains(document.activeElement);
      marks = new Map(points.map((point) => [point.key, markOf(point)]));
      order = keys;
      if (!marks.has(selectedKey)) selectedKey = points[0]?.key ?? null;
      place([...marks.values()]);
      markSelected();
      if (hadFocus) select(selectedKey);
    },
  };
}
