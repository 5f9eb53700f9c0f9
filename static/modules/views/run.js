// One run, from the moment it is queued: progress, what it found, what went wrong, and everything it was measured
// with. Its address is its permalink.

import * as api from '../api.js';
import { collection } from '../measurementset.js';
import { h, replace } from '../dom.js';
import { environmentGroups, parameterGroup } from '../environment.js';
import * as events from '../events.js';
import { duration } from '../format.js';
import * as lab from '../lab.js';
import { unhurried } from '../throttle.js';
import { announce } from '../parts/announce.js';
import { factGroup } from '../parts/factlist.js';
import { notice } from '../parts/notice.js';
import { progressPanel } from '../parts/progress.js';
import { publishedResults } from '../parts/references.js';
import { results } from '../parts/results.js';
import { runHead } from '../parts/runhead.js';
import { sourcePanel } from '../parts/sourcepanel.js';
import { exactly } from '../parts/status.js';
import { timeline } from '../parts/timeline.js';
import { troubles } from '../parts/runnotices.js';
import { fieldsOf } from '../schema.js';
import { devicesOf, withDevices } from '../rundevices.js';
import { backendOf } from '../sources.js';
import { isLive, STATUSES } from '../displaynames.js';

/** The panel for the timelines of an experiment that has them. */
function tracedPanel({ id }, { experiment, devices, signal }) {
  const kind = (experiment.views ?? []).find((one) => one.kind === 'timeline');
  return kind ? timeline({ experiment, run: id, devices, title: kind.title, x: kind.x, signal }) : null;
}

/** How many copy engines the run's device has, null when that is not known. */
function copyEngines({ environment, devices }) {
  const [id] = devices ?? [];
  const recorded = environment?.devices?.find?.((device) => device.id === id) ?? environment?.devices?.[0];
  return recorded?.properties?.copy_engines ?? null;
}

/** An experiment that this lab no longer has: its runs are shown all the same, in plain names. */
const bare = (name) => ({ name, title: name, parameters: {}, axes: [], metrics: [], views: [] });

