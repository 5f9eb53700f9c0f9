// The first page: the devices of this lab and the most recent runs.

import * as api from '../lab/api.js';
import { h, replace, repeatWhileVisible } from '../dom.js';
import * as events from '../lab/events.js';
import { plural } from '../text/format.js';
import * as lab from '../lab/lab.js';
import { deviceCard } from '../parts/devicecard.js';
import { notice } from '../parts/notice.js';
import { runTable } from '../parts/runtable.js';

const TELEMETRY_MS = 5_000; // time between two readings
const RECENT_RUNS = 5;

export async function view(route, signal) {
  const [devices, experiments] = await Promise.all([lab.devices(signal), lab.experiments()]);
  const cards = h('div', { class: 'device-cards' });
  const recent = h('section', { class: 'recent', 'aria-label': 'Recent runs' });
  const shown = new Map(); // device id -> its card
  const title = (name) => experiments.find((one) => one.name === name)?.title ?? name;

  /** Updates the cards; creates them again only if other devices are present. */
  function drawDevices(list) {
    const same = shown.size > 0 && list.length === shown.size && list.every(({ id }) => shown.has(id));
    if (same) return list.forEach((device) => shown.get(device.id).update(device));
    shown.clear();
    list.forEach((device) => shown.set(device.id, deviceCard(device)));
    return replace(cards, list.length ? [...shown.values()].map(({ element }) => element) : noDevice());
  }

  async function drawRecentRuns() {
    const { runs } = await api.runs({ limit: RECENT_RUNS }, signal);
    replace(
      recent,
      h(
        'div',
        { class: 'section-head' },
        h('h2', {}, 'Recent runs'),
        runs.length ? h('a', { href: '/runs' }, 'All runs') : null,
      ),
      runs.length ? h('div', { class: 'panel flush' }, runTable(runs, title, 'Recent runs')) : noRuns(experiments),
    );
  }

  drawDevices(devices);
  await drawRecentRuns();
  // Errors are ignored: the header shows a lost connection, and the content stays.
  const ignoringErrors = (work) => () => work().catch(() => {});
  const refetch = ignoringErrors(async () => drawDevices(await lab.devices(signal)));
  repeatWhileVisible(refetch, TELEMETRY_MS, signal);
  let timer = null;
  const runsChanged = () => {
    clearTimeout(timer);
    timer = setTimeout(ignoringErrors(drawRecentRuns), 200);
  };
  events.on('run.updated', runsChanged, signal);
  events.on(
    'reset',
    () => {
      runsChanged();
      refetch();
    },
    signal,
  );
  return {
    title: 'Devices',
    element: h(
      'div',
      { class: 'view' },
      h('header', { class: 'view-head' }, h('h1', {}, 'Devices'), h('p', { class: 'lead' }, leadText(devices))),
      cards,
      recent,
    ),
  };
}

function leadText(devices) {
  const gpus = devices.filter(({ backend }) => backend !== 'host').length;
  if (gpus) return `${plural(gpus, 'GPU')} in this lab.`;
  return devices.length
    ? 'No GPU found: experiments run on the CPU of this machine. All results are real measurements.'
    : '';
}

const noDevice = () =>
  notice({
    title: 'No devices',
    text: 'The lab found no usable GPU or CPU; its log gives the reason. Existing runs can be viewed, but no run can be started.',
    tone: 'warn',
  });

const noRuns = (experiments) =>
  notice({
    title: 'No runs yet',
    text: 'Runs are stored with all samples and are visible to everyone who uses this lab.',
    actions: experiments.length
      ? [
          h(
            'a',
            { class: 'button primary', href: `/experiments/${experiments[0].name}` },
            `Start with ${experiments[0].title}`,
          ),
        ]
      : [],
  });
