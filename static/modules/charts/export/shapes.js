// What a chart on the page shows, as a list of shapes with absolute positions: paths, texts and clipped groups. Charts
// consist of HTML and SVG; this reads the layout that the browser has computed for both, so a picture shows what the
// page shows. A path is {d, matrix, fill, stroke, width, dash, opacity}; a text {text, x, y, matrix, fill, font: {size,
// weight, family}, anchor}, y being the middle of its line; a group {clip: {x, y, width, height}, shapes}.

const IDENTITY = [1, 0, 0, 1, 0, 0];
const SKIPPED = '.visually-hidden, .no-export, .legend-item[aria-pressed="false"], .line-cursor, [hidden]';
const SIDES = ['Top', 'Right', 'Bottom', 'Left'];

/** The shapes of `root`, relative to its upper left corner: {shapes, width, height}. Meanwhile the page is laid out as
 * if elements that are not part of pictures did not exist; it is not drawn in between. */
export function shapesOf(root) {
  const { scrollX: left, scrollY: top } = window;
  root.classList.add('exported');
  const origin = root.getBoundingClientRect();
  const shapes = [];
  collect(root, origin, shapes);
  const size = { width: Math.ceil(Math.max(origin.width, root.scrollWidth)), height: Math.ceil(origin.height) };
  root.classList.remove('exported');
  scrollTo({ left, top, behavior: 'instant' }); // the page may have been too short for this
  return { shapes, ...size };
}

function collect(element, origin, shapes) {
  if (element.matches(SKIPPED)) return;
  const style = getComputedStyle(element);
  if (style.display === 'none' || style.visibility === 'hidden') return;
  if (element instanceof SVGElement) {
    collectSvg(element, style, origin, shapes);
    return;
  }
  const isControl = element.matches('button, select');
  if (!isControl) collectBox(element, style, origin, shapes);
  collectMark(element, style, origin, shapes);
  for (const child of element.childNodes) {
    if (child.nodeType === Node.TEXT_NODE) collectText(child, style, origin, shapes);
    else if (child.nodeType === Node.ELEMENT_NODE && !(child instanceof HTMLDetailsElement && child.matches(SKIPPED)))
      collect(child, origin, shapes);
  }
}

const isVisible = (colour) => colour && colour !== 'none' && colour !== 'transparent' && !/^rgba\(.*,\s*0\)$/.test(colour);

const path = (d, more) => ({ d, matrix: IDENTITY, fill: 'none', stroke: 'none', width: 1, dash: [], opacity: 1, ...more });

const boxPath = (x, y, width, height) => `M${x} ${y}h${width}v${height}h${-width}z`;

/** The background and borders of an HTML element. */
function collectBox(element, style, origin, shapes) {
  const box = element.getBoundingClientRect();
  if (!box.width && !box.height) return;
  const [x, y] = [box.left - origin.left, box.top - origin.top];
  const opacity = Number(style.opacity);
  if (isVisible(style.backgroundColor))
    shapes.push(path(boxPath(x, y, box.width, box.height), { fill: style.backgroundColor, opacity }));
  const ends = [
    [x, y, x + box.width, y],
    [x + box.width, y, x + box.width, y + box.height],
    [x, y + box.height, x + box.width, y + box.height],
    [x, y, x, y + box.height],
  ];
  SIDES.forEach((side, at) => {
    const [width, kind, stroke] = ['Width', 'Style', 'Color'].map((part) => style[`border${side}${part}`]);
    if (!parseFloat(width) || kind === 'none' || !isVisible(stroke)) return;
    const [x1, y1, x2, y2] = ends[at];
    const dash = { dotted: [2, 2], dashed: [5, 3] }[kind] ?? [];
    shapes.push(path(`M${x1} ${y1}L${x2} ${y2}`, { stroke, width: parseFloat(width), dash, opacity }));
  });
}

