// The timelines of a run: the operations of each variant by stream or engine, or the blocks of a kernel by
// multiprocessor, one below the other on a common time axis. This module manages the visible window, pointer and keys; parts/timelinechart.js draws one variant.

import * as api from '../lab/api.js';
import { freshId, h, replace, svg } from '../dom.js';
import { exactTime, plural, seconds } from '../text/format.js';
import { oncePerFrame } from '../throttle.js';
import { devicePositionsText } from '../lab/rundevices.js';
import { labelOf, splitAxes } from '../results/series.js';
import { variantFigures, rowsOf } from '../results/timeline.js';
import { timeTicks } from '../results/ticks.js';
import { titledValue, labelledValue } from '../text/displaynames.js';
import { between, isWhole, moved, showing, zoomed } from '../results/zoom.js';
import { announce } from '../parts/announce.js';
import { timelineChart } from './timelinechart.js';
import { AXIS_HEIGHT, legendItems, showRowMode, timelineFrame, rowModeSwitch } from './timelineframe.js';
import { gestures } from './timelinegestures.js';
import { timelineKeys } from './timelinekeys.js';
import { timelineTable } from './timelinetable.js';
import { variantSummary, spanText, spanTooltip } from './timelinetext.js';

const STREAM_ROWS_MAX = 16; // a variant with more streams initially has rows by engine
const ZOOM_STEP = 0.6; // zoom factor of a key or button
const AXIS_MARGIN = 1.015; // axis length as a multiple of the longest variant, so that its end is visible

/** Returns {element, update(spans, measurements, engines)}; `engines` is the number of copy engines of the device, null
 * if unknown. `subject` is what it shows (timelinesubjects.js), `run` the id of the run, `devices` its devices
 * (rundevices.js), `x` the axis whose value names a variant. */
