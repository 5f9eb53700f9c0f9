// The newest notices, and what became of them.

import { h } from '../../dom.js';
import { rowTable } from '../../parts/rowtable.js';
import { absoluteTime, relativeTime } from '../../parts/status.js';
import { plural } from '../../text/format.js';

const TONES = { sent: 'good', waiting: 'waiting', failed: 'bad' };

export function deliveryTable(notices, choices) {
  if (!notices.length) return h('p', {}, 'No notice was sent yet.');
  return rowTable({ caption: 'Sent and waiting', heads: ['Notice', 'Channel', 'State', 'When'], rows: notices.map(row), choices, sort: 'sent' });
}

const row = (notice) => ({
  head: [
    h('strong', {}, notice.title),
    h('details', { id: `notice-${notice.delivery}` }, h('summary', {}, 'Text'), h('p', { class: 'notice-text' }, notice.text)),
  ],
  cells: [notice.channel, stateOf(notice), relativeTime(notice.created_at)],
  values: [notice.title, notice.channel, notice.state, notice.created_at],
});

function stateOf({ state, attempts, next_at: next, error }) {
  const again = state === 'waiting' && attempts > 0 ? [`, again at `, absoluteTime(next)] : null;
  return [
    h('span', { class: `status ${TONES[state]}` }, state),
    attempts > 1 || again ? [` after ${plural(attempts, 'attempt')}`, again] : null,
    error ? h('p', { class: 'notice-error' }, error) : null,
  ];
}
