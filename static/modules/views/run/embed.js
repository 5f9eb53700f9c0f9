// A chart of a run for pages of other sites, /runs/ID/embed?view=NAME: its title, what was measured, the chart with its
// caption, and a link to the run. Nothing of the page is around it.

import { results } from '../../charts/results.js';
import { choicesOf } from '../../choices.js';
import { h, replace } from '../../dom.js';
import * as api from '../../lab/api.js';
import { followRun } from '../../lab/followrun.js';
import * as lab from '../../lab/lab.js';
import { deviceGroupText, devicesOf, withDeviceNames } from '../../lab/rundevices.js';
import { backendOf } from '../../lab/sources.js';
import { problemNotice } from '../../parts/notice.js';
import { dateTime } from '../../text/format.js';
import { isLive, STATUSES } from '../../text/displaynames.js';

export async function view(route, signal) {
  const { id } = route.parts;
  const choices = choicesOf(route);
  const answer = api.run(id, signal);
  const [run, known] = await Promise.all([answer, lab.experimentOfRun(id, answer), lab.devices(signal)]);
  const devices = devicesOf(run, lab.device);
  const experiment = withDeviceNames(known ?? lab.unknownExperiment(run.experiment), devices);
  const plain = { ...experiment, sources: [] }; // without the code of steps
  const chosen = (experiment.views ?? []).filter(({ name }) => name === choices.get('view'));
  const chart = results({ experiment: chosen.length ? { ...plain, views: chosen } : plain, devices, signal, choices, tools: false });
  const facts = h('p', { class: 'aside' });
  const whole = h('a', { href: `/runs/${id}${location.search}`, target: '_blank', rel: 'noopener' }, 'The whole run in gpulab');
  const element = h(
    'div',
    { class: 'view stack spaced' },
    h('header', { class: 'view-head stack tight start' }, h('h1', {}, experiment.title), facts),
    chart.element,
  );

  function show(next) {
    const status = next.status === 'succeeded' ? null : (STATUSES[next.status]?.word ?? next.status);
    const texts = [deviceGroupText(devices), dateTime(next.started_at ?? next.created_at), status].filter(Boolean);
    replace(facts, `${texts.join(' · ')} · `, whole);
    chart.update(next.measurements ?? [], next, backendOf(next, lab.device));
  }
  show(run);
  if (isLive(run.status)) followRun(id, signal, show, (error) => replace(element, problemNotice(error, null, '')));
  return { title: experiment.title, element, alone: true };
}
