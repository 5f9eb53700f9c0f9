// Line chart: uPlot draws the median of each series as a line and the interquartile range as a band. This module adds
// markers, crosses on wrong results, theoretical peaks, predictions, the ideal line and the sizes of caches.

import { cacheSizesOf, isWorkingSet } from '../results/cachesizes.js';
import { h } from '../dom.js';
import { tickText } from '../text/format.js';
import { idealOf } from '../results/ideal.js';
import { plotColumns, peaksOf } from '../results/series.js';
import { binaryTicks, countTicks, decimalTicks, evenTicks } from '../results/ticks.js';
import { colourVariable, dashOf, markerOf } from './seriesstyle.js';

const BAND = '33'; // alpha of the interquartile band, two hex digits appended to #rrggbb
const PEAK_RATIO_MAX = 25; // peaks above this multiple of the largest value are not drawn: they would flatten the lines
const COUNT_RANGE_MAX = 64; // an axis of whole numbers over a larger range is an ordinary axis

let uPlot = null; // the library, which is loaded with the first line chart

/** Creates a line chart: a promise of {element, update(series, hidden), close()}. All charts have this interface. `series` as
 * returned by seriesOf or withPredictions, `hidden` is a set of keys of series not to draw; close() ends listeners.
 * `view` is the view of the experiment, `axis` its horizontal axis, `metric` its vertical axis, `devices` the run's
 * devices. `point(x)` is called when the pointer moves, with the nearest x that has a value, or null when the pointer
 * leaves the chart. */
export async function lineChart({ view, axis, metric, devices, point, signal }) {
  uPlot ??= (await import('../../vendor/uplot/uPlot.esm.js')).default;
  const caches = isWorkingSet(axis.name) ? cacheSizesOf(devices) : [];
  const element = h('div', { class: 'chart', role: 'img' });
  let plot = null;
  let drawn = { series: [], hidden: new Set(), shape: '' }; // `shape`: keys and styles of the series, as JSON

  const size = () => {
    const width = Math.max(260, element.clientWidth);
    return { width, height: Math.round(Math.min(460, Math.max(280, width * 0.52))) };
  };

  function rebuild() {
    plot?.destroy();
    plot = null;
    if (!element.isConnected || !drawn.series.length) return;
    plot = new uPlot(
      options({ view, axis, metric, caches, point, drawn, ...size() }),
      plotColumns(drawn.series, view),
      element,
    );
    applyHidden();
  }

  function applyHidden() {
    drawn.series.forEach(({ key }, index) => {
      const show = !drawn.hidden.has(key);
      // each series has three columns, as plotColumns returns them: q1, q3, median
      for (let part = 1; part <= 3; part += 1) {
        if (plot.series[3 * index + part].show !== show) plot.setSeries(3 * index + part, { show });
      }
    });
  }

  const observer = new ResizeObserver(() => (plot ? plot.setSize(size()) : rebuild()));
  observer.observe(element);
  const theme = matchMedia('(prefers-color-scheme: dark)');
  const close = () => {
    observer.disconnect();
    theme.removeEventListener('change', rebuild);
    plot?.destroy();
    plot = null;
  };
  theme.addEventListener('change', rebuild);
  signal.addEventListener('abort', close);

  return {
    element,
    close,
    update(series, hidden) {
      const shape = JSON.stringify(series.map(({ key, colour, dash }) => [key, colour, dash]));
      const same = plot && shape === drawn.shape;
      Object.assign(drawn, { series, hidden, shape });
      element.setAttribute('aria-label', describe(view, axis, series));
      if (!same) return rebuild();
      plot.setData(plotColumns(series, view));
      return applyHidden();
    },
  };
}

function describe(view, axis, series) {
  const lines = series.map(({ label, points }) => `${label}, ${points.length} points`).join('; ');
  const ideal = idealOf(view) ? ` Compared with the ideal: ${idealOf(view).text}.` : '';
  return `${view.title}, over ${axis.title.toLowerCase()}. ${lines}.${ideal} The exact values are in the table.`;
}

// --- options for uPlot ---------------------------------------------------------------------------------------------

