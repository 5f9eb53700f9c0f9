// Keyboard control of a line chart: left and right move along x, up and down between series, + and − zoom, 0 shows
// everything.

import { pointsAt } from '../../results/lines.js';

const ZOOM_STEP = 0.6;

/** Listens on the chart's `element` until `signal` is aborted. stateOf() returns {visible, view, scales, area, xs,
 * selected}; choose and setWindow as for lineGestures. */
export function lineKeys(element, { stateOf, choose, setWindow }, signal) {
  /** Moves the selection by `step` values of x, or to the x at an index. */
  function alongX(step, index = null) {
    const { visible, view, xs, selected } = stateOf();
    if (!xs?.length) return;
    const at = selected ? xs.indexOf(selected.point.x) : -1;
    const next = index ?? (at < 0 ? (step > 0 ? 0 : xs.length - 1) : Math.min(xs.length - 1, Math.max(0, at + step)));
    const found = pointsAt(visible, xs.at(next), view);
    choose(found.find(({ one }) => one.key === selected?.one.key) ?? found[0] ?? null, true);
  }

  function acrossSeries(step) {
    const { visible, view, selected } = stateOf();
    if (!selected) return alongX(1);
    const found = pointsAt(visible, selected.point.x, view);
    const at = found.findIndex(({ one }) => one.key === selected.one.key);
    return choose(found[Math.min(found.length - 1, Math.max(0, at + step))] ?? null, true);
  }

  function zoom(factor) {
    const { scales, area, selected } = stateOf();
    if (!area) return;
    const middle = selected ? scales.x.at(selected.point.x) : (area.left + area.right) / 2;
    const ends = [area.left, area.right].map((left) => scales.x.valueAt(middle + (left - middle) * factor));
    setWindow(ends);
  }

  const handlers = {
    ArrowRight: () => alongX(1),
    ArrowLeft: () => alongX(-1),
    ArrowUp: () => acrossSeries(-1),
    ArrowDown: () => acrossSeries(1),
    Home: () => alongX(0, 0),
    End: () => alongX(0, -1),
    '+': () => zoom(ZOOM_STEP),
    '=': () => zoom(ZOOM_STEP),
    '-': () => zoom(1 / ZOOM_STEP),
    0: () => setWindow(null),
    Escape: () => choose(null, true),
  };
  element.addEventListener(
    'keydown',
    (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || !handlers[event.key]) return;
      event.preventDefault();
      handlers[event.key]();
    },
    { signal },
  );
}
