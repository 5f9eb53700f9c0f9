// The fields of a run, values on rectangles, as the page draws them. All functions are pure.

import { labelledValue } from '../text/displaynames.js';

/** A field of the API as {name, point, rows, columns, values, least, greatest}: `point` names the point that has
 * computed it, `values` is a Float32Array, row by row from the bottom. `least` and `greatest` are those of its finite
 * values, null if it has none. */
export function fieldOf({ name, rows, columns, values: text, axes: coordinates }, axes) {
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const view = new DataView(bytes.buffer);
  const values = Float32Array.from({ length: rows * columns }, (_, index) => view.getFloat32(4 * index, true));
  const point = axes
    .filter((axis) => axis.name in coordinates)
    .map((axis) => labelledValue(axis, coordinates[axis.name]))
    .join(' · ');
  return { name, point, rows, columns, values, ...rangeOf(values) };
}

function rangeOf(values) {
  const finite = values.filter(Number.isFinite);
  if (!finite.length) return { least: null, greatest: null };
  return { least: finite.reduce((a, b) => Math.min(a, b)), greatest: finite.reduce((a, b) => Math.max(a, b)) };
}

/** The colours of the scale, from the least value to the greatest: [red, green, blue]. Their lightness grows evenly, so
 * that they are told apart without colours, too. */
const COLOURS = [
  [38, 22, 78],
  [43, 77, 138],
  [32, 126, 142],
  [53, 173, 121],
  [150, 212, 74],
  [250, 236, 90],
];

/** The colour of a share, 0 to 1, of the scale: [red, green, blue]. */
export function colourAt(share) {
  const at = Math.min(Math.max(share, 0), 1) * (COLOURS.length - 1);
  const index = Math.min(Math.floor(at), COLOURS.length - 2);
  return COLOURS[index].map((low, part) => Math.round(low + (at - index) * (COLOURS[index + 1][part] - low)));
}

/** The pixels of a field as RGBA, its last row first, as pictures have it; values that are not finite are
 * transparent. */
export function pixelsOf({ rows, columns, values, least, greatest }) {
  const pixels = new Uint8ClampedArray(4 * rows * columns);
  const span = greatest - least || 1;
  values.forEach((value, index) => {
    if (!Number.isFinite(value)) return;
    const row = rows - 1 - Math.floor(index / columns);
    pixels.set([...colourAt((value - least) / span), 255], 4 * (row * columns + (index % columns)));
  });
  return pixels;
}

/** The value at a place of the drawn picture, both coordinates 0 to 1 from its left and its bottom. */
export function valueAt({ rows, columns, values }, x, y) {
  const cell = (share, count) => Math.min(Math.max(Math.floor(share * count), 0), count - 1);
  return values[cell(y, rows) * columns + cell(x, columns)];
}
