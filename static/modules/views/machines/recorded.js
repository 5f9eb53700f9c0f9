// The devices that runs had and the lab does not have now: those of imported runs, and those that were removed.

import { h } from '../../dom.js';
import { cardLink } from '../../parts/devicecard.js';
import { relativeTime } from '../../parts/status.js';

/** The section; null without devices. `devices` as of GET /recorded-devices. */
export function recordedSection(devices) {
  if (!devices.length) return null;
  return h(
    'section',
    { class: 'panel', 'aria-labelledby': 'recorded-title' },
    h('h2', { id: 'recorded-title' }, 'Seen in runs'),
    h('p', { class: 'aside' }, 'This lab has runs of these devices, but not the devices: the runs were imported, or the devices were removed.'),
    h('ul', { class: 'recorded-list' }, devices.map(row)),
  );
}

const row = ({ id, name, node, run, at }) =>
  h(
    'li',
    {},
    h('a', { href: `/devices/${encodeURIComponent(id)}` }, name ?? id),
    h('span', {}, [node && `in ${node}`, name && id].filter(Boolean).join(' · ')),
    h('span', { class: 'aside' }, 'newest run ', h('a', { href: `/runs/${run}` }, relativeTime(at))),
    cardLink(id),
  );
