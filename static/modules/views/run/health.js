// The verdict of a run that checks the health of devices: what is not as it should be, the worst first, and a grid of
// all checks.

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

/** Fills the panel `element` with the answer of GET /runs/{id}/health; `devices` as devicesOf returns them. */
export function showHealth(element, { verdict, earlier_runs: earlier, findings }, { devices }) {
  const sorted = worstFirst(findings);
  const listed = sorted.filter(({ level }) => level in LEVELS);

  const deviceOf = (id) => devices.find((one) => one.id === id) ?? { short: id };
  const shortOf = (id) => deviceOf(id).short;
  const nameOf = (id) => [deviceOf(id).name, shortOf(id)].filter(Boolean).join(' ');
  const lineOf = (finding) => findingText(finding, nameOf);

  replace(
    element,
    h('h2', {}, verdictOf(verdict)),
    h('p', {}, summaryText(findings, earlier)),
    listed.length
      ? h(
          'ul',
          { class: 'stack dense' },
          listed.map((finding) => h('li', {}, h('span', { class: `status ${LEVELS[finding.level]}` }, finding.level), ' ', lineOf(finding))),
        )
      : null,
    healthTable(findings, { nameOf, shortOf, lineOf }),
    findings.length
      ? h(
          'details',
          {},
          h('summary', {}, `All ${plural(findings.length, 'finding')}`),
          h('ul', { class: 'stack dense' }, sorted.map((finding) => h('li', {}, `${finding.level}: ${lineOf(finding)}`))),
        )
      : null,
  );
}

function verdictOf(verdict) {
  const [title, tone] = VERDICTS[verdict] ?? ['No verdict', 'quiet'];
  return h('span', { class: `status ${tone}` }, title);
}

/** The verdict in one paragraph, from the answer of GET /runs/{id}/health. */
export const healthSummary = ({ verdict, earlier_runs: earlier, findings }) => h('p', {}, verdictOf(verdict), ': ', summaryText(findings, earlier));

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
