// What hands do on a timeline: the wheel and two fingers zoom, a drag chooses a part, Shift with a drag, one finger and
// the sideways wheel move. All places are pixels within the plot.

const CLICK = 4; // px that a click may wander
const LINE = 16; // px of a wheel's line

/** Listens on `area` until `signal` is aborted. `hands` is told: zoom(factor, x), move(px), choosing(x0, x1 | null),
 * choose(x0, x1), whole(), point(event | null); it answers xOf(event), isWhole() and isActive() (whether the plain wheel
 * is meant for the timeline). */
export function gestures(area, hands, signal) {
  const down = new Map(); // pointer id -> {x, y}
  let drag = null; // {mode, start, last, far}
  let spread = 0; // px between two fingers
  const on = (type, handler, options) => area.addEventListener(type, handler, { signal, ...options });

  on(
    'wheel',
    (event) => {
      const lines = event.deltaMode === 1 ? LINE : 1;
      const [x, y] = [event.deltaX * lines, event.deltaY * lines];
      if (Math.abs(x) > Math.abs(y) || event.shiftKey) {
        if (hands.isWhole()) return;
        event.preventDefault();
        hands.move(Math.abs(x) > Math.abs(y) ? x : y);
        return;
      }
      if (!event.ctrlKey && (!hands.isActive() || (y > 0 && hands.isWhole()))) return; // the page scrolls
      event.preventDefault();
      const speed = event.ctrlKey && Math.abs(y) < 50 ? 0.012 : 0.002; // pinching a trackpad gives small steps
      hands.zoom(Math.exp(Math.min(0.7, Math.max(-0.7, y * speed))), hands.xOf(event));
    },
    { passive: false },
  );

  on('pointerdown', (event) => {
    if (event.button !== 0 || event.target.closest('a, button, label, summary')) return;
    down.set(event.pointerId, event);
    if (down.size === 2) {
      spread = distance();
      end();
      return;
    }
    const mode = event.pointerType === 'touch' || event.shiftKey ? 'move' : 'choose';
    drag = { mode, start: hands.xOf(event), last: hands.xOf(event), far: false };
  });

  on('pointermove', (event) => {
    if (down.has(event.pointerId)) down.set(event.pointerId, event);
    if (down.size === 2) pinch();
    else if (drag) pull(event);
    else hands.point(event);
  });

  function pull(event) {
    const x = hands.xOf(event);
    if (!drag.far && Math.abs(x - drag.start) < CLICK) return;
    if (!drag.far) area.setPointerCapture(event.pointerId);
    drag.far = true;
    hands.point(null);
    if (drag.mode === 'move') hands.move(drag.last - x);
    else hands.choosing(drag.start, x);
    drag.last = x;
  }

  function pinch() {
    const now = distance();
    const [a, b] = [...down.values()].map(hands.xOf);
    if (now > 0 && spread > 0) hands.zoom(spread / now, (a + b) / 2);
    spread = now;
  }

  const distance = () => {
    const [a, b] = [...down.values()];
    return Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);
  };

  function end() {
    drag = null;
    hands.choosing(0, null);
  }

  on('pointerup', (event) => {
    down.delete(event.pointerId);
    const done = drag;
    end();
    if (done?.far && done.mode === 'choose') hands.choose(done.start, hands.xOf(event));
    else if (done && !done.far) hands.point(event);
  });
  on('pointercancel', (event) => {
    down.delete(event.pointerId);
    end();
  });
  on('pointerleave', () => hands.point(null));
  on('dblclick', (event) => event.target.closest('a, button, label, summary') || hands.whole());
}
