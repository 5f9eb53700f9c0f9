// Saves or copies a chart as a picture, with its title and what was measured: experiment, device, date and run.

import { h } from '../../dom.js';
import { pngBlob, svgText } from './picture.js';
import { shapesOf } from './shapes.js';

const MARGIN = 16; // px around the chart
const LINE = 20; // px from one line of the heading to the next

/** Saves the chart in `root` as a file of a format, "png" or "svg", with a title, the texts `lines` below it, and a
 * name without its ending. */
export async function savePicture(format, { root, title, lines, name }) {
  const picture = withHeading(shapesOf(root), title, lines);
  const blob =
    format === 'png' ? await pngBlob(picture) : new Blob([svgText(picture, sentences([title, ...lines]))], { type: 'image/svg+xml' });
  download(blob, `${name}.${format}`);
}

/** Copies the picture of savePicture as a PNG. Rejects where the browser does not let pages copy pictures. */
export async function copyPicture({ root, title, lines }) {
  const png = pngBlob(withHeading(shapesOf(root), title, lines));
  await navigator.clipboard.write([new ClipboardItem({ 'image/png': png })]);
}

/** Texts as sentences in one line; some end with a full stop. */
const sentences = (texts) => texts.map((text) => text.replace(/\.$/, '')).join('. ');

/** The picture of a chart on the panel's colour, below a heading whose lines are broken where the picture ends. */
function withHeading({ shapes, width, height }, title, lines) {
  const { fontFamily: family } = getComputedStyle(document.body);
  const broken = (text, size, weight, fill) =>
    linesOf(text, width, `${weight} ${size}px ${family}`).map((line) => ({ text: line, fill: colourOf(fill), font: { size, weight, family } }));
  const heading = [broken(title, 16, '600', '--text'), ...lines.map((line) => broken(line, 12, '400', '--text-2'))].flat();
  const top = MARGIN + LINE * heading.length + 8;
  const total = { width: width + 2 * MARGIN, height: Math.ceil(top + height + MARGIN) };
  const background = {
    d: `M0 0h${total.width}v${total.height}h${-total.width}z`,
    matrix: [1, 0, 0, 1, 0, 0],
    fill: colourOf('--panel'),
    stroke: 'none',
    width: 1,
    dash: [],
    opacity: 1,
  };
  const placed = heading.map((line, row) => ({
    ...line,
    x: MARGIN,
    y: MARGIN + LINE * row + 8,
    matrix: [1, 0, 0, 1, 0, 0],
    anchor: 'start',
  }));
  return { ...total, shapes: [background, ...placed, ...shapes.map((shape) => shifted(shape, MARGIN, top))] };
}

/** The colour that a variable of base.css stands for on this page, light or dark. */
function colourOf(name) {
  const probe = document.body.appendChild(h('span', { style: { color: `var(${name})` } }));
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

/** A text broken at spaces into lines of at most `width` px; only a longer word makes a longer line. */
function linesOf(text, width, font) {
  const context = document.createElement('canvas').getContext('2d');
  context.font = font;
  const lines = [''];
  for (const word of text.split(' ')) {
    const longer = `${lines.at(-1)} ${word}`.trim();
    if (!lines.at(-1) || context.measureText(longer).width <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

/** A shape moved by (x, y). */
function shifted(shape, x, y) {
  if (shape.shapes) {
    const clip = { ...shape.clip, x: shape.clip.x + x, y: shape.clip.y + y };
    return { clip, shapes: shape.shapes.map((one) => shifted(one, x, y)) };
  }
  const [a, b, c, d, e, f] = shape.matrix;
  return { ...shape, matrix: [a, b, c, d, e + x, f + y] };
}

/** Lets the browser save a blob as a file. */
export function download(blob, name) {
  const url = URL.createObjectURL(blob);
  h('a', { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
