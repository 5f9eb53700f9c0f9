// Details of a step, shown beside the step bars: explanation, source code, buttons to the previous and next step.

import { freshId, h, replace } from '../../dom.js';
import { later } from '../../later.js';
import { codePane } from '../../parts/codepane.js';

const prose = later('prose');

/** Returns {element, show(source, neighbours)}. `source` is an entry of the experiment's `sources`; `neighbours` are
 * those of the previous and the next step, null where there is none; `go(source)` is called when the user selects one
 * of the two. */
export function stepDetail({ experiment, go }) {
  const title = h('h3', { id: freshId('step') });
  const text = h('div', { class: 'prose stack' });
  const code = codePane({ experiment });
  const stepNav = h('div', { class: 'step-nav row' });
  const element = h(
    'section',
    { class: 'step-detail stack no-export', id: freshId('detail'), 'aria-labelledby': title.id },
    title,
    text,
    code.element,
    stepNav,
  );
  let shown = null;
  let shownNeighbours = '';

  function button(source, arrow, direction) {
    if (!source) return null;
    return h(
      'button',
      {
        type: 'button',
        class: `small ${arrow === '←' ? 'back' : 'forward'}`,
        'aria-label': `${direction} step: ${source.title}`,
        on: { click: () => go(source) },
      },
      arrow === '←' ? `${arrow} ${source.title}` : `${source.title} ${arrow}`,
    );
  }

  /** Shows the explanation, as it is written if what draws it cannot be loaded. */
  async function explain(source) {
    const elements = await prose(source.explanation, 4).catch(() => source.explanation);
    if (shown === source) replace(text, elements);
  }

  return {
    element,
    show(source, [before, after]) {
      const next = [before?.step, after?.step].join();
      if (shown === source && shownNeighbours === next) return;
      if (shown !== source) {
        title.textContent = source.title;
        explain(source);
        code.show(source);
      }
      const backFocused = stepNav.contains(document.activeElement) && document.activeElement.classList.contains('back');
      const hadFocus = stepNav.contains(document.activeElement);
      replace(stepNav, button(before, '←', 'Previous'), button(after, '→', 'Next'));
      if (hadFocus)
        (stepNav.querySelector(backFocused ? '.back' : '.forward') ?? stepNav.firstElementChild)?.focus({
          preventScroll: true,
        });
      [shown, shownNeighbours] = [source, next];
    },
  };
}
