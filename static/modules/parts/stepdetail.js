// One step beside the ladder: what it changes, why that helps, its code, and the way to the steps before and after it.

import { freshId, h, replace } from '../dom.js';
import { codePane } from './codepane.js';
import { paragraphs } from './prose.js';

/** {element, show(source, neighbours)}: `neighbours` are [the source before, the one after], null where there is none;
 * `go(source)` is called when one of them is asked for. */
export function stepDetail({ experiment, go }) {
  const title = h('h3', { id: freshId('step') });
  const prose = h('div', { class: 'prose' });
  const code = codePane({ experiment });
  const way = h('div', { class: 'step-way' });
  const element = h(
    'section',
    { class: 'step-detail', id: freshId('detail'), 'aria-labelledby': title.id },
    title,
    prose,
    code.element,
    way,
  );
  let shown = null;
  let around = '';

  function button(source, sign, words) {
    if (!source) return null;
    return h(
      'button',
      {
        type: 'button',
        class: `small ${sign === '←' ? 'back' : 'on'}`,
        'aria-label': `${words} step: ${source.title}`,
        on: { click: () => go(source) },
      },
      sign === '←' ? `${sign} ${source.title}` : `${source.title} ${sign}`,
    );
  }

  return {
    element,
    show(source, [before, after]) {
      const next = [before?.step, after?.step].join();
      if (shown === source && around === next) return;
      if (shown !== source) {
        title.textContent = source.title;
        replace(prose, paragraphs(source.explanation));
        code.show(source);
      }
      const focused = way.contains(document.activeElement) && document.activeElement.classList.contains('back');
      const had = way.contains(document.activeElement);
      replace(way, button(before, '←', 'Previous'), button(after, '→', 'Next'));
      if (had) (way.querySelector(focused ? '.back' : '.on') ?? way.firstElementChild)?.focus({ preventScroll: true });
      [shown, around] = [source, next];
    },
  };
}
