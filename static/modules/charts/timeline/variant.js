// One variant of a timeline: a line with its name and total time, which opens its chart.

import { freshId, h, replace, svg } from '../../dom.js';
import { plural, seconds } from '../../text/format.js';
import { timeTicks } from '../../results/ticks.js';
import { timelineChart } from './chart.js';
import { AXIS_HEIGHT } from './frame.js';
import { PARTIAL, variantSummary } from './text.js';

/** Draws the labels of a time axis into the SVG `axis`. `sizes` is {gutter, plot} in px, `window` in ns. */
export function drawTimeAxis(axis, ticks, [from, to], { gutter, plot }) {
  axis.setAttribute('width', gutter + plot);
  replace(
    axis,
    svg('path', { class: 'timeline-base', d: `M${gutter} ${AXIS_HEIGHT - 0.5}h${plot}` }),
    ticks.map(({ at, text }) => {
      const left = ((at - from) / (to - from)) * plot;
      const anchor = left < 24 ? 'start' : left > plot - 30 ? 'end' : 'middle';
      const x = Math.min(gutter + plot, gutter + Math.max(0, left));
      return svg('text', { x, y: 12, 'text-anchor': anchor }, text);
    }),
  );
}

/** Creates the element of a variant: {element, variant, chart, bound, focus, draw(window, sizes, ownAxis),
 * setOpen(open), isOpen()}. `focus` is the position of the keyboard focus, {row, index}. `name` is {main, rest},
 * `figures` as returned by variantFigures, `share` the part of the longest variant's time; `words` are those of the
 * subject, `hint` the id of the help text. `actions` are opened(open), keys(event, shown), focused(shown) and
 * left(shown). */
export function timelineVariant({ variant, name, figures, share, words, hint, actions }) {
  const chart = timelineChart(variant);
  const axis = svg('svg', { class: 'timeline-axis own', height: AXIS_HEIGHT, 'aria-hidden': 'true' });
  const body = freshId('variant');
  const label = [name.main, name.rest].filter(Boolean).join(', ');
  const toggle = h(
    'button',
    { type: 'button', class: 'timeline-toggle', 'aria-controls': body, on: { click: () => actions.opened(!shown.isOpen()) } },
    h('span', { class: 'timeline-name' }, h('strong', {}, name.main), name.rest && h('span', { class: 'aside' }, ` ${name.rest}`)),
    h('span', { class: 'bar-track', 'aria-hidden': 'true' }, h('span', { class: 'timeline-total', style: { width: `${100 * share}%` } })),
    h('span', { class: 'timeline-time' }, h('span', { class: 'visually-hidden' }, `${figures.simulated ? 'simulated' : words.duration} `), seconds(variant.length / 1e9)),
  );
  const summary = variantSummary(figures);
  const partial = variant.spans.some((span) => span.partial);
  const figure = h(
    'div',
    {
      class: 'timeline-figure',
      tabindex: 0,
      role: 'application',
      'aria-label': `Timeline of ${label}: ${plural(variant.spans.length, words.span)}`,
      'aria-describedby': hint,
      on: {
        keydown: (event) => actions.keys(event, shown),
        focus: (event) => event.target.matches(':focus-visible') && actions.focused(shown),
        blur: () => actions.left(shown),
      },
    },
    chart.element,
  );
  const content = h(
    'div',
    { class: 'timeline-body', id: body },
    summary && h('p', { class: 'aside' }, summary),
    partial && h('p', { class: 'aside' }, `Hatched: ${PARTIAL}, so its length is not the time of the copy.`),
    axis,
    figure,
  );
  const shown = {
    variant,
    chart,
    bound: figures.bound,
    focus: { row: 0, index: 0 },
    element: h('div', { class: 'timeline-variant' }, toggle, content),
    isOpen: () => !content.hidden,
    setOpen(open) {
      content.hidden = !open;
      toggle.setAttribute('aria-expanded', String(open));
    },
    draw(window, sizes, ownAxis) {
      if (content.hidden) return;
      const ticks = timeTicks(...window, sizes.plot, sizes.plot < 400 ? 64 : 84);
      axis.toggleAttribute('hidden', !ownAxis);
      axis.style.setProperty('display', ownAxis ? 'block' : 'none');
      if (ownAxis) drawTimeAxis(axis, ticks, window, sizes);
      chart.draw(window, sizes, ticks);
    },
  };
  return shown;
}
