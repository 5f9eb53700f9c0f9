// The timelines of a run: the operations of each variant by stream or engine, or the blocks of a kernel by
// multiprocessor. Each variant is a line with its time until it is opened; at first the first and the fastest are open.
// This module manages the variants, the visible part of their time, pointer and keys; variant.js and chart.js draw one
// variant.

import * as api from '../../lab/api.js';
import { choicesInMemory } from '../../choices.js';
import { freshId, h, replace } from '../../dom.js';
import { exactTime, seconds } from '../../text/format.js';
import { oncePerFrame } from '../../throttle.js';
import { devicePositionsText } from '../../lab/rundevices.js';
import { withCopyRates } from '../../results/copies.js';
import { hiddenText as textOfKeys } from '../../results/hidden.js';
import { labelOf, splitAxes } from '../../results/series.js';
import { isSimulated, rowCount, variantFigures } from '../../results/timeline.js';
import { timeTicks } from '../../results/ticks.js';
import { labelledValue, titledValue } from '../../text/displaynames.js';
import { between, isWhole, moved, showing, zoomed } from '../../results/zoom.js';
import { exportButtons } from '../export/buttons.js';
import { runLines } from '../export/run.js';
import { readout } from '../readout.js';
import { legendItems, showMode, timelineFrame } from './frame.js';
import { gestures } from './gestures.js';
import { timelineKeys } from './keys.js';
import { timelineMarks } from './marks.js';
import { timelineTable } from './table.js';
import { spanReading } from './text.js';
import { drawTimeAxis, timelineVariant } from './variant.js';

const ALL_VARIANTS = 'all'; // in the choice `variants`: every variant is open
const NO_VARIANT = 'none'; // none is
const STREAM_ROWS_MAX = 16; // variants with more streams initially have rows by engine
const ZOOM_STEP = 0.6; // zoom factor of a key or button
const AXIS_MARGIN = 1.015; // axis length as a multiple of the longest variant, so that its end is visible
const TOTAL = 1e9; // the visible part is a window (zoom.js) within [0, TOTAL], the same for all time scales

const keyText = ({ key }) => textOfKeys([key]);

/** Returns {element, update(spans, measurements, engines)}; `engines` is the number of copy engines of the device, null
 * if unknown. `subject` is what it shows (timelinesubjects.js), `run` the id of the run, `started` its start (RFC 3339)
 * if known, `devices` its devices (rundevices.js), `x` the axis whose value names a variant. The user's `choices`
 * (choices.js) are the `variants` that are open, `rows` ("stream" or "engine"), `scale` ("own": each variant has its
 * own time scale) and `window`. */
