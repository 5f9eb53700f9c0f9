// The parts of a line chart, as SVG: bands, lines, markers, and named lines across the chart. All coordinates are
// pixels of the SVG; `scales` and `area` are those of xyframe.js.

import { svg } from '../../dom.js';
import { columnsOf, linePoints } from '../../results/lines.js';
import { dashOf, markerOf } from '../seriesstyle.js';
import { colourOf, round } from '../xyframe.js';

const MARKERS_MAX = 60; // a chart with more points has no markers

const at = (left, top) => `${round(left)} ${round(top)}`;

/** The corners of a path through some positions. */
const path = (lefts, tops) => Array.from(lefts, (left, index) => at(left, tops[index])).join('L');

/** A nested SVG that clips its children to the plot area. */
export const clipped = (area, children) =>
  svg(
    'svg',
    {
      class: 'line-plot',
      x: area.left,
      y: area.top,
      width: area.right - area.left,
      height: area.bottom - area.top,
      viewBox: `${area.left} ${area.top} ${area.right - area.left} ${area.bottom - area.top}`,
    },
    children,
  );

/** The line of the medians of a series, and the band between its quartiles; if its points are not `joined`, the range
 * between the quartiles at each. */
export function lineElements(one, view, scales, joined) {
  const { left, top, low, high } = linePoints(one, view, scales);
  const colour = colourOf(one);
  if (!joined)
    return svg('path', { class: 'line-spread', d: Array.from(left, (x, index) => `M${at(x, low[index])}V${round(high[index])}`).join(''), style: { stroke: colour } });
  if (left.length < 2) return [];
  const hasBand = low.some((value, index) => Math.abs(value - high[index]) > 0.5);
  const band = () => `M${path(left, high)}L${path(left.slice().reverse(), low.slice().reverse())}Z`;
  return [
    hasBand && svg('path', { class: 'line-band', d: band(), style: { fill: colour } }),
    svg('path', {
      class: 'line',
      d: `M${path(left, top)}`,
      dataset: { key: one.key },
      'stroke-dasharray': dashOf(one).join(' ') || null,
      style: { stroke: colour },
    }),
  ];
}

const PREDICTED_WIDTH = 14; // px of the mark of a prediction that is not joined to others

/** The predictions of a series, as a thin dashed line; if its points are not `joined`, as a short line at each. */
export function predictionElement(one, view, scales, joined) {
  const { x, predicted } = columnsOf(one, view);
  const isPredicted = (_, index) => !Number.isNaN(predicted[index]);
  const lefts = x.filter(isPredicted).map(scales.x.at);
  if (lefts.length < 2 && joined) return null;
  const tops = predicted.filter(isPredicted).map(scales.y.at);
  const marks = () => Array.from(lefts, (left, index) => `M${at(left - PREDICTED_WIDTH / 2, tops[index])}h${PREDICTED_WIDTH}`).join('');
  return svg('path', { class: joined ? 'line-prediction joined' : 'line-prediction', d: joined ? `M${path(lefts, tops)}` : marks(), style: { stroke: colourOf(one) } });
}

/** Markers on the points of all series, if they are few or `always`; a cross through each wrong result; a mark above
 * each point that hasCaution(measurement). Returns one path for each series and kind of mark. */
export function markerElements(series, view, scales, { always, hasCaution }) {
  const drawn = series.map((one) => ({ one, points: columnsOf(one, view).points }));
  const count = drawn.reduce((sum, { points }) => sum + points.length, 0);
  const place = ({ x, measurement }) => at(scales.x.at(x), scales.y.at(measurement.median));
  const marks = ({ one, points }) =>
    points
      .filter((_, __, all) => always || count <= MARKERS_MAX || all.length === 1)
      .map((point) =>
        svg('path', {
          class: 'line-marker',
          d: markerOf(one),
          dataset: always ? { key: one.key } : {},
          transform: `translate(${place(point)})`,
          style: { fill: colourOf(one) },
        }),
      );
  const points = drawn.flatMap((own) => own.points);
  const all = (name, offset, list) =>
    list.length > 0 &&
    svg('path', {
      class: name,
      d: list.map(({ x, measurement }) => offset(scales.x.at(x), scales.y.at(measurement.median))).join(''),
    });
  return [
    drawn.map(marks),
    all('mark-wrong', (x, y) => `M${at(x - 6, y - 6)}l12 12m0-12l-12 12`, points.filter(({ measurement }) => measurement.verified === false)),
    all('mark-caution', (x, y) => `M${at(x, y - 14)}l4.5 8h-9z`, points.filter(({ measurement }) => hasCaution(measurement))),
  ];
}

