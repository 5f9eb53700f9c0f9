// One traced variant as SVG: a row for each stream or engine, spans coloured by kind, the lower bound as a line. All
// spans of a kind are one SVG path, and as much is drawn as pixels can show, so that zooming is fast even with a
// hundred thousand spans.

import { svg } from '../../dom.js';
import { seconds } from '../../text/format.js';
import { labelDigits, spanLabel, KINDS, rowsOf } from '../../results/timeline.js';
import { barsOf, itemsBetween } from '../../results/timelinebars.js';
import { valueText } from '../../text/displaynames.js';

const BOUND_STRIP = 18; // px above the rows for the label of the bound
const PADDING = 6; // px above and below the rows
const HIT_TOLERANCE = 3; // px beside a span within which the pointer still selects it

/** [height of a row, gap below it] in px for `count` rows. */
const heightOf = (count) =>
  [
    // [most rows, height, gap]
    [8, 20, 4],
    [16, 16, 3],
    [32, 10, 2],
    [64, 5, 1],
  ]
    .find(([most]) => count <= most)
    ?.slice(1) ?? [3, 1];

/** The CSS class with the colour of a kind. */
export const kindClass = (kind) => `span-${KINDS.includes(kind) ? kind : 'other'}`;

const LETTER_WIDTH = 6.1; // width in px of a letter of a row name, rounded up

/** The text of a row's name; `short` writes only the number of a device where space is limited. */
const nameOf = ({ name, device }, by, short) => {
  const parts = by === 'engine' ? [device, valueText('kind', name)] : [name];
  const text = parts.filter(Boolean).join(' · ');
  return short ? text.replace(/^device (\d+)(?=.)/, '$1') : text;
};

/** Returns {element, layOut(by, bound), namesWidth(), draw(window, sizes, ticks), at(x, y), rows(), mark(found)}.
 * Positions are px relative to the element. layOut() assigns the rows `by` "stream" or "engine"; `bound` is the lower
 * bound in seconds or null. `sizes` is {gutter, plot}, the widths of the row names and of the plot. `found` is a span
 * with its row, {item, row}; mark() marks it, or none for null. */
