// Links from the page of a run.

import { h } from '../../dom.js';

/** A link to the form with the parameters of the run. */
export const parametersLink = ({ id, experiment }) =>
  h('a', { href: `/experiments/${encodeURIComponent(experiment)}?from=${id}` }, 'change and run');
