// The tab with what a person's own kernel printed or, of a run that failed, the end of the worker's log.

import { copyButton } from '../../parts/copybutton.js';
import { h, replace } from '../../dom.js';

/** The text of the tab; '' without one. What a program prints has a tab of its own (outputtab.js). */
export const logOf = ({ program, output, error }) => (program ? null : output) ?? error?.log ?? '';

/** Returns {element, update({run})}. */
export function logTab() {
  const element = h('section', { class: 'panel log', 'aria-label': 'Log and output' });
  return {
    element,
    update({ run }) {
      const log = logOf(run);
      if (element.dataset.log === log) return;
      element.dataset.log = log;
      replace(
        element,
        h('div', { class: 'section-head' }, h('h2', {}, log === run.output ? 'Output of the kernel' : 'Last lines of the worker log'), copyButton('Copy', () => log)),
        h('pre', { tabindex: 0, role: 'region', 'aria-label': 'Log' }, log),
      );
    },
  };
}
