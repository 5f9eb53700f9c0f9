// The section of a machine: what it is, its devices, and the links between them.

import { h } from '../../dom.js';
import { bytes, plain, plural, UNKNOWN } from '../../text/format.js';
import { deviceCard } from '../../parts/devicecard.js';
import { linkMatrix } from '../../parts/links.js';
import { notice } from '../../parts/notice.js';

/** Returns {element, update(devices)}. `machine` is that of the API (null: unknown), `devices` are its devices, `build`
 * is the version of the lab that runs on it. The element lives until `signal` is aborted. */
export function machineSection({ machine, devices, build }, signal) {
  const cards = new Map(devices.map((device) => [device.id, deviceCard(device, { level: 3 }, signal)]));
  const name = machine?.name ?? 'This machine';
  const element = h(
    'section',
    { class: 'machine', 'aria-label': name },
    h(
      'header',
      { class: 'machine-head' },
      h('h2', {}, name),
      h('p', { class: 'aside' }, devicesText(devices)),
    ),
    h('dl', { class: 'panel machine-facts' }, factsOf(machine, devices, build).map(fact)),
    devices.length ? h('div', { class: 'device-cards' }, [...cards.values()].map((card) => card.element)) : noDevices(),
    linkMatrix(devices),
  );
  return {
    element,
    update: (list) => list.forEach((device) => cards.get(device.id)?.update(device)),
  };
}

const fact = ([title, text, exact]) => h('div', {}, h('dt', {}, title), h('dd', { title: exact }, text));

function devicesText(devices) {
  const gpus = devices.filter(({ backend }) => backend !== 'host').length;
  if (gpus) return plural(gpus, 'GPU');
  return devices.length ? 'No GPU found: experiments run on the CPU of this machine. All results are real measurements.' : '';
}

/** The facts of a machine as [title, text, exact text]; those that are unknown are left out. */
function factsOf(machine, devices, build) {
  const { driver_release: driver, driver_version: cuda } = devices[0]?.properties ?? {};
  const { cpu, processors, memory_bytes: memory, kernel } = machine ?? {};
  const drivers = [driver, cuda && `CUDA ${cuda}`].filter(Boolean).join(', ');
  return [
    ['CPU', cpu],
    ['Processors', plain(processors)],
    ['Memory', bytes(memory), memory && `${plain(memory)} bytes`],
    ['Kernel', kernel],
    ['Driver', drivers],
    ['gpulab', `${build.version} (${build.commit.slice(0, 7)})`, `commit ${build.commit}, ${build.build.type} build`],
  ].filter(([, text]) => text && text !== UNKNOWN);
}

const noDevices = () =>
  notice({
    level: 3,
    tone: 'warn',
    title: 'No devices',
    text: 'No worker has listed a GPU or CPU yet; the log of the lab gives the reason. Earlier runs can be viewed, but no run can be started.',
  });
