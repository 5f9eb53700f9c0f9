// Live telemetry of a device as gauges.

import { h, replace } from '../dom.js';
import { gauges } from '../text/devicefacts.js';
import { relativeTime } from './status.js';

/** Returns {element, update(device)}; `device` as in the API. */
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
          : h('p', { class: 'aside' }, 'This device reports no telemetry.'),
        stale && list.length
          ? h(
              'p',
              { class: 'aside' },
              'Telemetry is not read during a measurement. Last reading: ',
              relativeTime(at),
              '.',
            )
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
