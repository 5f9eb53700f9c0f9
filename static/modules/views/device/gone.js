// The page of a device that the lab no longer has, made from its runs: when it was last used, its results, and its
// properties as the newest run recorded them.

import * as api from '../../lab/api.js';
import { h } from '../../dom.js';
import * as lab from '../../lab/lab.js';
import { cardLink, headlineStrip } from '../../parts/devicecard.js';
import { notice } from '../../parts/notice.js';
import { relativeTime } from '../../parts/status.js';
import { runsOfDevice } from './runs.js';
import { deviceHead, factsAndLinks } from './shared.js';

/** The view for `id`; rejects with a Problem (404) when no run names the device. */
export async function goneDevice(id, title, signal) {
  const runs = await runsOfDevice(id, title, signal);
  const [newest] = runs.newest;
  if (!newest)
    throw new api.Problem(404, {
      title: 'Device not found',
      detail: `Neither this lab nor any of its runs has a device ${id}. The devices of the lab are under Machines.`,
    });
  const { name: stored, node } = newest.devices.find((device) => device.id === id) ?? {};
  const recorded = await recordedDevices([...runs.latest, ...runs.newest], signal);
  const device = recorded.find((one) => one.id === id);
  const nameOf = (other) => {
    const found = recorded.find((one) => one.id === other);
    if (!found) return lab.deviceName(other);
    return found.peers?.length ? `${found.name} #${found.ordinal}` : found.name;
  };
  const name = device ? nameOf(id) : (stored ?? id);
  return {
    title: name,
    element: h(
      'div',
      { class: 'view stack spaced' },
      deviceHead(
        name,
        id,
        h('p', { class: 'row fine' }, h('span', { class: 'status-dot' }, 'gone')),
        h('a', { class: 'button', href: `/runs?device=${encodeURIComponent(id)}` }, 'All its runs'),
        cardLink(id, { class: 'button' }),
      ),
      notice({
        title: 'The lab does not list this device',
        more: h('p', {}, [
          node ? `It was in the machine ${node}. Last used ` : 'Last used ',
          relativeTime(newest.started_at ?? newest.created_at),
          ' by ',
          h('a', { href: `/runs/${newest.id}` }, title(newest.experiment)),
          '. What follows was stored with its runs.',
        ]),
      }),
      device ? h('section', { class: 'panel', 'aria-label': 'Overview' }, headlineStrip(device)) : null,
      runs.element,
      device ? factsAndLinks(device, nameOf) : null,
    ),
  };
}

/** The devices as recorded by one of the newest `runs`; [] when none has a record. The run with the most devices is
 * fetched, because it names the peers, and of those the one with the fewest measurements. */
async function recordedDevices(runs, signal) {
  const started = runs.filter((run) => run.started_at);
  const newest = started.sort((a, b) => (a.started_at < b.started_at ? 1 : -1)).slice(0, 5);
  const byUse = (a, b) => b.devices.length - a.devices.length || a.measurement_count - b.measurement_count;
  const [best] = newest.sort(byUse);
  if (!best) return [];
  const { environment } = await api.run(best.id, signal);
  return environment?.devices ?? [];
}
