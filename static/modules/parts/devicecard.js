// A card for a device: name, state, main properties, telemetry.

import { h } from '../dom.js';
import { headline } from '../text/devicefacts.js';
import { deviceName } from '../lab/lab.js';
import { telemetry } from './telemetry.js';

/** By state of the API: the tone (colour) and the word shown. */
const STATES = { available: ['good', 'available'], busy: ['active', 'measuring'], unavailable: ['bad', 'unavailable'] };

/** The state of a device and the runtime that drives it. */
export function deviceStatus(device) {
  const [tone, text] = STATES[device.state] ?? ['active', device.state];
  return h(
    'p',
    { class: 'row fine' },
    h('span', { class: `status-dot ${tone}` }, device.state_reason ? `${text}: ${device.state_reason}` : text),
    h('span', { class: 'tag' }, device.backend === 'host' ? 'CPU' : device.backend.toUpperCase()),
    h('span', { class: 'aside' }, `device ${device.ordinal}`),
  );
}

/** The link to the picture of a device that is made to be sent (views/device/card.js). */
export const cardLink = (id, properties = {}) => h('a', { href: `/devices/${encodeURIComponent(id)}/card`, ...properties }, 'Summary');

/** The main properties of a device (devicefacts.js), in large type. */
export function headlineStrip(device) {
  return h(
    'dl',
    { class: 'headline' },
    headline(device).map(({ title, value, unit, note }) =>
      h(
        'div',
        {},
        h('dt', { class: 'aside' }, title),
        h(
          'dd',
          {},
          h('span', { class: 'headline-value' }, value),
          unit ? h('span', { class: 'headline-unit' }, `\u00a0${unit}`) : null,
          note ? h('span', { class: 'headline-note aside' }, note) : null,
        ),
      ),
    ),
  );
}

/** Returns the card {element, update(device)}; `update` draws state and telemetry again, `level` is that of its
 * heading. The telemetry moves until `signal` is aborted. */
export function deviceCard(device, { level = 3 } = {}, signal) {
  const live = telemetry(device, signal);
  const status = h('div', {});
  const address = `/devices/${encodeURIComponent(device.id)}`;
  const element = h(
    'article',
    { class: 'panel device-card' },
    h('div', { class: 'device-head row loose baseline spread' }, h(`h${level}`, {}, h('a', { href: address }, deviceName(device.id))), status, cardLink(device.id)),
    headlineStrip(device),
    live.element,
  );
  const update = (next) => {
    status.replaceChildren(deviceStatus(next));
    live.update(next);
  };
  update(device);
  return { element, update };
}
