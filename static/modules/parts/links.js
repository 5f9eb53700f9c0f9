// The links between devices: a matrix for all devices of a machine, a table for the peers of one device.

import { h } from '../dom.js';
import { linkBetween, linkExplanations, linkSummary, linkText } from '../text/links.js';

const tableFrame = (label, table) =>
  h('div', { class: 'table-scroll', role: 'region', tabindex: 0, 'aria-label': label }, table);

/** The matrix of `devices` (documents of the API) of the machine called `machine`; null for fewer than two. */
export function linkMatrix(devices, machine) {
  if (devices.length < 2) return null;
  const short = ({ ordinal }) => `#${ordinal}`;
  const columnHeads = devices.map((device) => h('th', { scope: 'col' }, short(device)));
  const cell = (device, other) => {
    if (device === other) return h('td', { class: 'link-self' }, '–');
    const { text, kind, access, numa } = linkBetween(device, other);
    const details = [access, numa].filter(Boolean);
    return h('td', { class: `link-${kind}` }, text, details.map((detail) => h('span', { class: 'link-detail' }, detail)));
  };
  const rows = devices.map((device) =>
    h(
      'tr',
      {},
      h('th', { scope: 'row' }, short(device)),
      devices.map((other) => cell(device, other)),
    ),
  );
  return h(
    'section',
    { class: 'panel links stack' },
    h('h3', {}, 'Links'),
    h('p', {}, linkSummary(devices)),
    tableFrame(
      `Links of ${machine}`,
      h('table', { class: 'link-matrix' }, [
        h('caption', { class: 'visually-hidden' }, 'Links from the device of a row to that of a column'),
        h('thead', {}, h('tr', {}, h('td', {}), columnHeads)),
        h('tbody', {}, rows),
      ]),
    ),
    linkExplanations(devices).map((sentence) => h('p', { class: 'aside' }, sentence)),
  );
}

const yes = (value) => (value ? 'yes' : 'no');

/** A row for each of a device's peers; `nameOf(id)` returns the name of a device. */
export function peerTable(peers, nameOf) {
  const heads = ['Device', 'Link', 'Peer access', 'Native atomics', 'Performance rank'];
  const row = (peer) =>
    h('tr', {}, [
      h('th', { scope: 'row' }, h('a', { href: `/devices/${encodeURIComponent(peer.id)}` }, nameOf(peer.id))),
      [linkText(peer.link), yes(peer.access), yes(peer.native_atomics), peer.rank ?? '–'].map((text) => h('td', {}, text)),
    ]);
  return tableFrame(
    'Links',
    h('table', { class: 'figures' }, [
      h('thead', {}, h('tr', {}, heads.map((head) => h('th', { scope: 'col' }, head)))),
      h('tbody', {}, peers.map(row)),
    ]),
  );
}
