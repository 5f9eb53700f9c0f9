// The page of a device: state and telemetry, its results, its runs, its links and all properties. A device that the
// lab no longer has is shown from what is stored with its runs.

import { h, repeatWhileVisible } from '../../dom.js';
import * as events from '../../lab/events.js';
import * as lab from '../../lab/lab.js';
import { cardLink, deviceStatus, headlineStrip } from '../../parts/devicecard.js';
import { telemetry } from '../../parts/telemetry.js';
import { goneDevice } from './gone.js';
import { runsOfDevice } from './runs.js';
import { deviceHead, factsAndLinks } from './shared.js';

const POLL_MS = 10_000; // between two readings of the state; telemetry comes with the event stream

export async function view({ parts: { id } }, signal) {
  const [devices, experiments] = await Promise.all([lab.devices(signal), lab.experiments()]);
  const title = (name) => experiments.find((one) => one.name === name)?.title ?? name;
  const device = devices.find((one) => one.id === id);
  return device ? presentDevice(device, title, signal) : goneDevice(id, title, signal);
}

async function presentDevice(device, title, signal) {
  const live = telemetry(device, signal);
  const status = h('div', {});
  const update = (now) => {
    live.update(now);
    status.replaceChildren(deviceStatus(now));
  };
  update(device);
  const runs = await runsOfDevice(device.id, title, signal);
  // Errors are ignored: the header shows a lost connection, and the content stays.
  const refetch = async () => {
    const list = await lab.devices(signal).catch(() => []);
    const now = list.find(({ id }) => id === device.id);
    if (now) update(now);
  };
  repeatWhileVisible(refetch, POLL_MS, signal);
  for (const event of ['queue.updated', 'missed']) events.on(event, refetch, signal);

  const query = `?device=${encodeURIComponent(device.id)}`;
  return {
    title: lab.deviceTitle(device.id),
    element: h(
      'div',
      { class: 'view stack spaced' },
      deviceHead(
        lab.deviceTitle(device.id),
        device.id,
        status,
        h('a', { class: 'button primary', href: `/?device=${encodeURIComponent(device.id)}` }, 'Run an experiment'),
        h('a', { class: 'button', href: `/runs${query}` }, 'All its runs'),
        cardLink(device.id, { class: 'button' }),
      ),
      h('section', { class: 'panel', 'aria-label': 'Overview' }, headlineStrip(device), live.element),
      runs.element,
      factsAndLinks(device, lab.deviceName),
    ),
  };
}
