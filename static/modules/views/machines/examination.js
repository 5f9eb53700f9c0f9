// What gpulab finds on a machine: what works, what is missing, and what disturbs measurements. The machine is examined
// when the reader asks for it.

import * as api from '../../lab/api.js';
import { h, replace } from '../../dom.js';
import { copyButton } from '../../parts/copybutton.js';
import { errorNotice, loading } from '../../parts/notice.js';
import { absoluteTime } from '../../parts/status.js';

const GROUPS = [
  ['missing', 'Missing'],
  ['disturbs', 'Disturbs measurements'],
  ['works', 'Works'],
];

/** Returns the element: a fold for the machine `name`, which is examined when the fold is opened first. */
export function examinationFold(name, signal) {
  const area = h('div', { class: 'examination stack', 'aria-live': 'polite' });
  const element = h(
    'details',
    { class: 'panel', on: { toggle: () => element.open && !area.firstChild && examine() } },
    h('summary', {}, h('h3', {}, 'What works here, what is missing, what disturbs')),
    area,
  );

  async function examine() {
    replace(area, loading());
    try {
      const found = await api.doctor(name, signal);
      replace(area, verdict(found), GROUPS.map(([group, title]) => groupOf(title, found.findings.filter((one) => one.group === group))), actions(found));
    } catch (error) {
      if (!signal.aborted) replace(area, errorNotice(error, examine));
    }
  }

  const actions = (found) =>
    h('div', { class: 'actions' }, h('button', { type: 'button', class: 'small', on: { click: examine } }, 'Examine again'), copyButton('Copy as JSON', () => JSON.stringify(found, null, 2)));
  return element;
}

/** What keeps gpulab from working, or that nothing does. */
function verdict({ works, findings, at }) {
  const blocking = findings.filter(({ blocks }) => blocks).map(({ title }) => title);
  return h(
    'p',
    {},
    h('span', { class: `status ${works ? 'good' : 'bad'}` }, works ? 'gpulab works here' : `gpulab does not work here: ${blocking.join(', ')}`),
    ' ',
    h('span', { class: 'aside' }, 'Examined ', absoluteTime(at), '. It can be shared: no names of machines, people or devices are in it.'),
  );
}

function groupOf(title, findings) {
  return findings.length ? h('section', {}, h('h4', {}, title), h('dl', { class: 'stack' }, findings.map(finding))) : null;
}

function finding({ title, text, blocks, enables, packages, remedy }) {
  const aside = (...content) => h('p', { class: 'aside' }, content);
  return h(
    'div',
    {},
    h('dt', {}, title, blocks ? [' ', h('span', { class: 'status bad' }, 'needed')] : null),
    h(
      'dd',
      {},
      h('p', {}, text),
      enables && aside(`For ${enables}`),
      packages && aside('Debian, Ubuntu: ', h('code', {}, packages.debian), '; RHEL: ', h('code', {}, packages.rhel)),
      remedy && aside(remedy),
    ),
  );
}
