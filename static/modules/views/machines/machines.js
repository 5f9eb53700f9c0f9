// The machines of the lab: the queue, then a section for each machine with its state, facts, devices and their links,
// and the devices that only runs have.

import * as api from '../../lab/api.js';
import { arrange, h, repeatWhileVisible, replace } from '../../dom.js';
import * as events from '../../lab/events.js';
import * as lab from '../../lab/lab.js';
import { allows, person } from '../../lab/session.js';
import { version } from '../../lab/version.js';
import { queuePanel } from '../../parts/queue.js';
import { nodeState } from '../../text/nodes.js';
import { afterPause, whenChanged } from '../../throttle.js';
import { machineId, machineSection } from './machine.js';
import { recordedSection } from './recorded.js';

const POLL_MS = 10_000; // between two readings of the states; telemetry comes with the event stream
const PAUSE_MS = 150; // several events often arrive together

export async function view(route, signal) {
  const [experiments, first, { role }] = await Promise.all([lab.experiments(), fetchAll(signal), person()]);
  const title = (name) => experiments.find((one) => one.name === name)?.title ?? name;
  const overview = h('nav', { class: 'contents row loose', 'aria-label': 'Machines' });
  const sections = h('div', { class: 'stack spaced' });
  const recorded = h('div', {});
  const shown = new Map(); // name -> {key, controller, section}: a section, and what it was made for
  let data = first;

  /** The section of a machine; created again only if its facts or devices are others. */
  function sectionOf(node, devices) {
    const withState = data.nodes.length > 1;
    const key = JSON.stringify([devices.map(({ id }) => id), node.machine, data.build, withState]);
    if (shown.get(node.name)?.key !== key) {
      shown.get(node.name)?.controller.abort();
      const controller = new AbortController();
      const ended = AbortSignal.any([signal, controller.signal]);
      const section = machineSection({ node, devices, build: data.build, withState }, ended);
      shown.set(node.name, { key, controller, section });
    }
    return shown.get(node.name).section;
  }

  const drawRecorded = whenChanged((list) => replace(recorded, recordedSection(list)));
  const drawOverview = whenChanged((list) => replace(overview, list.map(overviewItem)));

  function draw() {
    const { nodes, devices, runs } = data;
    const elements = nodes.map((node) => {
      const own = devices.filter((device) => device.node === node.name);
      const section = sectionOf(node, own);
      const run = runs.find(({ id }) => id === node.running) ?? null;
      section.update({ node, devices: own, run, title });
      return section.element;
    });
    arrange(sections, elements);
    drawRecorded(data.recorded);
    drawOverview(nodes.length > 1 ? nodes.map(overviewFacts) : []);
  }

  draw();
  // Errors are ignored: the header shows a lost connection, and the content stays.
  const refetch = async () => {
    try {
      data = await fetchAll(signal);
      draw();
    } catch {
      // see above
    }
  };
  repeatWhileVisible(refetch, POLL_MS, signal);
  const refetchSoon = afterPause(refetch, PAUSE_MS);
  for (const event of ['queue.updated', 'missed']) events.on(event, refetchSoon, signal);
  events.on('run.progress', ({ id, ...progress }) => {
    if (!data.runs.some((run) => run.id === id)) return;
    data.runs = data.runs.map((run) => (run.id === id ? { ...run, progress } : run));
    draw();
  }, signal);
  return {
    title: 'Machines',
    element: h(
      'div',
      { class: 'view stack spaced' },
      h('header', { class: 'view-head stack tight start' }, h('h1', {}, 'Machines'), overview, allows(role, 'operator') ? noticesLink() : null),
      queuePanel(title, signal).element,
      sections,
      recorded,
    ),
  };
}

const noticesLink = () => h('p', {}, h('a', { href: '/notices' }, 'Notices'), ': who is told of slower runs, failed health checks and lost machines');

/** {nodes, devices, runs, build, recorded}: the machines, their devices, the running runs, the version of the lab, and
 * the devices that only runs have. */
async function fetchAll(signal) {
  const [nodes, devices, { runs }, build, seen] = await Promise.all([
    api.nodes(signal),
    lab.devices(signal),
    api.runs({ status: 'running' }, signal),
    version(),
    api.recordedDevices(signal),
  ]);
  const recorded = seen.filter(({ id }) => !devices.some((device) => device.id === id));
  return { nodes, devices, runs, build, recorded };
}

const overviewFacts = (node) => ({ id: machineId(node), name: node.name, ...nodeState(node) });

/** The name of a machine, which leads to its section, and its state. */
function overviewItem({ id, name, tone, word }) {
  return h(
    'span',
    { class: `status-dot ${tone}` },
    h('a', { href: `#${id}` }, name),
    h('span', { class: 'aside' }, word),
  );
}
