// The page of a run, from the time it is queued: progress, results, notices, source code, and the recorded parameters
// and environment. Its address is permanent.

import { choicesOf } from '../choices.js';
import * as api from '../lab/api.js';
import { measurementSet } from '../results/measurementset.js';
import { h, replace } from '../dom.js';
import { environmentGroups, parameterGroup } from '../text/environment.js';
import * as events from '../lab/events.js';
import { duration } from '../text/format.js';
import * as lab from '../lab/lab.js';
import { throttled } from '../throttle.js';
import { announce } from '../parts/announce.js';
import { factGroup } from '../parts/factlist.js';
import { notice } from '../parts/notice.js';
import { progressPanel } from '../parts/progress.js';
import { referenceResults } from '../parts/references.js';
import { results } from '../charts/results.js';
import { runHead } from '../parts/runhead.js';
import { sourcePanel } from '../parts/sourcepanel.js';
import { absoluteTime } from '../parts/status.js';
import { timeline } from '../charts/timeline.js';
import { runNotices } from '../parts/runnotices.js';
import { fieldsOf } from '../text/schema.js';
import { devicesOf, withDeviceNames } from '../lab/rundevices.js';
import { backendOf } from '../lab/sources.js';
import { isLive, STATUSES } from '../text/displaynames.js';
import { SUBJECTS } from '../results/timelinesubjects.js';

/** The timeline panel; null if the experiment has no timelines. */
function timelinePanel({ id }, { experiment, devices, signal }) {
  const found = (experiment.views ?? []).find(({ kind }) => kind in SUBJECTS);
  if (!found) return null;
  const { title, x } = found;
  return timeline({ experiment, subject: SUBJECTS[found.kind], run: id, devices, title, x, signal });
}

/** The number of copy engines of the run's device, null if unknown. */
function copyEngines({ environment, devices }) {
  const first = devices?.[0]?.id;
  const recorded = environment?.devices?.find?.(({ id }) => id === first) ?? environment?.devices?.[0];
  return recorded?.properties?.copy_engines ?? null;
}

/** Replaces an experiment that the lab no longer has; its runs are shown with the names that scripts use. */
const placeholderExperiment = (name) => ({ name, title: name, parameters: {}, axes: [], metrics: [], views: [] });

