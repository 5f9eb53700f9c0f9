// The tab with the end of the worker's log, which the lab keeps for runs that failed.

import { copyButton } from '../../parts/copybutton.js';
import { h, replace } from '../../dom.js';

/** Returns {element, update({run})}. */
export function logTab() {
  const element = h('section', { class: 'panel log', 'aria-label': 'Log' });
  return {
    element,
    update({ run }) {
      const { log = '' } = run.error ?? {};
      if (element.dataset.log === log) return;
      element.dataset.log = log;
      replace(
        element,
        h('div', { class: 'section-head' }, h('h2', {}, 'Last lines of the worker log'), copyButton('Copy', () => log)),
        h('pre', { tabindex: 0 }, log),
      );
    },
  };
}