function options({ view, axis, metric, caches, point, drawn, width, height }) {
  const css = getComputedStyle(document.documentElement);
  const colour = (name) => css.getPropertyValue(name).trim();
  const font = `12px ${getComputedStyle(document.body).fontFamily}`;
  const style = { colour, font };
  const series = drawn.series.flatMap((one) => {
    const edge = { scale: 'y', stroke: 'transparent', width: 0, points: { show: false }, spanGaps: true };
    return [
      edge,
      edge,
      {
        scale: 'y',
        stroke: colour(colourVariable(one)),
        width: 2,
        dash: dashOf(one),
        points: { show: false },
        spanGaps: true,
      },
    ];
  });
  return {
    width,
    height,
    padding: [14, 18, 0, 0],
    legend: { show: false },
    cursor: {
      x: true,
      y: false,
      points: { show: false },
      drag: { x: false, y: false, setScale: false },
      // snaps to the nearest point
      move: (u, left, top) => [left < 0 ? left : u.valToPos(u.data[0][u.posToIdx(left)], 'x'), top],
    },
    series: [{}, ...series],
    bands: drawn.series.map((one, index) => ({
      series: [3 * index + 2, 3 * index + 1],
      fill: `${colour(colourVariable(one))}${BAND}`,
    })),
    scales: {
      x: {
        time: false,
        ...logarithm(view.log_x, isBinary(axis, drawn.series) ? 2 : 10),
        range: (u, low, high) =>
          isCount(view, drawn.series) ? aroundCounts(low, high) : padded(low, high, view.log_x, 1.25),
      },
      y: {
        ...logarithm(view.log_y, 10),
        range: (u, low, high) => {
          const [least, most] = withPredictions(low, high, drawn, view.log_y);
          return padded(least, withIdeal(withPeaks(most, drawn), view, u), view.log_y, 1.6);
        },
      },
    },
    axes: [
      axisOptions({
        style,
        log: view.log_x,
        unit: axis.unit,
        title: axisTitle(axis),
        spacing: axis.unit ? 62 : numberSpacing(drawn.series),
        side: 2,
        binary: () => isBinary(axis, drawn.series),
        counts: () => isCount(view, drawn.series),
      }),
      axisOptions({ style, log: view.log_y, unit: metric.unit, title: axisTitle(metric), spacing: 30, side: 3 }),
    ],
    hooks: {
      draw: [
        (u) => drawCaches(u, caches, style),
        (u) => drawPeaks(u, drawn, style),
        (u) => drawIdeal(u, view, style),
        (u) => drawPredictions(u, drawn, view.log_y, style),
        (u) => drawMarkers(u, drawn, style),
      ],
      setCursor: [
        (u) =>
          point(
            u.cursor.idx === null || u.cursor.idx === undefined || u.cursor.left < 0 ? null : u.data[0][u.cursor.idx],
          ),
      ],
    },
  };
}

/** uPlot's options for a logarithmic (distr 3) or linear (distr 1) scale. */
const logarithm = (log, base) => (log ? { distr: 3, log: base } : { distr: 1 });

/** Whether the axis has ticks at powers of two: for sizes in bytes, and for values that are all powers of two. */
const isBinary = ({ unit }, series) =>
  unit === 'B' || series.every(({ points }) => points.every(({ x }) => Number.isInteger(Math.log2(x))));

/** Whether the axis has ticks at whole numbers: for counts, such as the number of devices. */
const isCount = (view, series) => {
  const xs = series.flatMap(({ points }) => points.map(({ x }) => x));
  return !view.log_x && xs.every(Number.isInteger) && Math.max(...xs) - Math.min(...xs) <= COUNT_RANGE_MAX;
};

const aroundCounts = (low, high) => [low - 0.06 * (high - low || 4), high + 0.06 * (high - low || 4)];

/** Pixels between ticks of numbers without a unit, by the length of the longest. */
function numberSpacing(series) {
  const longest = Math.max(0, ...series.flatMap(({ points }) => points.map(({ x }) => tickText(x, null).length)));
  return Math.max(40, 7 * longest + 8);
}

const axisTitle = ({ title, unit }) => (unit && !['1', 's', 'B'].includes(unit) ? `${title} (${unit})` : title);

/** The range of an axis with some space at its ends; on a logarithmic axis by `factor`. */
function padded(low, high, log, factor) {
  if (low === null || high === null || low === undefined || high === undefined) return log ? [1, 10] : [0, 1];
  if (log) return [low / factor, high * factor];
  const span = high - Math.min(0, low) || 1;
  return [low < 0 ? low - 0.05 * span : 0, high + 0.08 * span];
}

const visibleSeries = ({ series, hidden }) => series.filter(({ key }) => !hidden.has(key));

/** The upper end of the range, raised to the theoretical peaks that are drawn. */
function withPeaks(high, drawn) {
  const nearPeaks = peaksOf(visibleSeries(drawn))
    .map(({ value }) => value)
    .filter((value) => value <= high * PEAK_RATIO_MAX);
  return Math.max(high, ...nearPeaks);
}

