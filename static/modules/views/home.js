// The first page: the devices of this lab, and what was last measured on them.

import * as api from '../api.js';
import { h, replace, whileVisible } from '../dom.js';
import * as events from '../events.js';
import { plural } from '../format.js';
import * as lab from '../lab.js';
import { deviceCard } from '../parts/devicecard.js';
import { notice } from '../parts/notice.js';
import { runTable } from '../parts/runtable.js';

const TELEMETRY_MS = 5_000;
const RECENT = 5;

export async function view(route, signal) {
  const [devices, experiments] = await Promise.all([lab.devices(signal), lab.experiments()]);
  const cards = h('div', { class: 'device-cards' });
  const recent = h('section', { class: 'recent', 'aria-label': 'Recent runs' });
  const shown = new Map();
  const title = (name) => experiments.find((one) => one.name === name)?.title ?? name;

  function draw(list) {
    const same = shown.size > 0 && list.length === shown.size && list.every(({ id }) => shown.has(id));
    if (same) return list.forEach((device) => shown.get(device.id).update(device));
    shown.clear();
    list.forEach((device) => shown.set(device.id, deviceCard(device)));
    return replace(cards, list.length ? [...shown.values()].map(({ element }) => element) : noDevice());
  }

  async function drawRecent() {
    const { runs } = await api.runs({ limit: RECENT }, signal);
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

  draw(devices);
  await drawRecent();
  // While the lab is out of reach the header says so; what is shown stays.
  const again = (work) => () => work().catch(() => {});
  const refetch = again(async () => draw(await lab.devices(signal)));
  whileVisible(refetch, TELEMETRY_MS, signal);
  let soon = null;
  const runsChanged = () => {
    clearTimeout(soon);
    soon = setTimeout(again(drawRecent), 200);
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
      h('header', { class: 'view-head' }, h('h1', {}, 'Devices'), h('p', { class: 'lead' }, headWords(devices))),
      cards,
      recent,
    ),
  };
}

function headWords(devices) {
  const gpus = devices.filter(({ backend }) => backend !== 'host').length;
  if (gpus) return `${plural(gpus, 'GPU')} in this lab, ready to be measured.`;
  return devices.length
    ? 'No GPU here: the lab measures this machine’s CPU as its device. Every figure is a real one.'
    : '';
}

const noDevice = () =>
  notice({
    title: 'No device',
    text: 'The lab found neither a GPU nor a CPU it may use; its log says why. Runs can be looked at, not started.',
    tone: 'warn',
  });

const noRuns = (experiments) =>
  notice({
    title: 'Nothing measured yet',
    text: 'Every run is kept here with all its samples, for everyone who uses this lab.',
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
