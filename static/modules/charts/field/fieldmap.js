// A field as a heat map: a canvas, the scale of its colours, and the value under the pointer. The arrow keys move a cross
// over the map where there is no pointer.

import { h } from '../../dom.js';
import { colourAt, pixelsOf, valueAt } from '../../results/field.js';
import { titleFromName } from '../../text/displaynames.js';
import { plain, significant } from '../../text/format.js';

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

  return h('section', { class: 'panel field-map', 'aria-label': title }, h('h2', {}, title), reading, h('div', { class: 'field-body' }, frame, scaleOf(field)));
}

const HINT = 'Point at the map, or focus it and use the arrow keys, to read values.';

const within = (share) => Math.min(Math.max(share, 0), 1);

function canvasOf(field) {
  const canvas = h('canvas', { width: field.columns, height: field.rows });
  canvas.getContext('2d').putImageData(new ImageData(pixelsOf(field), field.columns, field.rows), 0, 0);
  return canvas;
}

/** The colours with the values at the ends and in the middle. */
function scaleOf({ least, greatest }) {
  const ramp = h('canvas', { class: 'field-ramp', width: 1, height: SCALE_STEPS, 'aria-hidden': 'true' });
  const context = ramp.getContext('2d');
  for (let step = 0; step < SCALE_STEPS; step++) {
    context.fillStyle = `rgb(${colourAt(1 - step / (SCALE_STEPS - 1)).join(' ')})`;
    context.fillRect(0, step, 1, 1);
  }
  const values = least === null ? [] : [greatest, (least + greatest) / 2, least];
  return h('div', { class: 'field-scale' }, ramp, h('div', { class: 'field-values' }, values.map((value) => h('span', {}, significant(value)))));
}

const describe = (title, { least, greatest }) =>
  least === null ? `${title}: no finite values` : `${title}: values from ${significant(least)} to ${significant(greatest)}`;

const readingOf = (field, { x, y }) => {
  const value = valueAt(field, x, y);
  return `x ${plain(x)} · y ${plain(y)} of the side: ${Number.isFinite(value) ? significant(value, 6) : 'no finite value'}`;
};
