// The points of an SVG chart: markers with a tooltip for pointer and keyboard. The arrow keys move the focus from point to
// point.

import { h, svg } from '../dom.js';
import { markerOf } from './seriesstyle.js';
import { colourOf, round } from './xyframe.js';

/** Returns {tooltip, draw(points, order, place)}. `chart` is the SVG, `element` the positioned element around it.
 * `textsOf(point)` returns the name of a point, then its values. */
export function pointMarks({ chart, element, textsOf }) {
  const tooltip = h('div', { class: 'tooltip', hidden: true, 'aria-hidden': 'true' });
  let marks = new Map(); // key of a point -> its element
  let order = []; // keys of the points
  let selectedKey = null; // key of the point selected with the keyboard

  function markOf(point) {
    const { key, series, x, y, hollow, wrong } = point;
    const colour = colourOf(series);
    return svg(
      'g',
      {
        class: 'point',
        role: 'img',
        'aria-label': textsOf(point).join(', '),
        transform: `translate(${round(x)} ${round(y)})`,
        on: {
          pointerenter: () => showTooltip(point),
          pointerleave: hideTooltip,
          click: () => select(key),
          focus: () => showTooltip(point),
          blur: hideTooltip,
          keydown: (event) => onKey(event, key),
        },
      },
      svg('circle', { class: 'point-hit-area', r: 11 }),
      svg('path', {
        class: hollow ? 'point-mark hollow' : 'point-mark',
        d: markerOf(series),
        transform: 'scale(1.25)',
        style: hollow ? { stroke: colour } : { fill: colour },
      }),
      wrong && svg('path', { class: 'point-wrong', d: 'M-7-7L7 7M7-7L-7 7' }),
    );
  }

  function showTooltip(point) {
    const [name, ...facts] = textsOf(point);
    tooltip.replaceChildren(h('strong', {}, name), ...facts.map((text) => h('span', {}, text)));
    tooltip.hidden = false;
    const [available, box] = [element.clientWidth, tooltip.getBoundingClientRect()];
    const left = point.x + 14 + box.width > available ? Math.max(0, point.x - 14 - box.width) : point.x + 14;
    Object.assign(tooltip.style, { left: `${left}px`, top: `${Math.max(0, point.y - box.height - 8)}px` });
  }

  function hideTooltip() {
    tooltip.hidden = true;
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
    tooltip,
    /** Draws points {key, series, x, y, hollow, wrong}, x and y in px. `order` lists their keys in the order of the arrow
     * keys. `place(elements)` inserts the elements into the chart. */
    draw(points, keys, place) {
      const hadFocus = chart.contains(document.activeElement);
      marks = new Map(points.map((point) => [point.key, markOf(point)]));
      order = keys;
      if (!marks.has(selectedKey)) selectedKey = points[0]?.key ?? null;
      place([...marks.values()]);
      markSelected();
      hideTooltip();
      if (hadFocus) select(selectedKey);
    },
  };
}