export function timelineChart(variant) {
  const names = svg('g', { class: 'timeline-names' });
  const lines = svg('path', { class: 'timeline-lines' });
  const grid = svg('path', { class: 'timeline-grid' });
  const spans = svg('g', {});
  const texts = svg('g', { class: 'timeline-texts' });
  const boundGroup = svg('g', { class: 'timeline-bound' });
  const marked = svg('rect', { class: 'timeline-mark', visibility: 'hidden' });
  const plot = svg('svg', { class: 'timeline-plot' }, grid, spans, texts, boundGroup, marked);
  const element = svg('svg', { class: 'timeline-chart', 'aria-hidden': 'true' }, names, lines, plot);
  let rows = []; // as returned by rowsOf
  let [top, pitch, height] = [0, 0, 0]; // px: start of the first row, distance of rows, height of a row
  let bound = null; // ns
  let [from, scale] = [0, 1]; // start of the visible window in ns, px per ns
  let sizes = { gutter: 0, plot: 0 };
  let mark = null; // the marked span {item, row}
  let rowMode = 'stream';
  const digits = labelDigits(variant);

  const xOf = (time) => (time - from) * scale;

  function layOut(by, boundSeconds) {
    rows = rowsOf(variant, by);
    rowMode = by;
    bound = boundSeconds === null ? null : boundSeconds * 1e9;
    const [row, gap] = heightOf(rows.length);
    top = bound === null ? PADDING : BOUND_STRIP;
    [pitch, height] = [row + gap, row];
    const total = top + rows.length * pitch + PADDING;
    element.setAttribute('height', total);
    plot.setAttribute('height', total);
    mark = null;
  }

  /** The width in px that the row names need. */
  const namesWidth = (short) =>
    LETTER_WIDTH * Math.max(0, ...rows.map((row) => nameOf(row, rowMode, short).length)) + 8;

  function drawNames() {
    const short = namesWidth(false) > sizes.gutter;
    const every = Math.ceil(12 / pitch); // where rows are thin, only every second, third, … is named
    names.replaceChildren(
      ...rows
        .map((row, index) => svg('text', { x: 0, y: top + index * pitch + height / 2 }, nameOf(row, rowMode, short)))
        .filter((_, index) => index % every === 0),
    );
  }

  /** The top and the height in px of one of `slots` slots of a row. */
  const slotTop = (row, slot, slots) => top + row * pitch + (slot * height) / slots;
  const slotHeight = (slots) => Math.max(1, height / slots - (slots > 1 ? 1 : 0));

  /** The box of a span in the plot, {x, y, width, height}. A span wide enough has a gap of 1 px to the next. */
  function boxOf({ span, slot, slots }, row) {
    const [left, right] = [Math.max(-9, xOf(span.start)), Math.min(sizes.plot + 9, xOf(span.end))];
    const width = right - left;
    return {
      x: left,
      y: slotTop(row, slot, slots),
      width: width > 4 ? width - 1 : Math.max(0.8, width),
      height: slotHeight(slots),
    };
  }

  function drawSpans() {
    const outlines = new Map();
    const labels = [];
    const outline = (shown, { x, y, width, height: tall }) => {
      if (!outlines.has(shown)) outlines.set(shown, []);
      outlines.get(shown).push(`M${round(x)} ${round(y)}h${round(width)}v${round(tall)}h${round(-width)}z`);
    };
    rows.forEach((one, row) => {
      const { bars, columns } = barsOf(one, { from, scale, plot: sizes.plot }, slotHeight);
      for (const { kind, slot, slots, x, width, low, high } of columns)
        outline(kindClass(kind), { x, y: slotTop(row, slot, slots) + slotHeight(slots) - high, width, height: high - low });
      for (const item of bars) {
        const box = boxOf(item, row);
        const { kind, partial } = item.span;
        outline(partial ? `${kindClass(kind)} partial` : kindClass(kind), box);
        const [left, right] = [Math.max(0, box.x), Math.min(sizes.plot, box.x + box.width)];
        const text = box.height >= 14 && !partial ? spanLabel(item.span, right - left, digits) : '';
        if (text)
          labels.push(
            svg(
              'text',
              { class: kindClass(kind), x: round((left + right) / 2), y: round(box.y + box.height / 2) },
              text,
            ),
          );
      }
    });
    spans.replaceChildren(
      ...[...outlines].map(([shown, path]) => svg('path', { class: shown, d: path.join('') })),
    );
    texts.replaceChildren(...labels);
  }

  function drawBound(total) {
    boundGroup.replaceChildren();
    if (bound === null) return;
    const x = Math.round(xOf(bound)) + 0.5;
    if (x < 0 || x > sizes.plot) return;
    const flip = x > sizes.plot - 110;
    boundGroup.append(
      svg('path', { d: `M${x} 3V${total}` }),
      svg(
        'text',
        { x: x + (flip ? -5 : 5), y: 9, 'text-anchor': flip ? 'end' : 'start' },
        `bound ${seconds(bound / 1e9)}`,
      ),
    );
  }

  function drawMark() {
    marked.setAttribute('visibility', mark ? 'visible' : 'hidden');
    if (!mark) return;
    const box = boxOf(mark.item, mark.row);
    const frame = { x: box.x - 1, y: box.y - 1, width: box.width + 2, height: box.height + 2 };
    for (const [name, value] of Object.entries(frame)) marked.setAttribute(name, round(value));
  }

  return {
    element,
    variant,
    layOut,
    rows: () => rows,
    /** The width in px that the row names need. */
    namesWidth: () => namesWidth(false),
    draw([start, end], next, ticks) {
      [from, sizes] = [start, next];
      scale = sizes.plot / (end - start);
      const width = sizes.gutter + sizes.plot;
      const total = top + rows.length * pitch + PADDING;
      element.setAttribute('width', width);
      plot.setAttribute('x', sizes.gutter);
      plot.setAttribute('width', sizes.plot);
      grid.setAttribute('d', ticks.map(({ at }) => `M${Math.round(xOf(at)) + 0.5} 0V${total}`).join(''));
      const ruled = pitch >= 12 ? rows : []; // no lines between thin rows
      lines.setAttribute(
        'd',
        ruled.map((_, index) => `M${sizes.gutter} ${top + (index + 1) * pitch - 1.5}H${width}`).join(''),
      );
      drawNames();
      drawSpans();
      drawBound(total);
      drawMark();
    },
    /** The span at a position: {item, row}, or null. */
    at(x, y) {
      const row = Math.floor((y - top) / pitch);
      if (!rows[row] || x < sizes.gutter) return null;
      const inside = y - top - row * pitch;
      const time = from + (x - sizes.gutter) / scale;
      const distance = ({ span }) => Math.max(span.start - time, time - span.end, 0) * scale;
      const tolerance = HIT_TOLERANCE / scale;
      const isHit = (one) =>
        distance(one) <= HIT_TOLERANCE && (one.slots === 1 || Math.floor((inside * one.slots) / height) === one.slot);
      const item = rows[row].items
        .slice(...itemsBetween(rows[row], time - tolerance, time + tolerance))
        .filter(isHit)
        .reduce((best, one) => (best === null || distance(one) < distance(best) ? one : best), null);
      return item ? { item, row } : null;
    },
    mark(found) {
      mark = found;
      drawMark();
    },
  };
}

const round = (value) => Math.round(value * 100) / 100;
