// What a device is doing right now: gauges that are redrawn with each new reading.

import { h, replace } from '../dom.js';
import { gauges } from '../devicefacts.js';
import { moment } from './status.js';

/** {element, update(device)}. */
export function telemetry() {
  const element = h('div', { class: 'telemetry' });
  return {
    element,
    update(device) {
      const list = gauges(device.telemetry);
      const { throttle = [], stale, at } = device.telemetry ?? {};
      replace(
        element,
        list.length
          ? h('dl', { class: 'gauges' }, list.map(gauge))
          : h('p', { class: 'aside' }, 'No live figures: this device reports none.'),
        stale && list.length
          ? h('p', { class: 'aside' }, 'Not read while the device measures; these are from ', moment(at), '.')
          : null,
        throttle.length ? h('p', { class: 'tag warn' }, `throttled: ${throttle.join(', ')}`) : null,
      );
    },
  };
}

function gauge({ title, text, share }) {
  return h(
    'div',
    { class: 'gauge' },
    h('dt', {}, title),
    h(
      'dd',
      {},
      text,
      share === null
        ? null
        : h(
            'span',
            { class: 'gauge-track', 'aria-hidden': 'true' },
            h('span', { class: 'gauge-fill', style: { width: `${100 * share}%` } }),
          ),
    ),
  );
}
