// What a run of the kernel has shown: first whether it is faster, then the figures and what to know about them.

import { h, replace } from '../../dom.js';
import { announce } from '../../parts/announce.js';
import { isLive, STATUSES } from '../../text/displaynames.js';
import { isWrong } from '../../results/cautions.js';
import { headlines } from '../run/headlines.js';
import { judgement } from '../run/judgement.js';
import { logOf, logTab } from '../run/logtab.js';
import { runNotices } from '../run/notices.js';
import { progressPanel } from '../run/progress.js';

/** Returns {element, show(run), showError(error)}; `run` with its measurements when it has ended. */
export function outcome({ experiment, signal }) {
  const progress = progressPanel({ experiment, signal });
  const comparison = judgement('verdicts', { experiment, signal });
  const figures = headlines({ experiment });
  const log = logTab();
  const rest = h('div', { class: 'stack loose' });
  const element = h(
    'section',
    { class: 'outcome stack loose', 'aria-label': 'Result' },
    progress.element,
    comparison.element,
    figures.element,
    rest,
  );

  return {
    element,
    show(run) {
      progress.update(run);
      if (isLive(run.status)) {
        replace(comparison.element);
        replace(figures.element);
        replace(rest);
        return;
      }
      announce(`Run ${STATUSES[run.status]?.word ?? run.status}`);
      const list = run.measurements ?? [];
      comparison.update(run, list);
      figures.update(run, list, null);
      log.update({ run });
      replace(
        rest,
        verified(run, list),
        runNotices(run, list, experiment),
        logOf(run) && log.element,
        h('p', {}, h('a', { href: `/runs/${run.id}` }, 'All results of this run')),
      );
    },
    showError(error) {
      replace(rest, h('p', { class: 'field-error', role: 'alert' }, error.message));
    },
  };
}

/** Whether the results were verified, as a sentence; null where there are none, or wrong ones, which a notice lists. */
function verified(run, measurements) {
  const measured = measurements.filter(({ skipped }) => !skipped);
  if (!measured.length || measured.some(isWrong)) return null;
  const all = measured.every((one) => one.verified === true);
  return h(
    'p',
    { class: 'aside' },
    all
      ? 'Verified: every element of the results is right.'
      : 'Not verified: there is nothing that says what the results must be.',
  );
}