export function timeline({ experiment, subject, run, devices, title, x, signal }) {
  // A bound can be computed from efficiency only if the experiment has the metric "bound"; elsewhere efficiency
  // compares devices.
  const bounded = subject.bounded && (experiment.metrics ?? []).some(({ name }) => name === 'bound');
  const element = h('section', { class: 'panel timeline', 'aria-label': title });
  // `all` are the variants, `shown` the keys of those to show, `shownVariants` what is shown of them (createVariant),
  // `by` the row modes selected by the user (key -> mode), `naming` the result of splitAxes; `total` and `window`
  // (zoom.js) are in ns
  const state = { shownVariants: [], all: [], total: 1, window: [0, 1], by: new Map(), shown: new Set(), naming: null };
  const sizes = { gutter: 0, plot: 0 }; // widths in px of the row names and of the plot
  const hint = freshId('hint');
  const parts = timelineFrame({
    hint,
    word: subject.words.span,
    setRowMode: (by) => setRowMode(state.shownVariants, by),
    zoomIn: () => zoom(ZOOM_STEP),
    zoomOut: () => zoom(1 / ZOOM_STEP),
    showAll: () => showAll(),
  });
  parts.modeSwitch.hidden = !subject.engines;
  const draw = oncePerFrame(drawNow, signal);

  // --- visible window ---

  function setWindow(window) {
    state.window = window;
    draw();
  }
  const showAll = () => setWindow([0, state.total]);
  const timeAt = (px) => state.window[0] + (px / sizes.plot) * (state.window[1] - state.window[0]);
  const zoom = (factor, px = sizes.plot / 2) => setWindow(zoomed(state.window, factor, timeAt(px), state.total));

  function measure() {
    const width = parts.stack.clientWidth;
    const [least, most] = width < 560 ? [84, 122] : [104, 220];
    const wanted = Math.max(0, ...state.shownVariants.map(({ chart }) => chart.namesWidth()));
    sizes.gutter = Math.min(most, Math.max(least, Math.ceil(wanted)));
    sizes.plot = Math.max(120, width - sizes.gutter);
  }

  function drawNow() {
    if (!element.isConnected || !state.shownVariants.length) return;
    measure();
    const ticks = timeTicks(...state.window, sizes.plot, sizes.plot < 400 ? 64 : 84);
    drawAxis(ticks);
    for (const { chart } of state.shownVariants) chart.draw(state.window, sizes, ticks);
    const allVisible = isWhole(state.window, state.total);
    parts.reset.disabled = allVisible;
    parts.windowText.textContent = allVisible
      ? ''
      : `${exactTime(Math.round(state.window[1] - state.window[0]))} of ${exactTime(Math.round(state.total))}`;
  }

  function drawAxis(ticks) {
    const [from, to] = state.window;
    const xOf = (time) => ((time - from) / (to - from)) * sizes.plot;
    parts.axis.setAttribute('width', sizes.gutter + sizes.plot);
    replace(
      parts.axis,
      svg('path', { class: 'timeline-base', d: `M${sizes.gutter} ${AXIS_HEIGHT - 0.5}h${sizes.plot}` }),
      ticks.map(({ at, text }) => {
        const tickX = xOf(at);
        const anchor = tickX < 24 ? 'start' : tickX > sizes.plot - 30 ? 'end' : 'middle';
        return svg(
          'text',
          { x: Math.min(sizes.gutter + sizes.plot, sizes.gutter + Math.max(0, tickX)), y: 12, 'text-anchor': anchor },
          text,
        );
      }),
    );
  }

  // --- span at the pointer or with the keyboard focus ---

  let marked = null; // {chart, found}: the span that is marked

  /** Marks a span of a chart and shows its tooltip at (left, top); `found` is {item, row}, or null to mark none. */
  function showSpan(chart, found, left, top) {
    if (marked && marked.chart !== chart) marked.chart.mark(null);
    marked = found ? { chart, found } : null;
    chart?.mark(found);
    parts.tooltip.hidden = !found;
    if (!found) return;
    const { span } = found.item;
    replace(parts.tooltip, ...spanTooltip(span));
    const [available, own] = [parts.stack.clientWidth, parts.tooltip.offsetWidth];
    const below = parts.stack.getBoundingClientRect().top + top + 18 + parts.tooltip.offsetHeight < innerHeight;
    parts.tooltip.style.setProperty('left', `${Math.max(0, Math.min(left + 14, available - own))}px`);
    parts.tooltip.style.setProperty('top', `${below ? top + 14 : top - parts.tooltip.offsetHeight - 30}px`);
  }

  const insideOf = (event, box) => [event.clientX - box.left, event.clientY - box.top];

  /** Moves the time cursor to the pointer and marks the span below it; null: the pointer has left. */
  function onPointer(event) {
    if (!event) {
      parts.cursor.hidden = true;
      return showSpan(marked?.chart, null);
    }
    const area = parts.stack.getBoundingClientRect();
    const [left, top] = insideOf(event, area);
    const px = left - sizes.gutter;
    parts.cursor.hidden = px < 0 || px > sizes.plot;
    parts.cursor.style.setProperty('left', `${left}px`);
    parts.cursorTime.textContent = seconds(Math.max(0, timeAt(px)) / 1e9, 5);
    parts.cursor.classList.toggle('flip', px > sizes.plot - 90);
    const shownVariant = state.shownVariants.find(({ chart }) => chart.element.contains(event.target));
    const found =
      shownVariant?.chart.at(...insideOf(event, shownVariant.chart.element.getBoundingClientRect())) ?? null;
    return showSpan(shownVariant?.chart ?? marked?.chart, found, left, top);
  }

  const pointerActions = {
    zoom,
    move: (px) => setWindow(moved(state.window, (px / sizes.plot) * (state.window[1] - state.window[0]), state.total)),
    showAll,
    hover: onPointer,
    previewRange(a, b) {
      parts.selection.hidden = b === null;
      if (b === null) return;
      const [left, right] = [a, b].map((px) => Math.min(sizes.plot, Math.max(0, px))).sort((p, q) => p - q);
      parts.selection.style.setProperty('left', `${sizes.gutter + left}px`);
      parts.selection.style.setProperty('width', `${right - left}px`);
    },
    selectRange: (a, b) =>
      setWindow(
        between(
          timeAt(Math.max(0, Math.min(a, sizes.plot))),
          timeAt(Math.max(0, Math.min(b, sizes.plot))),
          state.total,
        ),
      ),
    xOf: (event) => event.clientX - parts.stack.getBoundingClientRect().left - sizes.gutter,
    isWhole: () => isWhole(state.window, state.total),
    isActive: () => parts.stack.contains(document.activeElement),
  };

  /** Moves the keyboard focus to a span of a variant. */
  function focusSpan(shownVariant, row, index) {
    const item = shownVariant.chart.rows()[row]?.items[index];
    if (!item) return;
    Object.assign(shownVariant.focus, { row, index });
    const { span } = item;
    state.window = showing(state.window, span.start, span.end, state.total);
    drawNow();
    const { x: left, y: top } = shownVariant.chart.place({ item, row });
    const [area, own] = [parts.stack, shownVariant.chart.element].map((part) => part.getBoundingClientRect());
    showSpan(shownVariant.chart, { item, row }, left, top + own.top - area.top);
    announce(spanText(span));
  }

  const keys = timelineKeys({
    focusSpan,
    showAll,
    move: (share) => pointerActions.move(share * sizes.plot),
    zoomIn: (span) => setWindow(zoomed(state.window, ZOOM_STEP, (span.start + span.end) / 2, state.total)),
    zoomOut: (span) => setWindow(zoomed(state.window, 1 / ZOOM_STEP, (span.start + span.end) / 2, state.total)),
    leave: (shownVariant) => showSpan(shownVariant.chart, null),
  });

  // --- the variants ---

  /** Creates what is shown of a variant: {chart, variant, bound, focus, modeSwitch, element}. The element contains a
   * heading with durations, the row mode buttons and the chart; `focus` is the position of the keyboard focus, {row,
   * index}. */
  function createVariant(variant, measurements, engines) {
    const chart = timelineChart(variant);
    const name = nameOf(variant);
    const figures = variantFigures(variant, measurements, engines);
    if (!bounded) figures.bound = null;
    const shownVariant = { chart, variant, bound: figures.bound, focus: { row: 0, index: 0 } };
    shownVariant.modeSwitch = rowModeSwitch(`Group the rows of ${name.main} by`, (by) => setRowMode([shownVariant], by), {
      class: 'segments small-segments',
      hidden: !subject.engines,
    });
    shownVariant.element = h(
      'div',
      { class: 'timeline-variant' },
      h(
        'div',
        { class: 'timeline-variant-head' },
        h('h3', {}, name.main, name.rest && h('span', { class: 'aside' }, ` ${name.rest}`)),
        h('p', { class: 'aside' }, variantSummary(variant, figures, subject.words.duration)),
        shownVariant.modeSwitch,
      ),
      h(
        'div',
        {
          class: 'timeline-figure',
          tabindex: 0,
          role: 'application',
          'aria-label': `Timeline of ${[name.main, name.rest].filter(Boolean).join(', ')}: ${plural(variant.spans.length, subject.words.span)}`,
          'aria-describedby': hint,
          on: {
            keydown: (event) => keys(event, shownVariant),
            focus: (event) =>
              event.target.matches(':focus-visible') &&
              focusSpan(shownVariant, shownVariant.focus.row, shownVariant.focus.index),
            blur: () => showSpan(chart, null),
          },
        },
        chart.element,
      ),
    );
    return shownVariant;
  }

  /** The name of a variant: its value of the axis `x`, followed by the other axes that vary. */
  function nameOf({ axes }) {
    const { varying } = state.naming;
    const rest = varying.filter(({ name }) => name !== x);
    const axis = experiment.axes?.find(({ name }) => name === x) ?? { name: x, title: x, unit: null };
    const main = x in axes ? labelledValue(axis, axes[x]) : labelOf({ axes }, rest, title);
    return { main, rest: x in axes ? labelOf({ axes }, rest, '') : '' };
  }

  function setRowMode(shownVariants, by) {
    shownVariants.forEach(({ variant }) => state.by.set(variant.key, by));
    layOut();
  }

  /** The row mode of a variant: the mode selected, otherwise by stream, unless there are too many streams and fewer
   * engines. */
  function rowModeOf(variant) {
    if (!subject.engines) return 'stream';
    const chosen = state.by.get(variant.key);
    if (chosen) return chosen;
    const rows = (by) => rowsOf(variant, by).length;
    return rows('stream') > STREAM_ROWS_MAX && rows('engine') <= rows('stream') ? 'engine' : 'stream';
  }

  /** Assigns the rows of all charts and draws them. */
  function layOut() {
    for (const { chart, variant, bound, modeSwitch, focus } of state.shownVariants) {
      chart.layOut(rowModeOf(variant), bound);
      Object.assign(focus, { row: 0, index: 0 });
      showRowMode(modeSwitch, rowModeOf(variant));
    }
    const used = new Set(state.shownVariants.map(({ variant }) => rowModeOf(variant)));
    showRowMode(parts.modeSwitch, used.size === 1 ? [...used][0] : null);
    draw();
  }

  /** Shows the selected variants with the whole time axis; charts already shown are kept. */
  function show() {
    const list = state.all.filter(({ key: own }) => state.shown.has(own));
    const previous = new Map(state.shownVariants.map((shownVariant) => [shownVariant.variant.key, shownVariant]));
    const { measurements, engines } = state;
    state.shownVariants = list.map(
      (variant) => previous.get(variant.key) ?? createVariant(variant, measurements, engines),
    );
    const longest = Math.max(
      1,
      ...state.shownVariants.map(({ variant, bound }) => Math.max(variant.length, (bound ?? 0) * 1e9)),
    );
    state.total = longest * AXIS_MARGIN;
    state.window = [0, state.total];
    replace(
      parts.variants,
      state.shownVariants.map((shownVariant) => shownVariant.element),
    );
    layOut();
  }

  /** The list for selecting the variants to show. */
  function variantPicker() {
    if (state.all.length <= 1) return null;
    const summary = h('summary', {});
    const count = () => {
      summary.textContent = `Variants: ${state.shown.size} of ${state.all.length} shown`;
    };
    count();
    const box = (variant) => {
      const { main, rest } = nameOf(variant);
      const input = h('input', { type: 'checkbox', checked: state.shown.has(variant.key) });
      input.addEventListener('change', () => {
        if (input.checked) state.shown.add(variant.key);
        else state.shown.delete(variant.key);
        count();
        show();
      });
      return h('label', { class: 'box' }, input, h('span', {}, [main, rest].filter(Boolean).join(' · ')));
    };
    return h('details', { class: 'timeline-details' }, summary, h('div', { class: 'boxes' }, state.all.map(box)));
  }

  /** Fills the panel with all its elements. */
  function build() {
    const { constant } = state.naming;
    const common = constant.map(({ axis, value }) => titledValue(axis, value));
    const kinds = state.all.flatMap(({ spans }) => spans.map(({ kind }) => kind));
    replace(
      parts.legend,
      legendItems(
        kinds,
        state.shownVariants.some((shownVariant) => shownVariant.bound !== null),
      ),
    );
    replace(
      parts.extras,
      variantPicker(),
      timelineTable(state.all, (variant) => Object.values(nameOf(variant)).filter(Boolean).join(' · '), subject.words),
    );
    replace(
      element,
      h(
        'div',
        { class: 'section-head' },
        h('h2', {}, title),
        h(
          'p',
          { class: 'aside timeline-trace' },
          h('a', { href: api.links(run).trace, download: `${experiment.name}-${run}.trace.json` }, 'Trace file'),
          ' (open it with ui.perfetto.dev)',
        ),
      ),
      h(
        'p',
        { class: 'formula' },
        subject.recorded,
        common.length ? `Same for all: ${common.join(', ')}. ` : '',
        devicePositionsText(devices),
      ),
      parts.tools,
      parts.legend,
      parts.stack,
      parts.helpText,
      parts.extras,
    );
  }

  gestures(parts.stack, pointerActions, signal);
  const observer = new ResizeObserver(draw);
  observer.observe(parts.stack);
  signal.addEventListener('abort', () => observer.disconnect());

  return {
    element,
    update(spans, measurements, engines) {
      const all = subject.variants(spans);
      if (!all.length) return replace(element);
      const naming = splitAxes(all, experiment.axes, null);
      Object.assign(state, { all, naming, measurements, engines, shownVariants: [] });
      state.shown = new Set(subject.initial(all, x).map((variant) => variant.key));
      show();
      build();
      return draw();
    },
  };
}
