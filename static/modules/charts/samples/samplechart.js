// The samples of a point as SVG: a strip in the order in which they were taken, beside it their histogram over the same
// values. Quartiles are a band, the median a line, two levels dashed lines; outliers are triangles, at the edge where
// they are beyond it.

import { h, replace, svg } from '../../dom.js';
import { axisUnit } from '../../results/axisunit.js';
import { isOutlier, marksOf } from '../../results/samples.js';
import { evenTicks } from '../../results/ticks.js';
import { plain, plural } from '../../text/format.js';
import { areaOf, drawnToWidth, grid, round, scalesOf, textWidths } from '../xyframe.js';

const HEIGHT = 260;
const DOTS_MAX = 4000; // more samples are drawn as the range of those at each pixel
const LABEL_GAP = 13; // px between labels
const TEXT = 'var(--text)';
const colourOf = ({ measurement }) => `var(--series-${measurement.side === 'head' ? 2 : 1})`;
const KEYS = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10, Home: -Infinity, End: Infinity };

/** Creates the chart of a side: {element, update(drawing, side)}; `drawing` and `side` of results/samples.js, `metric`
 * is {title, unit}. read(index, spoken) is called with the number of the sample at the pointer or the focus, null for
 * none. */
export function sampleChart({ metric, label, read, signal }) {
  const chart = svg('svg', { class: 'xy-chart', 'aria-hidden': 'true' });
  const element = h('div', { class: 'sample-chart', role: 'application', tabindex: 0, style: { 'min-height': `${HEIGHT}px` } }, chart);
  const cursor = svg('circle', { r: 5, fill: 'none', 'stroke-width': 2, visibility: 'hidden', style: { stroke: TEXT } });
  const textWidth = textWidths(element);
  let state = null; // {drawing, side}
  let placed = null; // {scales, area}
  let selected = null;

  function drawAt(width) {
    if (!state) return;
    const { drawing, side } = state;
    const y = { range: drawing.range, ...axisUnit(metric, drawing.range) };
    const frame = areaOf(width, y, textWidth, { height: HEIGHT });
    if (!frame) return;
    const bars = Math.round(Math.min(220, Math.max(64, width * 0.22)));
    const area = { ...frame, right: frame.right - bars - 8 };
    const count = side.samples.length;
    const x = { range: [0.5, count + 0.5], ticks: (most) => evenTicks(0, count, most).filter((tick) => tick > 0 && Number.isInteger(tick)), title: area.narrow ? 'Sample' : 'Sample, in order of time', write: plain };
    const scales = scalesOf({ x, y }, area);
    placed = { scales, area };
    chart.setAttribute('width', frame.width);
    chart.setAttribute('height', frame.height);
    const shapes = [quartiles(side, scales, area, frame.right), grid(scales, area, { x, y }), strip(side, scales, area), histogram(drawing, side, scales, { left: area.right + 8, right: frame.right })];
    replace(chart, ...shapes, marks(side, scales, area, frame.right), cursor);
    drawCursor();
  }

  function drawCursor() {
    const value = state?.side.samples[selected];
    const shown = placed && Number.isFinite(value);
    cursor.setAttribute('visibility', shown ? 'visible' : 'hidden');
    if (!shown) return;
    cursor.setAttribute('cx', round(placed.scales.x.at(selected + 1)));
    cursor.setAttribute('cy', round(within(placed.area, placed.scales.y.at(value))));
  }

  function select(index, spoken = false) {
    if (index === selected) return;
    selected = index;
    drawCursor();
    read(index, spoken);
  }

  element.addEventListener('pointermove', ({ clientX }) => {
    if (!placed) return;
    const at = clientX - chart.getBoundingClientRect().left;
    const index = Math.round(placed.scales.x.valueAt(at)) - 1;
    select(at <= placed.area.right && index >= 0 && index < state.side.samples.length ? index : null);
  }, { signal });
  element.addEventListener('pointerleave', () => select(null), { signal });
  element.addEventListener('blur', () => select(null), { signal });
  element.addEventListener('keydown', (event) => {
    const step = KEYS[event.key];
    if (step === undefined || !state) return;
    event.preventDefault();
    const last = state.side.samples.length - 1;
    select(selected === null ? (step > 0 && step < Infinity ? 0 : Math.max(0, Math.min(last, last + step))) : Math.max(0, Math.min(last, selected + step)), true);
  }, { signal });

  const { draw } = drawnToWidth(element, drawAt, signal);
  return {
    element,
    update(drawing, side) {
      state = { drawing, side };
      element.setAttribute('aria-label', `${label}: ${plain(side.samples.length)} samples in order of time, and their histogram. Left and right arrow keys move between samples.`);
      draw();
    },
  };
}