export async function view({ parts }, signal) {
  const measurements = collection();
  // Until there is something to draw on, measurements are kept, and it is noted that other things happened: a short run may
  // end before its page has all it asked for, or before the stream of events is open.
  let missed = false;
  const note = () => {
    missed = true;
  };
  let [receive, changed, again] = [measurements.add, note, note];
  events.on('measurement', (event) => event.run === parts.id && receive(event.measurement), signal);
  events.on('run.updated', (summary) => changed(summary), signal);
  events.on('reset', () => again(), signal);
  events.on('connection', (state) => state === 'live' && again(), signal);
  const [first] = await Promise.all([api.run(parts.id, signal), lab.devices(signal)]);
  const devices = devicesOf(first, lab.device);
  const experiment = withDevices((await lab.experiment(first.experiment)) ?? bare(first.experiment), devices);

  let run = first;
  const head = runHead(run, experiment);
  const progress = progressPanel({ signal });
  const trouble = h('div', { class: 'troubles' });
  const found = results({ experiment, devices, signal });
  const traced = tracedPanel(run, { experiment, devices, signal });
  const published = publishedResults({ experiment });
  const sources = h('div', { class: 'run-sources' });
  const record = h('section', { class: 'panel record', 'aria-label': 'Record' });
  const element = h(
    'div',
    { class: 'view run' },
    head.element,
    progress.element,
    trouble,
    traced?.element,
    found.element,
    published.element,
    sources,
    found.rest,
    record,
  );

  function drawState() {
    head.update(run);
    progress.update(run);
    drawTroubles();
    replace(record, recordOf(run, experiment));
    drawSources();
    drawBeside();
  }

  function drawTroubles() {
    const next = h('div', {}, troubles(run, measurements.list(), experiment));
    // Drawn again, a log that was opened would close.
    if (next.textContent !== trouble.textContent) trouble.replaceChildren(...next.childNodes);
  }

  const moreTroubles = unhurried(drawTroubles, signal);

  /** What the run's measurements are shown beside: its timeline, which is there when it is over, and references. */
  async function drawBeside() {
    if (isLive(run.status) || !measurements.list().length) return;
    const [spans, references] = await Promise.all([
      traced && !traced.element.hasChildNodes() ? api.timeline(run.id, signal).catch(() => []) : [],
      lab.references(experiment.name).catch(() => []),
    ]);
    if (signal.aborted) return;
    if (spans.length) traced.update(spans, measurements.list(), copyEngines(run));
    published.update(references, measurements.list());
  }

  const drawResults = () => found.update(measurements.list(), run, backendOf(run, lab.device));

  /** Once, when it is known what the run is measured with. */
  function drawSources() {
    const backend = backendOf(run, lab.device);
    if (backend && !sources.hasChildNodes()) replace(sources, sourcePanel({ experiment, backend }));
  }

  /** Asks for the whole run again: when its state changes, and when events were missed. Answers may come in any order. */
  async function refetch() {
    let answer;
    try {
      answer = await api.run(parts.id, signal);
    } catch (error) {
      if (error.status === 404) deleted(element);
      return; // else the lab is out of reach: what is shown stays
    }
    if (answer.revision < run.revision) return;
    tellEnd(answer);
    run = answer;
    measurements.take(run.measurements ?? []);
    drawState();
    drawResults();
  }

  function tellEnd({ status }) {
    if (isLive(run.status) && !isLive(status)) announce(`Run ${STATUSES[status]?.word ?? status}`);
  }

  function update(summary) {
    if (summary.id !== run.id) {
      // A run that waits moves up when another ends.
      if (run.status === 'queued' && !isLive(summary.status)) refetch();
      return;
    }
    if (summary.revision < run.revision) return;
    tellEnd(summary);
    run = { ...run, ...summary };
    head.update(run);
    progress.update(run);
    refetch();
  }

  measurements.take(first.measurements ?? []);
  receive = (measurement) => {
    measurements.add(measurement);
    if (measurement.verified === false) moreTroubles();
    drawResults();
  };
  [changed, again] = [update, refetch];
  events.on(
    'run.progress',
    (event) => {
      if (event.id !== run.id || !isLive(run.status)) return;
      run = { ...run, status: 'running', progress: event };
      progress.update(run);
    },
    signal,
  );

  drawState();
  drawResults();
  if (missed) refetch();
  return { title: `${experiment.title}, ${STATUSES[run.status]?.word ?? run.status}`, element };
}

function deleted(element) {
  replace(
    element,
    notice({
      level: 1,
      title: 'This run was deleted',
      text: 'Somebody removed it, with all it measured, while you were looking at it.',
      actions: [h('a', { class: 'button', href: '/runs' }, 'To the other runs')],
    }),
  );
}

function recordOf(run, experiment) {
  const times = {
    title: 'Times',
    facts: [
      ['Submitted', run.created_at],
      ['Started', run.started_at],
      ['Finished', run.finished_at],
    ]
      .filter(([, time]) => time)
      .map(([title, time]) => ({ name: time, title, text: exactly(time) })),
  };
  if (run.time_limit_s) times.facts.push({ title: 'Time limit', text: duration(run.time_limit_s) });
  const environment = environmentGroups(run.environment);
  return [
    h(
      'div',
      { class: 'section-head' },
      h('h2', {}, 'What it was measured with'),
      h('a', { href: api.links(run.id).run, target: '_blank', rel: 'noopener' }, 'All of it as JSON'),
    ),
    h(
      'div',
      { class: 'fact-columns' },
      factGroup(parameterGroup(run.parameters ?? {}, fieldsOf(experiment.parameters)), 3),
      factGroup(times, 3),
      environment.map((group) => factGroup(group, 3)),
    ),
    environment.length || run.status !== 'queued'
      ? null
      : h('p', { class: 'aside' }, 'The environment is recorded when the run starts.'),
  ];
}