export function timeline({ experiment, subject, run, started, devices, title, x, signal, choices = choicesInMemory() }) {
  // A bound can be computed from efficiency only if the experiment has the metric "bound"; elsewhere efficiency
  // compares devices.
  const bounded = subject.bounded && (experiment.metrics ?? []).some(({ name }) => name === 'bound');
  const element = h('section', { class: 'panel timeline', 'aria-label': title });
  // `shown` are the variants (variant.js), `longest` the time in ns of the longest, `naming` the result of splitAxes
  const state = { shown: [], longest: 1, window: [0, TOTAL], naming: null };
  const sizes = { gutter: 0, plot: 0 }; // widths in px of the row names and of the plot
  const hint = freshId('hint');
  const reading = readout();
  const parts = timelineFrame({
    hint,
    word: subject.words.span,
    reading: reading.element,
    setRows,
    setScale,
    openAll: (open) => setOpen(open ? state.shown : []),
    zoomIn: () => zoom(ZOOM_STEP),
    zoomOut: () => zoom(1 / ZOOM_STEP),
    showAll: () => showAll(),
  });
  parts.rowSwitch.hidden = !subject.engines;
  parts.zoom.append(
    exportButtons(() => ({
      root: parts.stack,
      title: `${experiment.title}: ${title}`,
      lines: runLines({ id: run, started_at: started }, devices),
      name: `${experiment.name}-timeline-${run}`,
    }), { signal }),
  );
  const draw = oncePerFrame(drawNow, signal);
  const marks = timelineMarks({ changed: draw, detailsOf });
  parts.stack.append(...marks.lines);

  /** The details of a span, which are fetched once. */
  async function detailsOf(span) {
    span.details ??= (await api.span(run, span.position, signal)).details ?? {};
    return span.details;
  }

  // --- the visible part of the time ---

  const isOwn = () => choices.get('scale') === 'own';
  /** The time in ns that the whole axis of a variant stands for. */
  const totalOf = ({ variant, bound }) => (isOwn() ? lengthOf(variant, bound) : state.longest) * AXIS_MARGIN;
  const lengthOf = (variant, bound) => Math.max(1, variant.length, (bound ?? 0) * 1e9);
  const windowOf = (one) => state.window.map((part) => (part / TOTAL) * totalOf(one));

  function setWindow(window) {
    state.window = window;
    const shares = window.map((part) => Number((part / TOTAL).toPrecision(5)));
    choices.set({ window: isWhole(window, TOTAL) ? '' : shares.join('..') });
    draw();
  }

  function windowFromChoice() {
    const [from, to] = choices.get('window').split('..').map(Number);
    return to > from && from >= 0 && to <= 1 ? [from * TOTAL, to * TOTAL] : [0, TOTAL];
  }

  const showAll = () => setWindow([0, TOTAL]);
  const partAt = (px) => state.window[0] + (px / sizes.plot) * (state.window[1] - state.window[0]);
  const zoom = (factor, px = sizes.plot / 2) => setWindow(zoomed(state.window, factor, partAt(px), TOTAL));

  function measure() {
    const width = parts.stack.clientWidth;
    const [least, most] = width < 560 ? [84, 122] : [104, 220];
    const wanted = Math.max(0, ...state.shown.filter((one) => one.isOpen()).map(({ chart }) => chart.namesWidth()));
    sizes.gutter = Math.min(most, Math.max(least, Math.ceil(wanted)));
    sizes.plot = Math.max(120, width - sizes.gutter);
  }

  function drawNow() {
    if (!element.isConnected || !state.shown.length) return;
    measure();
    const own = isOwn();
    const open = state.shown.filter((one) => one.isOpen());
    parts.axis.style.setProperty('display', own || !open.length ? 'none' : 'block');
    if (!own && open.length) {
      const window = windowOf(open[0]);
      drawTimeAxis(parts.axis, timeTicks(...window, sizes.plot, sizes.plot < 400 ? 64 : 84), window, sizes);
    }
    for (const one of open) one.draw(windowOf(one), sizes, own);
    marks.draw(xOfMark);
    const whole = isWhole(state.window, TOTAL);
    parts.reset.disabled = whole;
    const total = Math.round(state.longest * AXIS_MARGIN);
    const part = (state.window[1] - state.window[0]) / TOTAL;
    parts.windowText.textContent = whole || own ? '' : `${exactTime(Math.round(part * total))} of ${exactTime(total)}`;
  }

  // --- the span at the pointer or with the keyboard focus ---

  let marked = null; // the variant (variant.js) with the marked span

  /** Marks a span of a variant and shows its values; `found` is {item, row}, or null to mark none. */
  function showSpan(one, found, spoken = false) {
    if (marked && marked !== one) marked.chart.mark(null);
    marked = found ? one : null;
    one?.chart.mark(found);
    reading.show(found && spanReading(found.item.span), spoken);
  }

  const insideOf = (event, box) => [event.clientX - box.left, event.clientY - box.top];

  /** Moves the time cursor to the pointer and marks the span below it; null: the pointer has left. */
  function onPointer(event) {
    const one = event && state.shown.find(({ chart }) => chart.element.contains(event.target));
    parts.cursor.hidden = !one;
    if (!one) return showSpan(marked, null);
    const [left] = insideOf(event, parts.stack.getBoundingClientRect());
    const px = left - sizes.gutter;
    parts.cursor.hidden = px < 0 || px > sizes.plot;
    parts.cursor.style.setProperty('left', `${left}px`);
    const time = (Math.max(0, partAt(px)) / TOTAL) * totalOf(one);
    parts.cursorTime.textContent = seconds(time / 1e9, 5);
    parts.cursor.classList.toggle('flip', px > sizes.plot - 90);
    return showSpan(one, one.chart.at(...insideOf(event, one.chart.element.getBoundingClientRect())));
  }

  /** Where a mark is in the stack, in px; null where it is not seen. */
  function xOfMark({ one, start }) {
    const [from, to] = windowOf(one);
    return one.isOpen() && start >= from && start <= to ? sizes.gutter + ((start - from) / (to - from)) * sizes.plot : null;
  }

  /** Marks the span at the pointer or, where there is none, the time. */
  function onChoose(event) {
    const one = state.shown.find(({ chart }) => chart.element.contains(event.target));
    if (!one) return;
    const [x, y] = insideOf(event, one.chart.element.getBoundingClientRect());
    const px = x - sizes.gutter;
    if (px < 0 || px > sizes.plot) return;
    const span = one.chart.at(x, y)?.item.span ?? null;
    const time = (Math.max(0, partAt(px)) / TOTAL) * totalOf(one);
    marks.choose({ one, start: span?.start ?? time, end: span?.end ?? time, span });
  }

  const pointerActions = {
    choose: onChoose,
    zoom,
    move: (px) => setWindow(moved(state.window, (px / sizes.plot) * (state.window[1] - state.window[0]), TOTAL)),
    showAll,
    hover: onPointer,
    previewRange(a, b) {
      parts.selection.hidden = b === null;
      if (b === null) return;
      const [left, right] = [a, b].map((px) => Math.min(sizes.plot, Math.max(0, px))).sort((p, q) => p - q);
      parts.selection.style.setProperty('left', `${sizes.gutter + left}px`);
      parts.selection.style.setProperty('width', `${right - left}px`);
    },
    selectRange: (a, b) => setWindow(between(...[a, b].map((px) => partAt(Math.max(0, Math.min(px, sizes.plot)))), TOTAL)),
    xOf: (event) => event.clientX - parts.stack.getBoundingClientRect().left - sizes.gutter,
    isWhole: () => isWhole(state.window, TOTAL),
    isActive: () => parts.stack.contains(document.activeElement),
  };

  const partOf = (one, time) => (time / totalOf(one)) * TOTAL;

  /** Moves the keyboard focus to a span of a variant. */
  function focusSpan(one, row, index) {
    const item = one.chart.rows()[row]?.items[index];
    if (!item) return;
    Object.assign(one.focus, { row, index });
    setWindow(showing(state.window, partOf(one, item.span.start), partOf(one, item.span.end), TOTAL));
    showSpan(one, { item, row }, true);
  }

  const zoomAround = (factor) => ({ start, end }, one) =>
    setWindow(zoomed(state.window, factor, partOf(one, (start + end) / 2), TOTAL));
  const keys = timelineKeys({
    focusSpan,
    showAll,
    move: (share) => pointerActions.move(share * sizes.plot),
    zoomIn: zoomAround(ZOOM_STEP),
    zoomOut: zoomAround(1 / ZOOM_STEP),
    leave: (one) => showSpan(one, null),
    choose: (span, one) => marks.choose({ one, start: span.start, end: span.end, span }, true),
  });

  // --- the variants ---

  /** The name of a variant: its value of the axis `x`, followed by the other axes that vary. */
  function nameOf({ axes }) {
    const { varying } = state.naming;
    const rest = varying.filter(({ name }) => name !== x);
    const axis = experiment.axes?.find(({ name }) => name === x) ?? { name: x, title: x, unit: null };
    const main = x in axes ? labelledValue(axis, axes[x]) : labelOf({ axes }, rest, title);
    return { main, rest: x in axes ? labelOf({ axes }, rest, '') : '' };
  }

  function createVariants(all, measurements, engines) {
    marks.clear();
    const figures = all.map((variant) => ({
      ...variantFigures(variant, measurements, engines),
      ...(!bounded && { bound: null }),
    }));
    state.longest = Math.max(...all.map((variant, at) => lengthOf(variant, figures[at].bound)));
    const longestTraced = Math.max(1, ...all.map(({ length }) => length));
    state.shown = all.map((variant, at) => {
      const one = timelineVariant({
        variant,
        name: nameOf(variant),
        figures: figures[at],
        share: variant.length / longestTraced,
        words: subject.words,
        hint,
        actions: {
          opened: (open) => setOpen(state.shown.filter((other) => (other === one ? open : other.isOpen()))),
          keys,
          focused: () => focusSpan(one, one.focus.row, one.focus.index),
          left: () => showSpan(one, null),
        },
      });
      return one;
    });
  }

  /** Opens the given variants and closes the others. */
  function setOpen(open) {
    const isAll = open.length > 1 && open.length === state.shown.length;
    choices.set({ variants: isAll ? ALL_VARIANTS : open.map(({ variant }) => keyText(variant)).join(' ') || NO_VARIANT });
    showOpen();
  }

  /** The variants that are open until the user chooses: the first one, and beside it the fastest. */
  function openAtFirst() {
    const fastest = (a, b) => (b.variant.length < a.variant.length ? b : a);
    return [state.shown[0], state.shown.reduce(fastest)];
  }

  function showOpen() {
    const chosen = choices.get('variants');
    const named = new Set(chosen ? chosen.split(' ') : openAtFirst().map(({ variant }) => keyText(variant)));
    const isAll = chosen === ALL_VARIANTS || state.shown.length === 1;
    for (const one of state.shown) one.setOpen(isAll || named.has(keyText(one.variant)));
    const open = state.shown.filter((one) => one.isOpen()).length;
    parts.openAll.hidden = state.shown.length < 2;
    parts.showOpenAll(open < state.shown.length);
    element.classList.toggle('closed', open === 0);
    reading.setHint(open ? 'Point at a bar, or use the arrow keys, to read its values; click two to measure in between. Drag to zoom.' : '');
    draw();
  }

  /** The rows of all variants: as chosen, otherwise by stream, unless a variant has too many streams and fewer
   * engines. */
  function rowMode() {
    if (!subject.engines) return 'stream';
    if (['stream', 'engine'].includes(choices.get('rows'))) return choices.get('rows');
    const tooMany = ({ variant }) =>
      rowCount(variant, 'stream') > STREAM_ROWS_MAX && rowCount(variant, 'engine') <= rowCount(variant, 'stream');
    return state.shown.some(tooMany) ? 'engine' : 'stream';
  }

  function setRows(by) {
    choices.set({ rows: by });
    layOut();
  }

  function setScale(scale) {
    choices.set({ scale: scale === 'own' ? 'own' : '' });
    showMode(parts.scaleSwitch, isOwn() ? 'own' : 'common');
    draw();
  }

  /** Assigns the rows of all charts and draws them. */
  function layOut() {
    const by = rowMode();
    for (const { chart, bound, focus } of state.shown) {
      chart.layOut(by, bound);
      Object.assign(focus, { row: 0, index: 0 });
    }
    showMode(parts.rowSwitch, by);
    draw();
  }

  /** Fills the panel with all its elements. */
  function build(all) {
    const common = state.naming.constant.map(({ axis, value }) => titledValue(axis, value));
    const kinds = all.flatMap(({ spans }) => spans.map(({ kind }) => kind));
    replace(parts.legend, legendItems(kinds, state.shown.some(({ bound }) => bound !== null)));
    replace(parts.variants, state.shown.map((one) => one.element));
    replace(parts.extras, timelineTable(all, (variant) => Object.values(nameOf(variant)).filter(Boolean).join(' · '), subject.words));
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
        all.some(isSimulated) && 'Variants with a number of assumed copy engines are simulated. ',
        common.length ? `Same for all: ${common.join(', ')}. ` : '',
        devicePositionsText(devices),
      ),
      parts.tools,
      parts.legend,
      parts.stack,
      marks.element,
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
      const all = subject.variants(spans).map((variant) => withCopyRates(variant, devices));
      if (!all.length) return replace(element);
      state.naming = splitAxes(all, experiment.axes, null);
      state.window = windowFromChoice();
      createVariants(all, measurements, engines);
      build(all);
      layOut();
      setScale(choices.get('scale'));
      return showOpen();
    },
  };
}
