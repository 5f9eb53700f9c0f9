// Links from the page of a run.

import { h } from '../../dom.js';

/** The page on which a run can be changed and run again: the form, or the editor of its kernel or program. */
export function changeAddress({ id, experiment, kernel, program }) {
  if (program) return `/program?run=${id}`;
  return kernel ? `/kernels?from=${id}` : `/experiments/${encodeURIComponent(experiment)}?from=${id}#run`;
}

/** A link to that page. */
export const parametersLink = (run) => h('a', { href: changeAddress(run) }, 'change and run');
