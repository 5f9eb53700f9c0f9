// Pointer control of a timeline: the wheel and two-finger pinch zoom; a drag selects a range; Shift with a drag, one
// finger and the horizontal wheel move the window. All positions are pixels within the plot.

const CLICK_DISTANCE = 4; // px that the pointer may move during a click
const LINE_HEIGHT = 16; // px per line of wheel events that count lines

/** Listens on the element `area` until `signal` is aborted, and calls the functions of `actions`: zoom(factor, x),
 * move(px), previewRange(x0, x1 or null to hide it), selectRange(x0, x1), showAll(), choose(event of a click),
 * hover(event, or null when the pointer leaves). `actions` also has xOf(event), the position of an event; isWhole(),
 * whether everything is visible; and isActive(), whether the wheel zooms without Ctrl. */
export function gestures(area, actions, signal) {
  const pointers = new Map(); // pointer id -> {x, y}
  let drag = null; // {mode: "select" or "move", start, last: positions, moved: farther than a click}
  let pinchDistance = 0; // px between two fingers
  const on = (type, handler, options) => area.addEventListener(type, handler, { signal, ...options });

  on(
    'wheel',
    (event) => {
      const lines = event.deltaMode === 1 ? LINE_HEIGHT : 1;
      const [x, y] = [event.deltaX * lines, event.deltaY * lines];
      if (Math.abs(x) > Math.abs(y) || event.shiftKey) {
        if (actions.isWhole()) return;
        event.preventDefault();
        actions.move(Math.abs(x) > Math.abs(y) ? x : y);
        return;
      }
      if (!event.ctrlKey && (!actions.isActive() || (y > 0 && actions.isWhole()))) return; // the page scrolls
      event.preventDefault();
      const speed = event.ctrlKey && Math.abs(y) < 50 ? 0.012 : 0.002; // a pinch on a trackpad produces small steps
      actions.zoom(Math.exp(Math.min(0.7, Math.max(-0.7, y * speed))), actions.xOf(event));
    },
    { passive: false },
  );

  on('pointerdown', (event) => {
    if (event.button !== 0 || event.target.closest('a, button, label, summary')) return;
    pointers.set(event.pointerId, event);
    if (pointers.size === 2) {
      pinchDistance = distance();
      endDrag();
      return;
    }
    const mode = event.pointerType === 'touch' || event.shiftKey ? 'move' : 'select';
    drag = { mode, start: actions.xOf(event), last: actions.xOf(event), moved: false };
  });

  on('pointermove', (event) => {
    if (pointers.has(event.pointerId)) pointers.set(event.pointerId, event);
    if (pointers.size === 2) pinch();
    else if (drag) continueDrag(event);
    else actions.hover(event);
  });

  function continueDrag(event) {
    const x = actions.xOf(event);
    if (!drag.moved && Math.abs(x - drag.start) < CLICK_DISTANCE) return;
    if (!drag.moved) area.setPointerCapture(event.pointerId);
    drag.moved = true;
    actions.hover(null);
    if (drag.mode === 'move') actions.move(drag.last - x);
    else actions.previewRange(drag.start, x);
    drag.last = x;
  }

  function pinch() {
    const now = distance();
    const [a, b] = [...pointers.values()].map(actions.xOf);
    if (now > 0 && pinchDistance > 0) actions.zoom(pinchDistance / now, (a + b) / 2);
    pinchDistance = now;
  }

  const distance = () => {
    const [a, b] = [...pointers.values()];
    return Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);
  };

  function endDrag() {
    drag = null;
    actions.previewRange(0, null);
  }

  on('pointerup', (event) => {
    pointers.delete(event.pointerId);
    const ended = drag;
    endDrag();
    if (ended?.moved && ended.mode === 'select') actions.selectRange(ended.start, actions.xOf(event));
    else if (ended && !ended.moved) {
      actions.hover(event);
      actions.choose(event);
    }
  });
  on('pointercancel', (event) => {
    pointers.delete(event.pointerId);
    endDrag();
  });
  on('pointerleave', () => actions.hover(null));
  on('dblclick', (event) => event.target.closest('a, button, label, summary') || actions.showAll());
}