/** A hollow diamond for each reference {one, x, value}, in the colour of its series. */
export const referenceElements = (references, scales) =>
  references.map(({ one, x, value, system }) =>
    svg(
      'path',
      {
        class: 'line-reference',
        d: 'M0-5L5 0L0 5L-5 0Z',
        transform: `translate(${at(scales.x.at(x), scales.y.at(value))})`,
        style: { stroke: colourOf(one) },
      },
      svg('title', {}, `Reference: ${system}`),
    ),
  );

const LABEL_HEIGHT = 15; // px; lines closer than this share one label

/** Horizontal lines [{value, text, kind}] across the chart with their names; names that would overlap share a line of
 * text. `kind` is the class of the line. */
export function levelElements(levels, scales, area, textWidth) {
  const inside = levels
    .map((level) => ({ ...level, y: Math.round(scales.y.at(level.value)) + 0.5 }))
    .filter(({ y }) => y >= area.top && y <= area.bottom)
    .sort((a, b) => a.y - b.y);
  const labels = [];
  for (const { y, text } of inside) {
    const last = labels.at(-1);
    if (last && y - last.y < LABEL_HEIGHT) last.texts.push(text);
    else labels.push({ y, texts: [text] });
  }
  return svg(
    'g',
    { class: 'levels', 'aria-hidden': 'true' },
    inside.map(({ y, kind }) => svg('path', { class: `level-${kind}`, d: `M${area.left} ${y}H${area.right}` })),
    labels.map(({ y, texts }) => {
      const text = shortened([...new Set(texts)].join('; '), area.right - area.left - 16, textWidth);
      const top = y - 3 < area.top + 10 ? y + 12 : y - 4;
      const ground = { x: area.left + 5, y: top - 11, width: Math.ceil(textWidth(text)) + 6, height: LABEL_HEIGHT };
      return [svg('rect', { class: 'level-ground', ...ground }), svg('text', { x: area.left + 8, y: top }, text)];
    }),
  );
}

/** A text cut with "…" to at most `width` px. */
function shortened(text, width, textWidth) {
  if (textWidth(text) <= width) return text;
  const length = Math.max(1, Math.floor((text.length * width) / textWidth(text)) - 2);
  return `${text.slice(0, length)}…`;
}

/** A vertical line for each cache {bytes, text}, with its name at the top, below the names of smaller ones. */
export function cacheElements(caches, scales, area, textWidth) {
  const [low, high] = scales.x.range;
  return svg(
    'g',
    { class: 'caches', 'aria-hidden': 'true' },
    caches
      .filter(({ bytes }) => bytes > low && bytes < high)
      .map(({ bytes, text }, index) => {
        const x = Math.round(scales.x.at(bytes)) + 0.5;
        const isLeft = x + 5 + textWidth(text) > area.right && x - 5 - textWidth(text) > area.left;
        return [
          svg('path', { d: `M${x} ${area.top}V${area.bottom}` }),
          svg(
            'text',
            { x: isLeft ? x - 5 : x + 5, y: area.top + 12 + LABEL_HEIGHT * index, 'text-anchor': isLeft ? 'end' : 'start' },
            text,
          ),
        ];
      }),
  );
}

/** A line {at(x), name} of theory between the first and the last x, with its name at the end. */
export function theoryElements(line, xs, scales) {
  if (!line || xs.length < 2) return null;
  const [from, to] = [xs[0], xs.at(-1)].map((x) => [scales.x.at(x), scales.y.at(line.at(x))]);
  return svg(
    'g',
    { class: 'line-ideal', 'aria-hidden': 'true' },
    svg('path', { d: `M${at(...from)}L${at(...to)}` }),
    svg('text', { x: round(to[0] - 8), y: round(to[1] - 5), 'text-anchor': 'end' }, line.name),
  );
}
