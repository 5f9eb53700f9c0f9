// The elements around the timelines: tools, time axis, cursor, tooltip, help text, legend.

import { h, svg } from '../dom.js';
import { kindOrder } from '../results/timeline.js';
import { valueText } from '../text/displaynames.js';
import { kindClass } from './timelinechart.js';

export const AXIS_HEIGHT = 26;

/** The ways to group spans into rows. */
const ROW_MODES = { stream: 'By stream', engine: 'By engine' };

/** Buttons for the row modes; `setRowMode(by)` is called when one is pressed. */
export function rowModeSwitch(groupLabel, setRowMode, properties = {}) {
  return h(
    'div',
    { class: 'segments', role: 'group', 'aria-label': groupLabel, ...properties },
    Object.entries(ROW_MODES).map(([by, label]) =>
      h('button', { type: 'button', dataset: { by }, on: { click: () => setRowMode(by) } }, label),
    ),
  );
}

/** Shows the button of the row mode `chosen` as pressed; no button if it is null. */
export function showRowMode(buttons, chosen) {
  for (const button of buttons.children) button.setAttribute('aria-pressed', String(button.dataset.by === chosen));
}

/** Creates the elements and returns them by name. The buttons call setRowMode(by), zoomIn(), zoomOut() and showAll().
 * `hint` is the id that the help text gets, `word` that for a span. */
export function timelineFrame({ hint, word, setRowMode, zoomIn, zoomOut, showAll }) {
  const button = (label, symbol, press) =>
    h(
      'button',
      { type: 'button', class: 'small', title: label, on: { click: press } },
      h('span', { 'aria-hidden': 'true' }, symbol),
      h('span', { class: 'visually-hidden' }, label),
    );
  const reset = h('button', { type: 'button', class: 'small', on: { click: showAll } }, 'Show all');
  const windowText = h('span', { class: 'aside timeline-window' });
  const modeSwitch = rowModeSwitch('Group the rows of all variants by', setRowMode);
  const tools = h(
    'div',
    { class: 'timeline-tools' },
    modeSwitch,
    h(
      'div',
      { class: 'timeline-zoom', role: 'group', 'aria-label': 'Zoom' },
      windowText,
      button('Zoom out', '−', zoomOut),
      button('Zoom in', '+', zoomIn),
      reset,
    ),
  );
  const cursorTime = h('span', {});
  const cursor = h('div', { class: 'timeline-cursor', hidden: true, 'aria-hidden': 'true' }, cursorTime);
  const selection = h('div', { class: 'timeline-selection', hidden: true });
  const tooltip = h('div', { class: 'tooltip', hidden: true, 'aria-hidden': 'true' });
  const axis = svg('svg', { class: 'timeline-axis', height: AXIS_HEIGHT, 'aria-hidden': 'true' });
  const variants = h('div', { class: 'timeline-variants' });
  const stack = h('div', { class: 'timeline-stack' }, axis, variants, selection, cursor, tooltip);
  const helpText = h(
    'p',
    { class: 'timeline-hint', id: hint },
    'Drag to zoom into a range; Shift and drag to move; double-click to show everything. The wheel zooms after a click ' +
      'on the chart, or with Ctrl; on a touch screen, pinch to zoom. Keys: arrow keys move between ' +
      `${word}s, + and − zoom, 0 shows everything.`,
  );
  const legend = h('ul', { class: 'timeline-legend' });
  const extras = h('div', { class: 'timeline-extras' });
  return {
    tools,
    reset,
    windowText,
    modeSwitch,
    cursor,
    cursorTime,
    selection,
    tooltip,
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