const isDrawn = (value, log) => typeof value === 'number' && Number.isFinite(value) && (!log || value > 0);

/** The range [low, high], extended to the predictions. */
function withPredictions(low, high, drawn, log) {
  if (low === null || low === undefined) return [low, high];
  const values = visibleSeries(drawn).flatMap(({ points }) => points.map(({ predicted }) => predicted));
  const predicted = values.filter((value) => isDrawn(value, log));
  return [Math.min(low, ...predicted), Math.max(high, ...predicted)];
}

/** The upper end of the range, raised so that the whole ideal line is visible. */
function withIdeal(high, view, u) {
  const ends = [u.data[0][0], u.data[0].at(-1)].map((x) => idealOf(view)?.at(x) ?? 0);
  return Math.max(high, ...ends);
}

function axisOptions({ style, log, unit, title, spacing, side, binary = () => false, counts = () => false }) {
  const { colour, font } = style;
  const length = (u) => (side === 2 ? u.bbox.width : u.bbox.height) / devicePixelRatio;
  return {
    side,
    stroke: colour('--text-2'),
    font,
    label: title,
    labelFont: font,
    labelSize: 20,
    labelGap: 0,
    gap: 6,
    size: side === 2 ? 28 : (u, values) => labelWidth(u, values, font),
    ...(log && {
      splits: (u, index, low, high) => (binary() ? binaryTicks : decimalTicks)(low, high, length(u) || 300, spacing),
      filter: (u, splits) => splits,
    }),
    ...(!log && { space: spacing + 14 }),
    ...(!log &&
      side === 2 && {
        splits: (u, index, low, high) =>
          (counts() ? countTicks : evenTicks)(
            low,
            high,
            Math.floor((length(u) || 300) / (counts() ? spacing / 2 : spacing)),
          ),
      }),
    values: (u, splits) => splits.map((value) => (value === null ? '' : tickText(value, unit))),
    grid: { stroke: colour('--grid'), width: 1 },
    ticks: { show: false },
    border: { show: true, stroke: colour('--border-strong'), width: 1 },
  };
}

/** Width of the longest label of the vertical axis. */
function labelWidth(u, values, font) {
  if (!values) return 52;
  u.ctx.save();
  u.ctx.font = font;
  const widest = Math.max(...values.map((text) => u.ctx.measureText(text).width));
  u.ctx.restore();
  return Math.ceil(widest) + 14;
}

// --- drawing over uPlot's chart -------------------------------------------------------------------------------------------

const LABEL_ROW = 15; // px from one label of a cache to the next

/** Draws a vertical line for each cache, with its name at the top, below the names of smaller ones. */
function drawCaches(u, caches, { colour, font }) {
  const { ctx, bbox } = u;
  const ratio = devicePixelRatio;
  const { min, max } = u.scales.x;
  ctx.save();
  ctx.strokeStyle = colour('--border-strong');
  ctx.fillStyle = colour('--text-2');
  ctx.lineWidth = ratio;
  ctx.setLineDash([]);
  ctx.font = font.replace('12px', `${12 * ratio}px`);
  ctx.textBaseline = 'top';
  caches
    .filter(({ bytes }) => bytes > min && bytes < max)
    .forEach(({ bytes, text }, index) => {
      const x = Math.round(u.valToPos(bytes, 'x', true)) + 0.5;
      ctx.beginPath();
      ctx.moveTo(x, bbox.top);
      ctx.lineTo(x, bbox.top + bbox.height);
      ctx.stroke();
      const gap = 5 * ratio;
      const width = gap + ctx.measureText(text).width;
      const isLeft = x + width > bbox.left + bbox.width && x - width > bbox.left;
      ctx.textAlign = isLeft ? 'right' : 'left';
      ctx.fillText(text, isLeft ? x - gap : x + gap, bbox.top + (2 + LABEL_ROW * index) * ratio);
    });
  ctx.restore();
}

/** Draws the predictions of each series as a thin dashed line in its colour. */
function drawPredictions(u, drawn, log, { colour }) {
  const { ctx } = u;
  const ratio = devicePixelRatio;
  ctx.save();
  ctx.lineWidth = 1.25 * ratio;
  ctx.setLineDash([3 * ratio, 3 * ratio]);
  for (const one of visibleSeries(drawn)) {
    const points = one.points.filter(({ x, predicted }) => isDrawn(predicted, log) && isDrawn(x, u.scales.x.distr === 3));
    ctx.strokeStyle = colour(colourVariable(one));
    ctx.beginPath();
    for (const { x, predicted } of points) ctx.lineTo(u.valToPos(x, 'x', true), u.valToPos(predicted, 'y', true));
    ctx.stroke();
  }
  ctx.restore();
}

