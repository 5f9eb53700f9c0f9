// What stands around the timelines: the tools over them, the axis, what follows the pointer, the hint and the legend.

import { h, svg } from '../dom.js';
import { placeOfKind } from '../timeline.js';
import { valueWords } from '../displaynames.js';
import { kindClass } from './timelinechart.js';

export const AXIS_HEIGHT = 26;

/** The ways in which rows can be made, in words. */
const WAYS = { stream: 'By stream', engine: 'By engine' };

/** Buttons for the ways; `turn(by)` is called when one is pressed. */
export function waysSwitch(label, turn, properties = {}) {
  return h(
    'div',
    { class: 'segments', role: 'group', 'aria-label': label, ...properties },
    Object.entries(WAYS).map(([by, words]) =>
      h('button', { type: 'button', dataset: { by }, on: { click: () => turn(by) } }, words),
    ),
  );
}

/** Presses the button of the way that is chosen; null: none. */
export function showWay(buttons, chosen) {
  for (const button of buttons.children) button.setAttribute('aria-pressed', String(button.dataset.by === chosen));
}

/** The elements, by name. `tools` are told: turn(by), closer(), wider(), whole(). `hint` is the id of the hint. */
export function timelineFrame({ hint, turn, closer, wider, whole }) {
  const button = (words, sign, press) =>
    h(
      'button',
      { type: 'button', class: 'small', title: words, on: { click: press } },
      h('span', { 'aria-hidden': 'true' }, sign),
      h('span', { class: 'unseen' }, words),
    );
  const reset = h('button', { type: 'button', class: 'small', on: { click: whole } }, 'Whole');
  const seen = h('span', { class: 'aside timeline-seen' });
  const ways = waysSwitch('Rows of all variants', turn);
  const tools = h(
    'div',
    { class: 'timeline-tools' },
    ways,
    h(
      'div',
      { class: 'timeline-zoom', role: 'group', 'aria-label': 'Zoom' },
      seen,
      button('Zoom out', '−', wider),
      button('Zoom in', '+', closer),
      reset,
    ),
  );
  const cursorTime = h('span', {});
  const cursor = h('div', { class: 'timeline-cursor', hidden: true, 'aria-hidden': 'true' }, cursorTime);
  const choice = h('div', { class: 'timeline-choice', hidden: true });
  const tip = h('div', { class: 'timeline-tip', hidden: true, 'aria-hidden': 'true' });
  const axis = svg('svg', { class: 'timeline-axis', height: AXIS_HEIGHT, 'aria-hidden': 'true' });
  const variants = h('div', { class: 'timeline-variants' });
  const stack = h('div', { class: 'timeline-stack' }, axis, variants, choice, cursor, tip);
  const help = h(
    'p',
    { class: 'timeline-hint', id: hint },
    'Drag over a part to enlarge it; Shift with a drag moves, a double click shows the whole. The wheel zooms after a ' +
      'click into the picture, with Ctrl at once; two fingers zoom too. Keys: arrows go from operation to operation, ' +
      '+ and − zoom, 0 shows the whole.',
  );
  const legend = h('ul', { class: 'timeline-legend' });
  const folds = h('div', { class: 'timeline-folds' });
  return { tools, reset, seen, ways, cursor, cursorTime, choice, tip, axis, variants, stack, help, legend, folds };
}

/** The legend's items: the kinds that there are and, where there is one, the bound. */
export function legendItems(kinds, bounded) {
  return [
    ...[...new Set(kinds)]
      .sort((a, b) => placeOfKind(a) - placeOfKind(b))
      .map((kind) =>
        h('li', {}, patch(svg('rect', { class: kindClass(kind), width: 18, height: 12 })), valueWords('kind', kind)),
      ),
    bounded &&
      h(
        'li',
        {},
        patch(svg('path', { class: 'timeline-bound-line', d: 'M9 0V12' })),
        'bound: the same operations on this device’s engines, simulated',
      ),
  ];
}

const patch = (shape) => svg('svg', { class: 'swatch', width: 18, height: 12, 'aria-hidden': 'true' }, shape);