/** A vertical place within the area. */
const within = ({ top, bottom }, y) => Math.max(top + 4, Math.min(bottom - 4, y));

function quartiles(side, scales, area, right) {
  const { q1, q3 } = side.measurement;
  if (!Number.isFinite(q1) || !Number.isFinite(q3)) return svg('g', {});
  const [top, bottom] = [q3, q1].map((value) => scales.y.at(value));
  return svg('rect', { class: 'sample-quartiles', x: area.left, y: round(top), width: round(right - area.left), height: round(Math.max(1, bottom - top)), opacity: 0.12, style: { fill: colourOf(side) } });
}

/** The samples: a dot each, or for very many a line over those at a pixel; outliers as triangles. */
function strip(side, scales, area) {
  const { measurement, samples } = side;
  const dots = [];
  const outliers = [];
  const columns = new Map(); // px -> [lowest, highest]
  samples.forEach((value, index) => {
    if (!Number.isFinite(value)) return;
    const [x, y] = [scales.x.at(index + 1), scales.y.at(value)];
    if (isOutlier(measurement, value)) outliers.push(triangle(x, within(area, y), y < area.top || value > measurement.median));
    else if (samples.length <= DOTS_MAX) dots.push(`M${round(x)} ${round(y)}h0`);
    else {
      const [low, high] = columns.get(Math.round(x)) ?? [y, y];
      columns.set(Math.round(x), [Math.min(low, y), Math.max(high, y)]);
    }
  });
  const lines = [...columns].map(([x, [low, high]]) => `M${x} ${round(low)}V${round(high)}`);
  return svg(
    'g',
    { class: 'sample-strip' },
    svg('path', { class: 'sample-dots', d: [...dots, ...lines].join(''), fill: 'none', 'stroke-width': 3.4, 'stroke-linecap': 'round', opacity: 0.75, style: { stroke: colourOf(side) } }),
    svg('path', { class: 'sample-outliers', d: outliers.join(''), style: { fill: 'var(--warn-mark)' } }),
  );
}

const triangle = (x, y, up) => `M${round(x)} ${round(y + (up ? -4 : 4))}l4 ${up ? 7 : -7}h-8z`;

function histogram({ bins, most }, side, scales, { left, right }) {
  const bars = side.counts.map((count, index) => {
    const [top, bottom] = [bins[index].high, bins[index].low].map((value) => scales.y.at(value));
    const length = ((right - left) * count) / most;
    return count ? `M${left} ${round(top)}h${round(Math.max(1, length))}V${round(bottom)}H${left}z` : '';
  });
  return svg(
    'g',
    { class: 'sample-histogram' },
    svg('path', { class: 'sample-bars', d: bars.join(''), opacity: 0.6, style: { fill: colourOf(side) } }),
    svg('path', { style: { stroke: 'var(--border-strong)' }, d: `M${left} ${scales.y.at(bins[0].low)}V${scales.y.at(bins.at(-1).high)}` }),
    svg('text', { x: right, y: scales.y.at(bins[0].low) + 36, 'text-anchor': 'end' }, `up to ${plural(most, 'sample')}`),
  );
}

/** Lines at the median and the levels, with their names; names that would overlap stand beside each other. */
function marks({ measurement }, scales, area, right) {
  const shown = marksOf(measurement)
    .map(({ name, value }) => ({ name, y: round(scales.y.at(value)) }))
    .filter(({ y }) => y >= area.top && y <= area.bottom);
  const labels = [];
  for (const { name, y } of shown) {
    const near = labels.find((other) => Math.abs(other.y - y) < LABEL_GAP);
    if (near) near.names.add(name);
    else labels.push({ y, names: new Set([name]) });
  }
  return svg(
    'g',
    { class: 'sample-marks' },
    shown.map(({ name, y }) => (name === 'quartile' ? null : svg('path', { d: `M${area.left} ${y}H${right}`, 'stroke-width': 1.2, 'stroke-dasharray': name === 'level' ? '6 4' : null, style: { stroke: TEXT } }))),
    labels.map(({ y, names }) => svg('text', { x: right - 2, y: Math.max(area.top + 10, y - 3), 'text-anchor': 'end', 'stroke-width': 3, 'paint-order': 'stroke', style: { fill: TEXT, stroke: 'var(--panel)' } }, [...names].join(' · '))),
  );
}
