// The machines of the lab: the queue, then a section for each machine with its facts, its devices and their links.

import { h, replace, repeatWhileVisible } from '../../dom.js';
import * as events from '../../lab/events.js';
import * as lab from '../../lab/lab.js';
import { version } from '../../lab/version.js';
import { queuePanel } from '../../parts/queue.js';
import { machineSection } from './machine.js';

const POLL_MS = 10_000; // between two readings of the devices' states; telemetry comes with the event stream

export async function view(route, signal) {
  const [devices, experiments, build] = await Promise.all([lab.devices(signal), lab.experiments(), version()]);
  const title = (name) => experiments.find((one) => one.name === name)?.title ?? name;
  const sections = h('div', { class: 'machines' });
  let shown = null; // the section, and the ids of the devices that it was made for

  /** Updates the section; creates it again only if other devices are present. */
  function draw(list, running = build) {
    const key = JSON.stringify([list.map(({ id }) => id), lab.machine(), running]);
    if (shown?.key !== key) {
      shown?.controller.abort();
      const controller = new AbortController();
      const ended = AbortSignal.any([signal, controller.signal]);
      shown = { key, controller, section: machineSection({ machine: lab.machine(), devices: list, build: running }, ended) };
      replace(sections, shown.section.element);
    }
    shown.section.update(list);
  }

  draw(devices);
  // Errors are ignored: the header shows a lost connection, and the content stays.
  const refetch = async () => {
    try {
      const [list, running] = await Promise.all([lab.devices(signal), version()]);
      draw(list, running);
    } catch {
      // see above
    }
  };
  repeatWhileVisible(refetch, POLL_MS, signal);
  for (const event of ['queue.updated', 'missed']) events.on(event, refetch, signal);
  return {
    title: 'Machines',
    element: h(
      'div',
      { class: 'view wide' },
      h('header', { class: 'view-head' }, h('h1', {}, 'Machines')),
      queuePanel(title, signal).element,
      sections,
    ),
  };
}
