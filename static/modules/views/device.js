// The page of a device: its state, telemetry, all properties and its peers.

import { Problem } from '../lab/api.js';
import { h, repeatWhileVisible } from '../dom.js';
import { factGroups } from '../text/devicefacts.js';
import * as lab from '../lab/lab.js';
import { copyButton } from '../parts/copybutton.js';
import { deviceStatus, headlineStrip } from '../parts/devicecard.js';
import { factGroup } from '../parts/factlist.js';
import { peerTable } from '../parts/peers.js';
import { telemetry } from '../parts/telemetry.js';

const TELEMETRY_MS = 3_000; // time between two readings

export async function view({ parts }, signal) {
  const fetchDevice = async () => (await lab.devices(signal)).find(({ id }) => id === parts.id);
  const device = await fetchDevice();
  if (!device)
    throw new Problem(404, {
      title: 'Device not found',
      detail: `This lab has no device ${parts.id} at present. Earlier runs on it are still in the list of runs.`,
    });
  const { groups, unknown } = factGroups(device.properties ?? {});
  const live = telemetry();
  const status = h('div', {});
  const update = (now) => {
    live.update(now);
    status.replaceChildren(deviceStatus(now));
  };
  update(device);
  repeatWhileVisible(
    () =>
      fetchDevice()
        .then((now) => now && update(now))
        .catch(() => {}),
    TELEMETRY_MS,
    signal,
  );

  const query = `?device=${encodeURIComponent(device.id)}`;
  return {
    title: device.name,
    element: h(
      'div',
      { class: 'view' },
      h(
        'header',
        { class: 'view-head' },
        h('h1', {}, lab.deviceName(device.id)),
        status,
        h(
          'p',
          { class: 'identity' },
          h('code', {}, device.id),
          copyButton('Copy ID', () => device.id),
        ),
        h(
          'div',
          { class: 'actions' },
          h('a', { class: 'button primary', href: `/experiments${query}` }, 'Run an experiment'),
          h('a', { class: 'button', href: `/runs${query}` }, 'Runs on this device'),
        ),
      ),
      h('section', { class: 'panel', 'aria-label': 'Overview' }, headlineStrip(device), live.element),
      h(
        'div',
        { class: 'panel fact-columns' },
        groups.map((group) => factGroup(group)),
      ),
      device.peers?.length ? h('section', { class: 'panel' }, h('h2', {}, 'Peers'), peerTable(device.peers)) : null,
      unknown.length ? h('p', { class: 'aside unknown-facts' }, unknownFactsText(unknown)) : null,
    ),
  };
}

/** A sentence that lists the unknown properties; abbreviations keep their capitals. */
function unknownFactsText(titles) {
  const inSentence = (title) => (/^[A-Z][a-z]/.test(title) ? title.charAt(0).toLowerCase() + title.slice(1) : title);
  return `Not reported by this device: ${titles.map(inSentence).join('; ')}.`;
}
