// Which of two texts is faster, where a run has measured one against the other.

import { h, replace } from '../../dom.js';
import * as api from '../../lab/api.js';
import { judgement } from '../run/judgement.js';

/** Returns {element, update(pair, list)}: `pair` are the texts {before, after}, `list` all texts, newest first, where
 * those of runs have `base`, the text that the run was compared with. */
export function measuredPair({ experiment, signal }) {
  const element = h('div', { class: 'measured-pair stack tight' });
  let shown = null; // the id of the run that is shown

  async function show(id) {
    const comparison = judgement('verdicts', { experiment, signal });
    try {
      const run = await api.run(id, signal);
      await comparison.update(run, run.measurements ?? []);
      if (shown === id) replace(element, comparison.element, h('p', {}, h('a', { href: `/runs/${id}` }, 'All results of this run')));
    } catch (error) {
      if (!signal.aborted && shown === id) replace(element, h('p', { class: 'aside' }, `The times could not be fetched: ${error.message}`));
    }
  }

  return {
    element,
    update({ before, after }, list) {
      const run = list.find(({ base, text, status }) => base === before.text && text === after.text && status === 'succeeded');
      if (run && run.id === shown) return;
      shown = run?.id ?? null;
      const equal = before.text === after.text;
      replace(element, run || equal ? null : h('p', { class: 'aside' }, 'Time: no run has measured these two texts against each other; “Compare with” has one do so.'));
      if (run) show(run.id);
    },
  };
}
