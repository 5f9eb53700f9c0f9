// The verdict of a run that checks the health of devices: what is not as it should be, the worst first, and a grid of all checks.

import * as api from '../../lab/api.js';
import { h, replace } from '../../dom.js';
import { findingText, worstFirst } from '../../results/healthgrid.js';
import { plain, plural } from '../../text/format.js';
import { healthTable } from './healthtable.js';

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
  const lineOf = (finding) => withNames(findingText(finding));

  const withNames = (text) => devices.reduce((line, { id, name, short }) => line.replaceAll(id, `${name ?? ''} ${short}`.trim()), text);

  const shortOf = (id) => devices.find((one) => one.id === id)?.short ?? id;

  function draw({ verdict, earlier_runs: earlier, findings }) {
    const [title, tone] = VERDICTS[verdict] ?? ['No verdict', 'quiet'];
    const sorted = worstFirst(findings);
    const listed = sorted.filter(({ level }) => level in LEVELS);
    replace(
      element,
      h('h2', {}, h('span', { class: `status ${tone}` }, title)),
      h('p', {}, summaryText(findings, earlier)),
      listed.length
        ? h(
            'ul',
            { class: 'plain-list' },
            listed.map((finding) => h('li', {}, h('span', { class: `status ${LEVELS[finding.level]}` }, finding.level), ' ', lineOf(finding))),
          )
        : null,
      healthTable(findings, { nameOf: withNames, shortOf, lineOf }),
      findings.length
        ? h(
            'details',
            {},
            h('summary', {}, `All ${plural(findings.length, 'finding')}`),
            h('ul', { class: 'plain-list' }, sorted.map((finding) => h('li', {}, `${finding.level}: ${lineOf(finding)}`))),
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

/** "All 104 checks passed on 4 devices. 8 could not be checked here." */
export function summaryText(findings, earlier) {
  const count = (level) => findings.filter((finding) => finding.level === level).length;
  const [ok, warnings, failures, skipped] = ['ok', 'warning', 'failure', 'skipped'].map(count);
  const devices = new Set(findings.map(({ device }) => device).filter(Boolean)).size;
  const results =
    warnings || failures
      ? `${plural(failures, 'check')} failed, ${plain(warnings)} gave a warning, ${plain(ok)} passed`
      : `${ok > 1 ? 'All ' : ''}${plural(ok, 'check')} passed`;
  return [
    `${results} on ${plural(devices, 'device')}.`,
    skipped ? `${plain(skipped)} could not be checked here.` : '',
    findings.some(({ basis }) => basis === 'history') ? '' : `With enough earlier runs (so far ${plain(earlier)}) they are also compared with their own past.`,
  ]
    .filter(Boolean)
    .join(' ');
}
