// The section of a machine: what it is and does, its devices, and the links between them.

import { h, replace } from '../../dom.js';
import { bytes, plain, plural, progressText, UNKNOWN } from '../../text/format.js';
import { nodeState, transportText, waitingText } from '../../text/nodes.js';
import { deviceCard } from '../../parts/devicecard.js';
import { linkMatrix } from '../../parts/links.js';
import { notice } from '../../parts/notice.js';
import { examinationFold } from './examination.js';

/** Returns {element, update({node, devices, run, title})}. `node` is the document of the API, `devices` are those of
 * the machine, `build` is the version of the lab; `withState`: the section says what the machine does, where it does
 * not follow from the queue. For `update`, `run` is the running run (null: none or unknown) and `title(name)` the title
 * of an experiment. The element lives until `signal` is aborted. */
export function machineSection({ node, devices, build, withState }, signal) {
  const cards = new Map(devices.map((device) => [device.id, deviceCard(device, { level: 3 }, signal)]));
  const state = h('p', { class: 'machine-state row loose baseline' });
  const held = h('div', {});
  const facts = factsOf(node, devices, build);
  const element = h(
    'section',
    { class: 'machine stack spaced', id: machineId(node), 'aria-label': node.name },
    h(
      'header',
      { class: 'machine-head row loose baseline' },
      h('h2', {}, node.name),
      h('p', { class: 'aside' }, [withState && transportText(node), devicesText(devices)].filter(Boolean).join(' · ')),
      withState && state,
    ),
    withState && held,
    facts.length ? h('dl', { class: 'panel machine-facts row baseline' }, facts.map(fact)) : null,
    devices.length ? h('div', { class: 'device-cards' }, [...cards.values()].map((card) => card.element)) : noDevices(withState),
    linkMatrix(devices, node.name),
    examinationFold(node.name, signal),
  );
  return {
    element,
    update({ node: now, devices: list, run, title }) {
      replace(state, stateOf(now, run, title));
      replace(held, now.state_reason && (now.state === 'starting' ? h('p', { class: 'aside' }, now.state_reason) : heldNotice(now)));
      list.forEach((device) => cards.get(device.id)?.update(device));
    },
  };
}

/** The id of the section, for links on the page. */
export const machineId = ({ name }) => `machine-${name}`;

const fact = ([title, text, exact]) => h('div', {}, h('dt', { class: 'aside' }, title), h('dd', { title: exact }, text));

function devicesText(devices) {
  const gpus = devices.filter(({ backend }) => backend !== 'host').length;
  if (gpus) return plural(gpus, 'GPU');
  return devices.length ? 'No GPU found: experiments run on the CPU of this machine. All results are real measurements.' : '';
}

/** What the machine does, and how many runs wait for it. */
function stateOf(node, run, title) {
  const { tone, word } = nodeState(node);
  const progress = progressText(run?.progress);
  return [
    h('span', { class: `status-dot ${tone}` }, word),
    node.running
      ? h('span', {}, h('a', { href: `/runs/${node.running}` }, run ? title(run.experiment) : 'a run'), progress && ` ${progress}`)
      : null,
    h('span', { class: 'aside' }, waitingText(node)),
  ];
}

const heldNotice = ({ state_reason: reason }) =>
  notice({
    tone: 'warn',
    level: 3,
    title: 'No run can be started on this machine',
    text: `${reason} Queued runs wait; the lab tries again by itself.`,
  });

/** The facts of a machine as [title, text, exact text]; those that are unknown are left out. */
function factsOf({ machine, transport }, devices, build) {
  const { driver_release: driver, driver_version: cuda } = devices[0]?.properties ?? {};
  const { cpu, processors, memory_bytes: memory, kernel } = machine ?? {};
  const drivers = [driver, cuda && `CUDA ${cuda}`].filter(Boolean).join(', ');
  const ours = [`${build.version} (${build.commit.slice(0, 7)})`, `commit ${build.commit}, ${build.build.type} build`];
  return [
    ['CPU', cpu],
    ['Processors', plain(processors)],
    ['Memory', bytes(memory), memory && `${plain(memory)} bytes`],
    ['Kernel', kernel],
    ['Driver', drivers],
    ['gpulab', ...(transport === 'local' ? ours : [])],
  ].filter(([, text]) => text && text !== UNKNOWN);
}

/** Says that no device is known; the state of the machine, where it is shown, says why. */
const noDevices = (withState) =>
  withState
    ? h('p', { class: 'aside' }, 'Its devices are not known: no worker has listed them yet.')
    : notice({
        level: 3,
        tone: 'warn',
        title: 'No devices',
        text: 'No worker has listed a GPU or CPU yet; the log of the lab gives the reason. Earlier runs can be viewed, but no run can be started.',
      });
