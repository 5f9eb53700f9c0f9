// Pictures of shapes (shapes.js), as SVG text and as PNG. The PNG is drawn from the shapes, because the page's content
// security policy does not let an image of SVG text load.

const PNG_SCALE = 2; // px of the PNG for each px of the page

const escaped = (text) => String(text).replace(/[&<>"]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[sign]);

const attributes = (values) =>
  Object.entries(values)
    .filter(([, value]) => value !== null && value !== undefined && value !== '')
    .map(([name, value]) => ` ${name}="${escaped(value)}"`)
    .join('');

const isMoved = (matrix) => matrix.join() !== '1,0,0,1,0,0';
const rounded = (value) => Math.round(value * 100) / 100;

let clips = 0;

function elementOf(shape) {
  const transform = shape.matrix && isMoved(shape.matrix) ? `matrix(${shape.matrix.map(rounded).join(' ')})` : null;
  if (shape.shapes) {
    clips += 1;
    const box = attributes(Object.fromEntries(Object.entries(shape.clip).map(([name, value]) => [name, rounded(value)])));
    const clip = `<clipPath id="clip-${clips}"><rect${box}/></clipPath>`;
    return `${clip}<g clip-path="url(#clip-${clips})">${shape.shapes.map(elementOf).join('')}</g>`;
  }
  if (shape.text !== undefined) {
    const { x, y, fill, font, anchor } = shape;
    const values = { x: rounded(x), y: rounded(y), fill, 'font-size': font.size, 'font-weight': font.weight, 'font-family': font.family };
    const place = { 'text-anchor': anchor === 'start' ? null : anchor, 'dominant-baseline': 'central', transform };
    return `<text${attributes({ ...values, ...place })}>${escaped(shape.text)}</text>`;
  }
  const { d, fill, stroke, width, dash, opacity } = shape;
  const line = stroke === 'none' ? {} : { stroke, 'stroke-width': width, 'stroke-dasharray': dash.join(' ') };
  return `<path${attributes({ d, fill, ...line, opacity: opacity === 1 ? null : opacity, transform })}/>`;
}

/** The SVG text of {shapes, width, height} with a `title` for screen readers. */
export function svgText({ shapes, width, height }, title) {
  clips = 0;
  const size = attributes({ width, height, viewBox: `0 0 ${width} ${height}` });
  const content = shapes.map(elementOf).join('\n');
  return `<svg xmlns="http://www.w3.org/2000/svg"${size} role="img">\n<title>${escaped(title)}</title>\n${content}\n</svg>\n`;
}

function drawShape(context, shape) {
  context.save();
  if (shape.shapes) {
    const { x, y, width, height } = shape.clip;
    context.beginPath();
    context.rect(x, y, width, height);
    context.clip();
    for (const one of shape.shapes) drawShape(context, one);
    context.restore();
    return;
  }
  context.transform(...shape.matrix);
  context.fillStyle = shape.fill;
  if (shape.text !== undefined) {
    const { font, anchor, text, x, y } = shape;
    context.font = `${font.weight} ${font.size}px ${font.family}`;
    context.textAlign = { start: 'left', middle: 'center', end: 'right' }[anchor];
    context.textBaseline = 'middle';
    context.fillText(text, x, y);
  } else {
    const outline = new Path2D(shape.d);
    context.globalAlpha = shape.opacity;
    if (shape.fill !== 'none') context.fill(outline);
    if (shape.stroke !== 'none') {
      Object.assign(context, { strokeStyle: shape.stroke, lineWidth: shape.width });
      context.setLineDash(shape.dash);
      context.stroke(outline);
    }
  }
  context.restore();
}

/** A Blob with the PNG of {shapes, width, height}. */
export function pngBlob({ shapes, width, height }) {
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [width * PNG_SCALE, height * PNG_SCALE];
  const context = canvas.getContext('2d');
  context.scale(PNG_SCALE, PNG_SCALE);
  for (const shape of shapes) drawShape(context, shape);
  return new Promise((done) => {
    canvas.toBlob(done, 'image/png');
  });
}
