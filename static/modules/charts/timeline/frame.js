// The elements around the timelines: tools, time axis, cursor, tooltip, help text, legend.

import { h, svg } from '../../dom.js';
import { kindOrder } from '../../results/timeline.js';
import { valueText } from '../../text/displaynames.js';
import { kindClass } from './chart.js';

export const AXIS_HEIGHT = 26;

const ROWS = { stream: 'By stream', engine: 'By engine' };
const SCALES = { common: 'Common time scale', own: 'Own time scales' };

/** A switch between the modes {name: text}; set(name) is called when one is pressed. */
function modeSwitch(label, modes, set) {
  return h(
    'div',
    { class: 'segments', role: 'group', 'aria-label': label },
    Object.entries(modes).map(([mode, text]) =>
      h('button', { type: 'button', dataset: { mode }, on: { click: () => set(mode) } }, text),
    ),
  );
}

/** Shows the button of the mode `chosen` as pressed. */
export function showMode(buttons, chosen) {
  for (const button of buttons.children) button.setAttribute('aria-pressed', String(button.dataset.mode === chosen));
}

/** Creates the elements and returns them by name. The buttons call setRows(by), setScale(scale), openAll(open),
 * zoomIn(), zoomOut() and showAll(). `hint` is the id that the help text gets, `word` that for a span, `reading` the
 * element with the values of a span. */
export function timelineFrame({ hint, word, reading, setRows, setScale, openAll, zoomIn, zoomOut, showAll }) {
  const button = (label, symbol, press) =>
    h(
      'button',
      { type: 'button', class: 'small', title: label, on: { click: press } },
      h('span', { 'aria-hidden': 'true' }, symbol),
      h('span', { class: 'visually-hidden' }, label),
    );
  const reset = h('button', { type: 'button', class: 'small', on: { click: showAll } }, 'Show all');
  const windowText = h('span', { class: 'aside timeline-window' });
  const rowSwitch = modeSwitch('Rows', ROWS, setRows);
  const scaleSwitch = modeSwitch('Time scale', SCALES, setScale);
  let opens = true; // whether the button opens all variants or closes them
  const openButton = h('button', { type: 'button', class: 'small', on: { click: () => openAll(opens) } });
  function showOpenAll(next) {
    opens = next;
    openButton.textContent = opens ? 'Open all' : 'Close all';
  }
  const zoom = h(
    'div',
    { class: 'timeline-zoom row tight', role: 'group', 'aria-label': 'Zoom' },
    windowText,
    button('Zoom out', '−', zoomOut),
    button('Zoom in', '+', zoomIn),
    reset,
  );
  const tools = h('div', { class: 'timeline-tools row loose spread' }, openButton, rowSwitch, scaleSwitch, zoom);
  const cursorTime = h('span', {});
  const cursor = h('div', { class: 'timeline-cursor', hidden: true, 'aria-hidden': 'true' }, cursorTime);
  const selection = h('div', { class: 'timeline-selection', hidden: true });
  const axis = svg('svg', { class: 'timeline-axis', height: AXIS_HEIGHT, 'aria-hidden': 'true' });
  const variants = h('div', { class: 'timeline-variants' });
  const head = h('div', { class: 'timeline-head' }, reading, axis);
  const stack = h('div', { class: 'timeline-stack' }, head, variants, selection, cursor);
  const helpText = h(
    'p',
    { class: 'timeline-hint aside', id: hint },
    'Where many bars share a pixel, their height is the part of its time that they take. ' +
      'Click to keep the details, a second time to measure in between. Drag to zoom into a range; Shift and drag to ' +
      'move; double-click to show everything. The wheel zooms after a click ' +
      'on the chart, or with Ctrl; on a touch screen, pinch to zoom. Keys: arrow keys move between ' +
      `${word}s, Enter keeps the details, + and − zoom, 0 shows everything.`,
  );
  const legend = h('ul', { class: 'timeline-legend row loose fine' });
  const extras = h('div', { class: 'timeline-extras stack tight' });
  return {
    tools,
    reset,
    windowText,
    zoom,
    rowSwitch,
    scaleSwitch,
    openAll: openButton,
    showOpenAll,
    cursor,
    cursorTime,
    selection,
    axis,
    variants,
    stack,
    helpText,
    legend,
    extras,
  };
}

/** The items of the legend: the kinds of spans and, if `bounded`, the lower bound. */
export function legendItems(kinds, bounded) {
  return [
    ...[...new Set(kinds)]
      .sort((a, b) => kindOrder(a) - kindOrder(b))
      .map((kind) =>
        h('li', {}, swatch(svg('rect', { class: kindClass(kind), width: 18, height: 12 })), valueText('kind', kind)),
      ),
    bounded &&
      h(
        'li',
        {},
        swatch(svg('path', { class: 'timeline-bound-line', d: 'M9 0V12' })),
        'lower bound: a simulated schedule of the same operations on this device’s engines',
      ),
  ];
}

const swatch = (shape) => svg('svg', { class: 'swatch', width: 18, height: 12, 'aria-hidden': 'true' }, shape);