/** The mark of a caution (cautionmarks.js), which the style sheet draws before the text. */
function collectMark(element, style, origin, shapes) {
  if (!element.classList.contains('cautioned')) return;
  const range = document.createRange();
  range.selectNodeContents(element);
  const box = range.getBoundingClientRect();
  const before = getComputedStyle(element, '::before');
  const x = box.left - origin.left - 3;
  shapes.push(textShape('▲', x, box.top - origin.top + box.height / 2, before, { anchor: 'end' }));
}

const textShape = (text, x, y, style, more = {}) => ({
  text,
  x,
  y,
  matrix: IDENTITY,
  fill: style.color,
  font: { size: parseFloat(style.fontSize), weight: style.fontWeight, family: style.fontFamily },
  anchor: 'start',
  ...more,
});

/** A text node: a shape for each of its lines. */
function collectText(node, style, origin, shapes) {
  if (!node.data.trim()) return;
  const range = document.createRange();
  let line = null; // {text, box}
  const finish = () => {
    if (line)
      shapes.push(textShape(line.text.trim(), line.box.left - origin.left, line.box.top - origin.top + line.box.height / 2, style));
  };
  // Character by character, because lines also end within words, for example after a hyphen.
  for (const { 0: character, index } of node.data.matchAll(/\P{M}\p{M}*/gu)) {
    range.setStart(node, index);
    range.setEnd(node, index + character.length);
    const box = range.getClientRects()[0];
    if (!box?.width) continue; // white space that is not shown
    if (line && Math.abs(box.top - line.box.top) < box.height / 2) line.text += character;
    else if (character.trim()) {
      finish();
      line = { text: character, box };
    }
  }
  finish();
}

// --- SVG
// --------------------------------------------------------------------------------------------------------------

function collectSvg(element, style, origin, shapes) {
  const name = element.localName;
  if (name === 'title') return;
  if (name === 'svg' || name === 'g') {
    let target = shapes;
    if (name === 'svg' && element.ownerSVGElement) {
      const box = element.getBoundingClientRect();
      const clip = clipOf(element, box, origin);
      target = [];
      shapes.push({ clip, shapes: target });
    }
    for (const child of element.children) collect(child, origin, target);
    return;
  }
  const { a, b, c, d, e, f } = element.getScreenCTM();
  const matrix = [a, b, c, d, e - origin.left, f - origin.top];
  if (name === 'text') {
    const [x, y] = ['x', 'y'].map((attribute) => Number(element.getAttribute(attribute) ?? 0));
    const size = parseFloat(style.fontSize);
    const isCentral = style.dominantBaseline === 'central';
    const more = { matrix, fill: style.fill, anchor: style.textAnchor };
    shapes.push(textShape(element.textContent, x, isCentral ? y : y - 0.35 * size, style, more));
    return;
  }
  const dash = style.strokeDasharray === 'none' ? [] : style.strokeDasharray.split(/[ ,]+/).map(parseFloat);
  const opacity = Number(style.opacity);
  shapes.push(path(outlineOf(element), { matrix, fill: style.fill, stroke: style.stroke, width: parseFloat(style.strokeWidth), dash, opacity }));
}

/** The plot area that a nested SVG clips to, from its attributes. */
function clipOf(element, box, origin) {
  const outer = element.ownerSVGElement.getBoundingClientRect();
  const [x, y] = ['x', 'y'].map((name) => Number(element.getAttribute(name) ?? 0));
  const [width, height] = ['width', 'height'].map((name) => Number(element.getAttribute(name) ?? box[name]));
  return { x: outer.left - origin.left + x, y: outer.top - origin.top + y, width, height };
}

function outlineOf(element) {
  const number = (name) => Number(element.getAttribute(name) ?? 0);
  if (element.localName === 'rect') return boxPath(number('x'), number('y'), number('width'), number('height'));
  if (element.localName === 'circle') {
    const [x, y, r] = ['cx', 'cy', 'r'].map(number);
    return `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`;
  }
  return element.getAttribute('d') ?? '';
}
