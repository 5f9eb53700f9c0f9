// Table of a device's peers: one row for each other device, with the link to it.

import { h } from '../dom.js';
import { deviceName } from '../lab/lab.js';

const yes = (value) => (value ? 'yes' : 'no');

export function peerTable(peers) {
  const heads = ['Device', 'Link', 'Peer access', 'Native atomics'];
  return h(
    'div',
    { class: 'table-scroll', role: 'region', tabindex: 0, 'aria-label': 'Peers' },
    h(
      'table',
      { class: 'figures' },
      h(
        'thead',
        {},
        h(
          'tr',
          {},
          heads.map((head) => h('th', { scope: 'col' }, head)),
          h('th', { scope: 'col', class: 'figure' }, 'Performance rank'),
        ),
      ),
      h(
        'tbody',
        {},
        peers.map((peer) =>
          h(
            'tr',
            {},
            h('th', { scope: 'row' }, deviceName(peer.id)),
            h('td', {}, peer.link || '–'),
            h('td', {}, yes(peer.access)),
            h('td', {}, yes(peer.native_atomics)),
            h('td', { class: 'figure' }, peer.rank ?? '–'),
          ),
        ),
      ),
    ),
  );
}
