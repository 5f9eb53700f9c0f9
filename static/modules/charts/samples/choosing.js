// How the user chooses a point of a chart to see its samples.

const CLICK_DISTANCE = 5; // px that the pointer may move during a click

/** Calls show(measurement) when the user clicks at the point that is read, or presses Enter, in `element`. `read()` returns the
 * measurement that is read, or null. A drag is no click; the first touch only reads a point. */
export function chooseSamples({ element, read, show, signal }) {
  let pressed = {}; // the measurement that was read when the button went down, and where
  const isThere = ({ clientX, clientY }) => Math.hypot(clientX - pressed.x, clientY - pressed.y) < CLICK_DISTANCE;
  const on = (type, handler) => element.addEventListener(type, handler, { signal, capture: true });
  on('pointerdown', ({ clientX: x, clientY: y }) => (pressed = { measurement: read(), x, y }));
  on('click', (event) => pressed.measurement && pressed.measurement === read() && isThere(event) && show(read()));
  on('keydown', ({ key }) => key === 'Enter' && read() && show(read()));
}
