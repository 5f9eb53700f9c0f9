// A device at a glance: its name, the few figures that tell it from others, what it is doing now, where to go from
// here.

import { h } from '../dom.js';
import { headline } from '../devicefacts.js';
import { deviceName } from '../lab.js';
import { telemetry } from './telemetry.js';

const STATES = { available: ['good', 'available'], busy: ['active', 'measuring'], unavailable: ['bad', 'unavailable'] };

/** Whether it can be used, and which runtime drives it. */
export function deviceSigns(device) {
  const [tone, words] = STATES[device.state] ?? ['active', device.state];
  return h(
    'p',
    { class: 'device-signs' },
    h('span', { class: `lamp ${tone}` }, device.state_reason ? `${words}: ${device.state_reason}` : words),
    h('span', { class: 'tag' }, device.backend),
    h('span', { class: 'aside' }, `device ${device.ordinal}`),
  );
}

/** The figures of facts.headline, large. */
export function headlineStrip(device) {
  return h(
    'dl',
    { class: 'headline' },
    headline(device).map(({ title, value, unit, note }) =>
      h(
        'div',
        {},
        h('dt', {}, title),
        h(
          'dd',
          {},
          h('span', { class: 'headline-value' }, value),
          unit ? h('span', { class: 'headline-unit' }, `\u00a0${unit}`) : null,
          note ? h('span', { class: 'headline-note' }, note) : null,
        ),
      ),
    ),
  );
}

/** {element, update(device)}. */
export function deviceCard(device) {
  const live = telemetry();
  const signs = h('div', {});
  const address = `/devices/${encodeURIComponent(device.id)}`;
  const element = h(
    'article',
    { class: 'panel device-card' },
    h('div', { class: 'device-head' }, h('h2', {}, h('a', { href: address }, deviceName(device.id))), signs),
    headlineStrip(device),
    live.element,
    h(
      'div',
      { class: 'actions' },
      h('a', { class: 'button', href: address }, 'All facts'),
      h(
        'a',
        { class: 'button primary', href: `/experiments?device=${encodeURIComponent(device.id)}` },
        'Run an experiment',
      ),
    ),
  );
  const update = (next) => {
    signs.replaceChildren(deviceSigns(next));
    live.update(next);
  };
  update(device);
  return { element, update };
}
