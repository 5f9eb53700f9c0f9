// What the lab judges of a run that has ended, in a panel that is empty where it judges nothing.

import * as api from '../../lab/api.js';
import { loadRest } from '../../later.js';
import { h, replace } from '../../dom.js';

/** By name: the `classes` of the panel, its `title`, which runs are judged, the request, and the name of the
 * function of rest.js that fills the panel: (element, answer of the API, context), where `context` also has `run` and
 * `measurements`. */
const JUDGEMENTS = {
  health: {
    classes: 'health stack',
    title: 'Health',
    applies: ({ experiment }) => experiment === 'health',
    ask: ({ id }, signal) => api.health(id, signal),
    show: 'showHealth',
  },
  verdicts: {
    classes: 'verdicts',
    title: 'Comparison',
    applies: ({ compare_with: base }) => Boolean(base),
    ask: ({ id }, signal) => api.compare({ run: id }, signal),
    show: 'showVerdicts',
  },
};

/** Returns {element, update(run, measurements)}; `context` is {experiment, devices, signal}, with
 * showSamples(measurement) where the panel shows them. `update` is called when the run has ended. */
export function judgement(name, context) {
  const { classes, title, applies, ask, show } = JUDGEMENTS[name];
  const { signal } = context;
  const element = h('section', { class: `panel ${classes}`, 'aria-label': title });
  return {
    element,
    async update(run, measurements) {
      if (!applies(run)) return;
      try {
        const [answer, rest] = await Promise.all([ask(run, signal), loadRest()]);
        rest[show](element, answer, { ...context, run, measurements });
      } catch (error) {
        if (!signal.aborted) replace(element, h('h2', {}, title), h('p', { class: 'aside' }, `The verdict could not be fetched: ${error.message}`));
      }
    },
  };
}
