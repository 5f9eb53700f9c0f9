// How the user chooses a point of a chart to see its samples.

const CLICK_DISTANCE = 5; // px that the pointer may move during a click
const DOUBLE_CLICK_MS = 500; // within which browsers take a second click for a double click

/** Calls show(measurement) when the user clicks at the point that is read, or presses Enter, in `element`. `read()`
 * returns the measurement that is read, or null. A drag is no click, nor is a double click while isZoomed(), because it
 * shows the whole range again; the first touch only reads a point. */
export function chooseSamples({ element, read, show, isZoomed, signal }) {
  let pressed = {}; // the measurement that was read when the button went down, and where
  let waiting = null; // for a second click
  const on = (type, handler) => element.addEventListener(type, handler, { signal, capture: true });

  on('pointerdown', ({ clientX: x, clientY: y }) => {
    clearTimeout(waiting);
    pressed = { measurement: read(), x, y };
  });
  on('pointermove', ({ clientX, clientY }) => {
    if (Math.hypot(clientX - pressed.x, clientY - pressed.y) >= CLICK_DISTANCE) pressed.measurement = null;
  });
  on('click', ({ detail }) => {
    const { measurement } = pressed;
    if (!measurement || measurement !== read()) return;
    if (!isZoomed()) show(measurement);
    else if (detail < 2) waiting = setTimeout(show, DOUBLE_CLICK_MS, measurement);
  });
  on('keydown', ({ key }) => key === 'Enter' && read() && show(read()));
  signal.addEventListener('abort', () => clearTimeout(waiting));
}
