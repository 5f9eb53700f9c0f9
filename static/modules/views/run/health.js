// The verdict of a run that checks the health of devices: what is not as it should be, the worst first.

import * as api from '../../lab/api.js';
import { h, replace } from '../../dom.js';

/** By verdict of the API: title and tone. */
const VERDICTS = {
  healthy: ['Healthy', 'good'],
  warning: ['Healthy, with warnings', 'warn'],
  unhealthy: ['Unhealthy', 'bad'],
};
const LEVELS = { failure: 'bad', warning: 'warn' };

/** Returns {element, update(run)}; `devices` as devicesOf returns them. The element is empty for runs of other experiments. The
 * verdict is fetched when the run has ended. */
export function healthVerdict({ devices, signal }) {
  const element = h('section', { class: 'panel health', 'aria-label': 'Health' });

  /** The line of a finding, with names of devices instead of their ids. */
  const lineOf = ({ text }) => devices.reduce((line, { id, name, short }) => line.replaceAll(id, `${name ?? ''} ${short}`.trim()), text);

  function draw({ verdict, summary, findings }) {
    const [title, tone] = VERDICTS[verdict] ?? ['No verdict', 'quiet'];
    const listed = Object.keys(LEVELS).flatMap((level) => findings.filter((finding) => finding.level === level));
    replace(
      element,
      h('h2', {}, h('span', { class: `status ${tone}` }, title)),
      h('p', { class: 'aside' }, summary.replace(/^[^:]*: /, '')),
      listed.length
        ? h(
            'ul',
            { class: 'plain-list' },
            listed.map((finding) => h('li', {}, h('span', { class: `status ${LEVELS[finding.level]}` }, finding.level), ' ', lineOf(finding))),
          )
        : null,
    );
  }

  return {
    element,
    async update(run) {
      if (run.experiment !== 'health') return;
      try {
        draw(await api.health(run.id, signal));
      } catch (error) {
        if (!signal.aborted) replace(element, h('h2', {}, 'Health'), h('p', { class: 'aside' }, `The verdict could not be fetched: ${error.message}`));
      }
    },
  };
}