export async function view(route, signal) {
  const { parts } = route;
  const measurements = measurementSet();
  // Until the page is built, measurements are collected, and `missed` records that other events arrived. The run is
  // then fetched again, because a short run may end before its data are loaded or before the event stream is open.
  let missed = false;
  const recordMissed = () => {
    missed = true;
  };
  let [onMeasurement, onRunUpdated, onReset] = [measurements.add, recordMissed, recordMissed];
  events.on('measurement', (event) => event.run === parts.id && onMeasurement(event.measurement), signal);
  events.on('run.updated', (summary) => onRunUpdated(summary), signal);
  events.on('reset', () => onReset(), signal);
  events.on('connection', (state) => state === 'live' && onReset(), signal);
  const [first] = await Promise.all([api.run(parts.id, signal), lab.devices(signal)]);
  const devices = devicesOf(first, lab.device);
  const experiment = withDeviceNames(
    (await lab.experiment(first.experiment)) ?? placeholderExperiment(first.experiment),
    devices,
  );

  let run = first;
  const head = runHead(run, experiment);
  const progress = progressPanel({ signal });
  const noticesElement = h('div', { class: 'run-notices' });
  const resultsPanel = results({ experiment, devices, signal, choices: choicesOf(route) });
  const tracePanel = timelinePanel(run, { experiment, devices, signal });
  const referencePanel = referenceResults({ experiment });
  const sources = h('div', { class: 'run-sources' });
  const recordPanel = h('section', { class: 'panel record', 'aria-label': 'Parameters and environment' });
  const element = h(
    'div',
    { class: 'view run' },
    head.element,
    progress.element,
    noticesElement,
    tracePanel?.element,
    resultsPanel.element,
    resultsPanel.values,
    referencePanel.element,
    sources,
    resultsPanel.tablePanels,
    recordPanel,
  );

  function drawState() {
    head.update(run);
    progress.update(run);
    drawNotices();
    replace(recordPanel, recordContent(run, experiment));
    drawSources();
    drawTimelineAndReferences();
  }

  function drawNotices() {
    const next = h('div', {}, runNotices(run, measurements.list(), experiment));
    // Drawn only when the text differs, because drawing closes a log that the user has opened.
    if (next.textContent !== noticesElement.textContent) noticesElement.replaceChildren(...next.childNodes);
  }

  const drawNoticesSoon = throttled(drawNotices, signal);

  /** Shows the timeline, which exists once the run has ended, and the reference results. */
  async function drawTimelineAndReferences() {
    if (isLive(run.status) || !measurements.list().length) return;
    const [spans, references] = await Promise.all([
      tracePanel && !tracePanel.element.hasChildNodes() ? api.timeline(run.id, signal).catch(() => []) : [],
      lab.references(experiment.name).catch(() => []),
    ]);
    if (signal.aborted) return;
    if (spans.length) tracePanel.update(spans, measurements.list(), copyEngines(run));
    referencePanel.update(references, measurements.list());
  }

  const drawResults = () => resultsPanel.update(measurements.list(), run, backendOf(run, lab.device));

  /** Shows the source code once the runtime is known. */
  function drawSources() {
    const backend = backendOf(run, lab.device);
    if (backend && !sources.hasChildNodes()) replace(sources, sourcePanel({ experiment, backend }));
  }

  /** Fetches the run with all measurements again; called when its status has changed or events were missed. Answers may
   * arrive in any order, so an answer with an older revision is ignored. */
  async function refetch() {
    let answer;
    try {
      answer = await api.run(parts.id, signal);
    } catch (error) {
      if (error.status === 404) showDeleted(element);
      return; // other errors: the lab does not answer, the content stays
    }
    if (answer.revision < run.revision) return;
    announceEnd(answer);
    run = answer;
    measurements.merge(run.measurements ?? []);
    drawState();
    drawResults();
  }

  function announceEnd({ status }) {
    if (isLive(run.status) && !isLive(status)) announce(`Run ${STATUSES[status]?.word ?? status}`);
  }

  /** Handles the event run.updated, of this run or of another one. */
  function update(summary) {
    if (summary.id !== run.id) {
      // A queued run moves forward in the queue when another run ends.
      if (run.status === 'queued' && !isLive(summary.status)) refetch();
      return;
    }
    if (summary.revision < run.revision) return;
    announceEnd(summary);
    run = { ...run, ...summary };
    head.update(run);
    progress.update(run);
    refetch();
  }

  measurements.merge(first.measurements ?? []);
  onMeasurement = (measurement) => {
    measurements.add(measurement);
    if (measurement.verified === false) drawNoticesSoon();
    drawResults();
  };
  [onRunUpdated, onReset] = [update, refetch];
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

function showDeleted(element) {
  replace(
    element,
    notice({
      level: 1,
      title: 'This run was deleted',
      text: 'It was deleted with all its measurements while this page was open.',
      actions: [h('a', { class: 'button', href: '/runs' }, 'Go to runs')],
    }),
  );
}

/** The content of the panel with parameters, times and environment. */
function recordContent(run, experiment) {
  const times = {
    title: 'Times',
    facts: [
      ['Submitted', run.created_at],
      ['Started', run.started_at],
      ['Finished', run.finished_at],
    ]
      .filter(([, time]) => time)
      .map(([title, time]) => ({ name: time, title, text: absoluteTime(time) })),
  };
  if (run.time_limit_s) times.facts.push({ title: 'Time limit', text: duration(run.time_limit_s) });
  const environment = environmentGroups(run.environment);
  return [
    h(
      'div',
      { class: 'section-head' },
      h('h2', {}, 'Parameters and environment'),
      h('a', { href: api.links(run.id).run, target: '_blank', rel: 'noopener' }, 'Run as JSON'),
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
