// Line chart as SVG: the median of each series as a line and the interquartile range as a band. The pointer or the
// arrow keys select a point, whose values are shown outside the chart; a drag selects the range of x to show.

import { h, replace, svg } from '../../dom.js';
import { cacheSizesOf, isWorkingSet } from '../../results/cachesizes.js';
import { idealOf } from '../../results/ideal.js';
import { axisUnit } from '../../results/axisunit.js';
import { isBinary, isCount, isSeparate, pointsAt, xRange, xsOf, yRange } from '../../results/lines.js';
import { slopeLine, slopeSentence } from '../../results/slope.js';
import { areaOf, colourOf, drawnToWidth, grid, round, scalesOf, textWidths } from '../xyframe.js';
import { cacheElements, clipped, levelElements, lineElements, markerElements, predictionElement, referenceElements, theoryElements } from './drawing.js';
import { lineGestures } from './gestures.js';
import { lineKeys } from './keys.js';

/** Creates a line chart: {element, update(series, hidden, state), close()}. All charts have this interface. `series` as
 * returned by seriesOf or withPredictions, `hidden` is a set of keys of series not to draw, `state` has what else the
 * chart shows: `view` with the scales that the user has chosen, `window` (lines.js), `levels`: horizontal lines
 * [{value, text, kind}], `references`: marks [{one, x, value}], cautions(measurement). close() ends listeners;
 * emphasise(key), which a chart may have, emphasises a series, or none for null. `axis` is the horizontal axis,
 * `metric` the vertical one, `devices` are the run's devices; showSamples(measurement) shows the samples of one, null:
 * nothing does. select({one, point}) is called when the user selects a point of a series, select(null) when none is
 * selected; setWindow(window) when the user zooms. */
export function lineChart({ axis, metric, devices, select, setWindow, signal }) {
  const joined = !isSeparate(axis);
  const caches = isWorkingSet(axis.name) ? cacheSizesOf(devices) : [];
  const chart = svg('svg', { class: 'xy-chart', 'aria-hidden': 'true' });
  const selection = h('div', { class: 'chart-selection', hidden: true });
  const element = h('div', { class: 'line-chart xy', role: 'application', tabindex: 0 }, chart, selection);
  const cursor = svg('g', { class: 'line-cursor' });
  const textWidth = textWidths(element);
  let drawn = null; // {visible, all, view, window, levels, references, cautions}
  let placed = null; // {scales, area, xs} of the last drawing
  let selected = null; // {one, point}
  let emphasised = null; // the key of the series whose legend entry is pointed at

  function drawAt(width) {
    if (!drawn) return;
    const { visible, view, window, levels, references, cautions } = drawn;
    const all = xsOf(visible.length ? visible : drawn.all, view);
    const range = xRange(all, view, window);
    const dimensions = {
      x: { range, log: view.log_x, binary: isBinary(axis, all), counts: isCount(all, view.log_x), ...axisUnit(axis, all, view.log_x) },
      y: { log: view.log_y, range: yRange(visible, view, range, levels.map(({ value }) => value)) },
    };
    Object.assign(dimensions.y, { binary: metric.unit === 'B' }, axisUnit(metric, dimensions.y.range, view.log_y));
    dimensions.x.spacing = spacingOf(dimensions.x, all);
    const area = areaOf(width, dimensions.y, textWidth, { ratio: 0.46 });
    if (!area) return;
    const scales = scalesOf(dimensions, area);
    placed = { scales, area, xs: all.filter((x) => x >= range[0] && x <= range[1]) };
    chart.setAttribute('width', area.width);
    chart.setAttribute('height', area.height);
    replace(
      chart,
      grid(scales, area, dimensions),
      cacheElements(caches, scales, area, textWidth),
      clipped(area, [
        visible.map((one) => lineElements(one, view, scales, joined)),
        visible.map((one) => predictionElement(one, view, scales, joined)),
        theoryElements(idealOf(view) ?? slopeLine(view, visible), all, scales),
        markerElements(visible, view, scales, { always: !joined, hasCaution: (measurement) => cautions(measurement).length > 0 }),
        referenceElements(references, scales),
      ]),
      levelElements(levels, scales, area, textWidth),
      cursor,
    );
    drawCursor();
  }

  /** Pixels between the ticks of x, by the longest of them. */
  const spacingOf = ({ write }, xs) => Math.max(40, ...[xs[0], xs.at(-1)].map((x) => textWidth(write(x ?? 0)) + 18));

  /** Draws the line that is pointed at, in the chart or in the legend, thicker. */
  function drawEmphasis() {
    const key = emphasised ?? selected?.one.key;
    for (const line of chart.querySelectorAll('[data-key]')) line.classList.toggle('emphasised', line.dataset.key === key);
  }

  function drawCursor() {
    drawEmphasis();
    const found = selected && pointsAt(drawn.visible, selected.point.x, drawn.view).find(({ one }) => one.key === selected.one.key);
    if (!found || !placed) return replace(cursor);
    const { scales, area } = placed;
    const [left, top] = [scales.x.at(found.point.x), scales.y.at(found.point.measurement.median)];
    if (left < area.left - 1 || left > area.right + 1) return replace(cursor);
    return replace(
      cursor,
      svg('path', { d: `M${Math.round(left) + 0.5} ${area.top}V${area.bottom}` }),
      svg('circle', { cx: round(left), cy: round(top), r: 6, style: { stroke: colourOf(found.one) } }),
    );
  }

  /** Selects a point, or none for null; tells it to the caller. */
  function choose(found, byKey = false) {
    if (found?.point === selected?.point && found?.one.key === selected?.one.key) return;
    selected = found;
    drawCursor();
    select(found, byKey);
  }

  const chartState = () => ({ ...drawn, ...placed, selected });
  lineGestures(element, { stateOf: chartState, choose, setWindow, selection }, signal);
  lineKeys(element, { stateOf: chartState, choose, setWindow }, signal);

  const { draw, close } = drawnToWidth(element, drawAt, signal);

  return {
    element,
    close,
    emphasise(key) {
      emphasised = key;
      drawEmphasis();
    },
    update(series, hidden, { view, window, levels, references, cautions }) {
      const visible = series.filter(({ key }) => !hidden.has(key));
      drawn = { visible, all: series, view, window, levels, references, cautions };
      element.setAttribute('aria-label', describe(view, axis, metric, series));
      draw();
    },
  };
}

const NAMED_MAX = 8; // a description names at most this many series

function describe(view, axis, metric, series) {
  const slope = slopeSentence(view, axis, metric);
  const ideal = idealOf(view) ? ` Compared with the ideal: ${idealOf(view).text}.` : '';
  const named = series.slice(0, NAMED_MAX).map(({ label, points }) => `${label}, ${points.length} points`);
  const more = series.length > NAMED_MAX ? `; ${series.length - NAMED_MAX} more` : '';
  return (
    `${view.title}, over ${axis.title.toLowerCase()}. ${named.join('; ')}${more}.${ideal}${slope ? ` ${slope}` : ''} ` +
    'Left and right arrow keys move along the axis, up and down between series; plus and minus zoom, 0 shows everything.'
  );
}
