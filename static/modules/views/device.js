// One device: everything that is known of it.

import { Problem } from '../api.js';
import { h, whileVisible } from '../dom.js';
import { factGroups } from '../devicefacts.js';
import * as lab from '../lab.js';
import { copyButton } from '../parts/copybutton.js';
import { deviceSigns, headlineStrip } from '../parts/devicecard.js';
import { factGroup } from '../parts/factlist.js';
import { peerTable } from '../parts/peers.js';
import { telemetry } from '../parts/telemetry.js';

const TELEMETRY_MS = 3_000;

export async function view({ parts }, signal) {
  const find = async () => (await lab.devices(signal)).find(({ id }) => id === parts.id);
  const device = await find();
  if (!device)
    throw new Problem(404, {
      title: 'There is no such device',
      detail: `${parts.id} is not in this lab now. Runs that were measured on it are still in the history.`,
    });
  const { groups, unknown } = factGroups(device.properties ?? {});
  const live = telemetry();
  const signs = h('div', {});
  const update = (now) => {
    live.update(now);
    signs.replaceChildren(deviceSigns(now));
  };
  update(device);
  whileVisible(
    () =>
      find()
        .then((now) => now && update(now))
        .catch(() => {}),
    TELEMETRY_MS,
    signal,
  );

  const device_query = `?device=${encodeURIComponent(device.id)}`;
  return {
    title: device.name,
    element: h(
      'div',
      { class: 'view' },
      h(
        'header',
        { class: 'view-head' },
        h('h1', {}, lab.deviceName(device.id)),
        signs,
        h(
          'p',
          { class: 'identity' },
          h('code', {}, device.id),
          copyButton('Copy id', () => device.id),
        ),
        h(
          'div',
          { class: 'actions' },
          h('a', { class: 'button primary', href: `/experiments${device_query}` }, 'Run an experiment'),
          h('a', { class: 'button', href: `/runs${device_query}` }, 'Its runs'),
        ),
      ),
      h('section', { class: 'panel', 'aria-label': 'At a glance' }, headlineStrip(device), live.element),
      h(
        'div',
        { class: 'panel fact-columns' },
        groups.map((group) => factGroup(group)),
      ),
      device.peers?.length ? h('section', { class: 'panel' }, h('h2', {}, 'Peers'), peerTable(device.peers)) : null,
      unknown.length ? h('p', { class: 'aside unknown-facts' }, unknownWords(unknown)) : null,
    ),
  };
}

/** What the device does not tell; titles keep their capitals where they are abbreviations. */
function unknownWords(titles) {
  const inSentence = (title) => (/^[A-Z][a-z]/.test(title) ? title.charAt(0).toLowerCase() + title.slice(1) : title);
  return `This device does not tell: ${titles.map(inSentence).join(', ')}.`;
}