/** Draws a line for each theoretical peak. Peaks too close for separate labels share one label. */
function drawPeaks(u, drawn, { colour, font }) {
  const { ctx, bbox } = u;
  const ratio = devicePixelRatio;
  const peaks = peaksOf(visibleSeries(drawn))
    .filter(({ value }) => value >= u.scales.y.min && value <= u.scales.y.max)
    .map(({ value, what }) => ({ what, y: Math.round(u.valToPos(value, 'y', true)) + 0.5 }));
  const names = new Map(); // y of the topmost peak -> names
  for (const { y, what } of peaks.sort((a, b) => a.y - b.y)) {
    const near = [...names.keys()].find((other) => y - other < 15 * ratio) ?? y;
    names.set(near, (names.get(near) ?? new Set()).add(what));
  }
  ctx.save();
  ctx.strokeStyle = colour('--text-2');
  ctx.fillStyle = colour('--text-2');
  ctx.lineWidth = ratio;
  ctx.setLineDash([ratio, 3 * ratio]);
  ctx.beginPath();
  for (const { y } of peaks) {
    ctx.moveTo(bbox.left, y);
    ctx.lineTo(bbox.left + bbox.width, y);
  }
  ctx.stroke();
  ctx.font = font.replace('12px', `${12 * ratio}px`);
  ctx.textAlign = 'left';
  ctx.textBaseline = 'bottom';
  for (const [y, list] of names)
    ctx.fillText(`${list.size > 1 ? 'peaks' : 'peak'}: ${[...list].join('; ')}`, bbox.left + 8 * ratio, y - 3 * ratio);
  ctx.restore();
}

/** Draws the ideal line, with the label "ideal" at its end. */
function drawIdeal(u, view, { colour, font }) {
  const ideal = idealOf(view);
  const [first, last] = [u.data[0][0], u.data[0].at(-1)];
  if (!ideal || !(last > first)) return;
  const { ctx } = u;
  const ratio = devicePixelRatio;
  const positionAt = (x) => [u.valToPos(x, 'x', true), u.valToPos(ideal.at(x), 'y', true)];
  ctx.save();
  ctx.strokeStyle = colour('--text-2');
  ctx.fillStyle = colour('--text-2');
  ctx.lineWidth = 1.5 * ratio;
  ctx.setLineDash([6 * ratio, 4 * ratio]);
  ctx.beginPath();
  ctx.moveTo(...positionAt(first));
  ctx.lineTo(...positionAt(last));
  ctx.stroke();
  ctx.font = font.replace('12px', `${12 * ratio}px`);
  ctx.textAlign = 'right';
  ctx.textBaseline = 'bottom';
  const [left, top] = positionAt(last);
  ctx.fillText('ideal', left - 10 * ratio, top - 3 * ratio);
  ctx.restore();
}

/** Draws a marker at each point, and a cross through a point with a wrong result. */
function drawMarkers(u, drawn, { colour }) {
  const { ctx } = u;
  const ratio = devicePixelRatio;
  for (const one of visibleSeries(drawn)) {
    const outline = new Path2D(markerOf(one));
    for (const { x, measurement } of one.points) {
      const [left, top] = [u.valToPos(x, 'x', true), u.valToPos(measurement.median, 'y', true)];
      if (typeof measurement.median !== 'number' || !Number.isFinite(left) || !Number.isFinite(top)) continue;
      ctx.save();
      ctx.translate(left, top);
      ctx.scale(ratio, ratio);
      ctx.setLineDash([]); // uPlot does not reset the dash of its last line
      ctx.fillStyle = colour(colourVariable(one));
      ctx.strokeStyle = colour('--panel');
      ctx.fill(outline);
      ctx.stroke(outline);
      if (measurement.verified === false) drawWrong(ctx, colour('--bad'));
      ctx.restore();
    }
  }
}

/** Draws a cross, centred at the origin of `ctx`, through a point whose result was wrong. */
function drawWrong(ctx, colour) {
  ctx.strokeStyle = colour;
  ctx.lineWidth = 2.5;
  ctx.beginPath();
  ctx.moveTo(-7, -7);
  ctx.lineTo(7, 7);
  ctx.moveTo(7, -7);
  ctx.lineTo(-7, 7);
  ctx.stroke();
}
