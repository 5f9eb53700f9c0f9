// A field as a heat map: a canvas with axes, the scale of its colours, and the value under the pointer. The arrow keys
// move a cross over the map where there is no pointer.

import { h } from '../../dom.js';
import { colourAt, pixelsOf, valueAt } from '../../results/field.js';
import { evenTicks } from '../../results/ticks.js';
import { titleFromName } from '../../text/displaynames.js';
import { plain, significant, tickText } from '../../text/format.js';

const SCALE_STEPS = 32; // colours of the scale
const KEY_STEP = 1 / 32; // of the side of the map
const MOVES = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowDown: [0, -1], ArrowUp: [0, 1] };

/** The panel of a field as fieldOf (results/field.js) returns it. */
export function fieldMap(field, signal) {
  const title = [titleFromName(field.name), field.point].filter(Boolean).join(' · ');
  const reading = h('p', { class: 'field-reading', 'aria-live': 'polite' }, HINT);
  const cross = h('div', { class: 'field-cross', hidden: true });
  const frame = h('div', { class: 'field-frame', tabindex: 0, role: 'img', 'aria-label': describe(title, field) }, canvasOf(field), cross);
  let place = { x: 0.5, y: 0.5 };

  function show(next) {
    place = next;
    reading.textContent = readingOf(field, place);
    Object.assign(cross.style, { left: `${100 * place.x}%`, bottom: `${100 * place.y}%` });
    cross.hidden = false;
  }
  function point({ clientX, clientY }) {
    const { left, bottom, width, height } = frame.getBoundingClientRect();
    show({ x: within((clientX - left) / width), y: within((bottom - clientY) / height) });
  }
  function move(event) {
    const [right, up] = MOVES[event.key] ?? [];
    if (right === undefined) return;
    event.preventDefault();
    show({ x: within(place.x + right * KEY_STEP), y: within(place.y + up * KEY_STEP) });
  }
  function leave() {
    cross.hidden = true;
    reading.textContent = HINT;
  }
  for (const [name, listener] of Object.entries({ pointermove: point, pointerleave: leave, blur: leave, keydown: move }))
    frame.addEventListener(name, listener, { signal });

  return h('section', { class: 'panel field-map', 'aria-label': title }, h('h2', {}, title), reading, h('div', { class: 'field-body' }, axisOf('y'), frame, scaleOf(field), axisOf('x')), h('p', { class: 'aside' }, rangeText(field)));
}

/** An axis from 0 to 1, which is the side of the field. */
const axisOf = (name) => h('div', { class: `field-axis ${name}`, 'aria-hidden': 'true' }, ['0', `${name} / side`, '1'].map((text) => h('span', {}, text)));

const rangeText = ({ least, greatest }) =>
  least === null ? 'No finite values.' : `Values without a unit, from ${significant(least)} to ${significant(greatest)}.`;

const HINT = 'Point at the map, or focus it and use the arrow keys, to read values.';

const within = (share) => Math.min(Math.max(share, 0), 1);

function canvasOf(field) {
  const canvas = h('canvas', { width: field.columns, height: field.rows });
  canvas.getContext('2d').putImageData(new ImageData(pixelsOf(field), field.columns, field.rows), 0, 0);
  return canvas;
}

const SCALE_TICKS = 6; // at most

/** The colours with values beside them. */
function scaleOf({ least, greatest }) {
  const ramp = h('canvas', { class: 'field-ramp', width: 1, height: SCALE_STEPS, 'aria-hidden': 'true' });
  const context = ramp.getContext('2d');
  for (let step = 0; step < SCALE_STEPS; step++) {
    context.fillStyle = `rgb(${colourAt(1 - step / (SCALE_STEPS - 1)).join(' ')})`;
    context.fillRect(0, step, 1, 1);
  }
  const ticks = least === null ? [] : least < greatest ? evenTicks(least, greatest, SCALE_TICKS) : [least];
  const place = (value) => ({ bottom: `${(100 * (value - least)) / (greatest - least || 1)}%` });
  const texts = ticks.map((value) => h('span', { style: place(value) }, tickText(value)));
  return h('div', { class: 'field-scale' }, ramp, h('div', { class: 'field-values' }, texts));
}

const describe = (title, { least, greatest }) =>
  least === null ? `${title}: no finite values` : `${title}: values from ${significant(least)} to ${significant(greatest)}`;

const readingOf = (field, { x, y }) => {
  const value = valueAt(field, x, y);
  return `x ${plain(x)} · y ${plain(y)} of the side: ${Number.isFinite(value) ? significant(value, 6) : 'no finite value'}`;
};
