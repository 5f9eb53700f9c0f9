// Pointer control of a line chart: the pointer selects the nearest point, a horizontal drag the range of x to show.

import { nearestX, pointsAt } from '../../results/lines.js';

const CLICK_DISTANCE = 5; // px that the pointer may move during a click

/** Listens on the chart's `element` until `signal` is aborted. stateOf() returns {visible, view, scales, area, xs};
 * choose({one, point} or null) selects a point; setWindow(window or null) zooms; `selection` is the element that shows
 * the range of a drag. */
export function lineGestures(element, { stateOf, choose, setWindow, selection }, signal) {
  let start = null; // px where a drag began
  let moved = false;
  const on = (type, handler) => element.addEventListener(type, handler, { signal });
  const position = (event) => {
    const box = element.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  const clamp = (left, { area }) => Math.min(area.right, Math.max(area.left, left));

  function hover(event) {
    const { visible, view, scales, area, xs } = stateOf();
    const [left, top] = position(event);
    if (!scales || !xs.length || left < area.left - 10) return choose(null);
    const found = pointsAt(visible, nearestX(xs, scales.x, left), view);
    const distance = ({ point }) => Math.abs(scales.y.at(point.measurement.median) - top);
    return choose(found.reduce((a, b) => (distance(b) < distance(a) ? b : a), found[0] ?? null));
  }

  function preview(event) {
    const state = stateOf();
    const [a, b] = [start, position(event)[0]].map((left) => clamp(left, state)).sort((p, q) => p - q);
    selection.hidden = false;
    selection.style.setProperty('left', `${a}px`);
    selection.style.setProperty('width', `${b - a}px`);
    selection.style.setProperty('top', `${state.area.top}px`);
    selection.style.setProperty('height', `${state.area.bottom - state.area.top}px`);
  }

  on('pointerdown', (event) => {
    const { area } = stateOf();
    const [left, top] = position(event);
    if (event.button !== 0 || !area || left < area.left - 10 || top > area.bottom) return;
    [start, moved] = [left, false];
    element.setPointerCapture(event.pointerId);
  });
  on('pointermove', (event) => {
    if (start === null) return hover(event);
    moved ||= Math.abs(position(event)[0] - start) > CLICK_DISTANCE;
    return moved && preview(event);
  });
  on('pointerup', (event) => {
    const ended = start;
    start = null;
    selection.hidden = true;
    if (ended === null || !moved) return hover(event);
    const state = stateOf();
    const ends = [ended, position(event)[0]].map((left) => state.scales.x.valueAt(clamp(left, state)));
    return setWindow(ends.sort((p, q) => p - q));
  });
  on('pointercancel', () => {
    start = null;
    selection.hidden = true;
  });
  on('pointerleave', () => start === null && choose(null));
  on('dblclick', () => setWindow(null));
}
