// The tools above a chart: scales of the axes, the axis shown by colour, and a button that shows the whole range again.
// What the user selects are the choices `x` and `y` ("log" or "linear"), `colour` (an axis) and `zoom` (a window of
// lines.js).

import { freshId, h, replace } from '../dom.js';
import { windowOf, windowText } from '../results/lines.js';

/** By kind of chart, the axes whose scale can be selected. */
const SCALED = { line: ['x', 'y'], scatter: ['x', 'y'] };

const SCALES = { linear: 'Linear', log: 'Log' };

/** Returns {element, update({view, kind, varying, coloured, positive}), setWindow(window), chosenView(view), window()}:
 * chosenView() is the view with the scales that the user has chosen, window() the range of x that is shown, or null for
 * all. `positive` says which axes, x and y, have values above 0 only. `changed()` is called after a change. */
export function chartTools(choices, changed) {
  const reset = h('button', { type: 'button', class: 'small', hidden: true, on: { click: () => setWindow(null) } }, 'Show all');
  const scales = h('div', { class: 'row loose' });
  const colours = h('div', { class: 'size-pick' });
  const element = h('div', { class: 'row loose' }, colours, scales, reset);
  let shown = ''; // what the tools show, as JSON

  const isLog = (view, axis) => {
    const chosen = choices.get(axis);
    return chosen in SCALES ? chosen === 'log' : Boolean(view[`log_${axis}`]);
  };

  function setScale(view, axis, scale) {
    const usual = view[`log_${axis}`] ? 'log' : 'linear';
    choices.set({ [axis]: scale === usual ? '' : scale });
    changed();
  }

  function setWindow(window) {
    choices.set({ zoom: windowText(window) });
    changed();
  }

  function scaleSwitch(view, axis, positive) {
    const buttons = Object.entries(SCALES).map(([scale, text]) =>
      h(
        'button',
        {
          type: 'button',
          'aria-pressed': String(isLog(view, axis) === (scale === 'log')),
          disabled: scale === 'log' && !positive,
          title: scale === 'log' && !positive ? 'A logarithmic axis needs values above 0' : null,
          on: { click: () => setScale(view, axis, scale) },
        },
        text,
      ),
    );
    return h(
      'div',
      { class: 'chart-scale' },
      h('span', { class: 'aside', 'aria-hidden': 'true' }, `${axis} axis`),
      h('div', { class: 'segments small-segments', role: 'group', 'aria-label': `Scale of the ${axis} axis` }, buttons),
    );
  }

  function colourPick(varying, coloured) {
    const id = freshId('colour');
    const choose = ({ target }) => {
      choices.set({ colour: target.value });
      changed();
    };
    return [
      h('label', { for: id }, 'Colour'),
      h(
        'select',
        { id, on: { change: choose } },
        varying.map(({ name, title }) => h('option', { value: name, selected: name === coloured?.name }, title)),
      ),
    ];
  }

  return {
    element,
    setWindow,
    window: () => windowOf(choices.get('zoom')),
    chosenView: (view) => ({ ...view, log_x: isLog(view, 'x'), log_y: isLog(view, 'y') }),
    update({ view, kind, varying, coloured, positive }) {
      const axes = SCALED[kind] ?? [];
      const hasColour = varying.length > 1 && ['line', 'bars', 'scatter'].includes(kind);
      const state = [view.name, axes, axes.map((axis) => [isLog(view, axis), positive[axis]]), hasColour, varying, coloured];
      reset.hidden = kind !== 'line' || !windowOf(choices.get('zoom'));
      element.hidden = !axes.length && !hasColour;
      const next = JSON.stringify(state);
      if (next === shown) return;
      shown = next;
      const focused = [...element.querySelectorAll('button, select')].indexOf(document.activeElement);
      replace(scales, axes.map((axis) => scaleSwitch(view, axis, positive[axis])));
      colours.hidden = !hasColour;
      replace(colours, hasColour && colourPick(varying, coloured));
      if (focused >= 0) element.querySelectorAll('button, select')[focused]?.focus();
    },
  };
}
