// The page of a run, from the time it is queued: head, headline figures, what to know about them, and tabs with
// everything else. Its address is permanent.

import { choicesOf } from '../../choices.js';
import { h, replace, replaceKeepingScroll } from '../../dom.js';
import * as api from '../../lab/api.js';
import * as events from '../../lab/events.js';
import { isWholeId, wholeRunId } from '../../lab/findrun.js';
import * as lab from '../../lab/lab.js';
import { devicesOf, withDeviceNames } from '../../lab/rundevices.js';
import { later } from '../../later.js';
import { announce } from '../../parts/announce.js';
import { notice } from '../../parts/notice.js';
import { measurementSet } from '../../results/measurementset.js';
import { referencesOfRun } from '../../results/published.js';
import { replaceAddress, setTitle } from '../../router.js';
import { isLive, STATUSES } from '../../text/displaynames.js';
import { runTitle } from '../../text/runtitle.js';
import { painted, throttled } from '../../throttle.js';
import { headlines } from './headlines.js';
import { runHead } from './head.js';
import { judgement } from './judgement.js';
import { runNotices } from './notices.js';
import { progressPanel } from './progress.js';
import { samplesArea } from './samplesarea.js';
import { runTabs } from './tabset.js';

const withOwnStep = later('withOwnStep');

export async function view(route, signal) {
  let { id } = route.parts;
  // A whole id is not waited for: the requests below are then the first of the page.
  if (!isWholeId(id)) {
    id = await wholeRunId(id, signal);
    replaceAddress(`/runs/${id}${location.search}${location.hash}`);
  }
  const early = collectEarly(id, signal);
  const answer = api.run(id, signal);
  const [first, known] = await Promise.all([answer, lab.experimentOfRun(id, answer), lab.devices(signal)]);
  const devices = devicesOf(first, lab.device);
  const described = withDeviceNames(known ?? lab.unknownExperiment(first.experiment), devices);
  const { experiment, shown } = first.kernel?.edits ? await withOwnStep(described, first) : { experiment: described };
  const page = runPage({ first, experiment, shown, devices, signal, choices: choicesOf({ ...route, path: `/runs/${id}` }, { tab: '' }) });
  page.start(early);
  return { title: page.title(), element: page.element };
}

/** Collects the measurements that arrive until the page is built, and whether other events did: the run is then fetched
 * again, because a short run may end before its data are loaded or before the event stream is open. */
function collectEarly(id, signal) {
  const early = { measurements: [], missed: false, handlers: null };
  const handlers = {
    measurement: (one) => early.measurements.push(one),
    update: () => {
      early.missed = true;
    },
  };
  early.handlers = handlers;
  let lost = false;
  events.on('measurement', ({ run, measurement }) => run === id && handlers.measurement(measurement), signal);
  events.on('run.updated', (summary) => handlers.update(summary), signal);
  events.on('run.deleted', (deleted) => deleted.id === id && handlers.deleted?.(), signal);
  events.on('reset', () => handlers.update(null), signal);
  events.on(
    'connection',
    (state) => {
      lost ||= state === 'lost';
      if (state === 'live') handlers.update(null, { opened: !lost });
    },
    signal,
  );
  return early;
}

function runPage({ first, experiment, shown, devices, signal, choices }) {
  const measurements = measurementSet(shown);
  // `run` with the measurements so far; what is fetched after the end: `normal`, `references`
  const state = { run: first, normal: null, references: [], completed: false };
  const head = runHead(first, { experiment, signal, changed: edited });
  const progress = progressPanel({ experiment, signal });
  const figures = headlines({ experiment });
  const noticesElement = h('div', { class: 'run-notices row' });
  const health = judgement('health', { experiment, devices, signal });
  const samples = samplesArea({ experiment, devices, signal, choices });
  const comparison = judgement('verdicts', { experiment, devices, showSamples: samples.show, signal });
  const tabSet = runTabs({ experiment, devices, run: first, signal, choices, showSamples: samples.show });
  const element = h(
    'div',
    { class: 'view stack spaced run' },
    head.element,
    progress.element,
    health.element,
    figures.element,
    comparison.element,
    noticesElement,
    tabSet.element,
    samples.element,
  );

  /** The run with its headlines: those so far while it is running. */
  const withHeadline = (run) => (isLive(run.status) ? { ...run, headline: run.progress?.headline ?? null } : run);

  function drawResults() {
    const list = measurements.list();
    const run = withHeadline(state.run);
    figures.update(run, list, state.normal);
    replaceKeepingScroll(noticesElement, runNotices(run, list, experiment));
    tabSet.update({ run, measurements: list, references: state.references });
    samples.update(run);
  }

  function drawState() {
    head.update(state.run);
    progress.update(state.run);
    drawResults();
    if (!isLive(state.run.status)) complete();
  }

  const drawResultsSoon = throttled(drawResults, signal);

  /** Fetches what the lab knows about a run that has ended, after the run itself is painted. */
  async function complete() {
    if (state.completed) return;
    state.completed = true;
    await painted();
    if (signal.aborted) return;
    health.update(state.run, measurements.list());
    comparison.update(state.run, measurements.list());
    const [normal, references] = await Promise.all([
      state.run.headline ? api.normal(first.id, signal).catch(() => null) : null,
      lab.references(experiment.name).catch(() => []),
    ]);
    if (signal.aborted) return;
    Object.assign(state, { normal, references: referencesOfRun(references, state.run.parameters) });
    drawResults();
  }

  /** Fetches the run with all measurements again; called when its status has changed or events were missed. Answers may
   * arrive in any order, so an answer with an older revision is ignored. */
  async function refetch() {
    try {
      const answer = await api.run(first.id, signal);
      if (answer.revision < state.run.revision) return;
      measurements.merge(answer.measurements ?? []);
      take(answer);
      drawState();
    } catch (error) {
      if (error.status === 404) showDeleted();
      else if (error.status === undefined && error.name !== 'Unreachable' && !signal.aborted) throw error;
    }
  }

  /** Takes a newer state of the run; announces its end. */
  function take(next) {
    const ends = isLive(state.run.status) && !isLive(next.status);
    state.run = next;
    setTitle(title());
    if (ends) announce(`Run ${STATUSES[next.status]?.word ?? next.status}`);
  }

  /** Handles the event run.updated, of this run or of another one; null: events were missed. `opened`: because the
   * stream has just been opened, which matters only to a run that may have ended meanwhile. */
  function update(summary, { opened = false } = {}) {
    if (opened && !isLive(state.run.status)) return;
    if (summary && summary.id !== first.id) {
      // A queued run moves forward in the queue when another run ends.
      if (state.run.status === 'queued' && !isLive(summary.status)) refetch();
      return;
    }
    if (!summary) return refetch();
    if (summary.revision < state.run.revision) return;
    const statusChanged = summary.status !== state.run.status;
    take({ ...state.run, ...summary });
    head.update(state.run);
    progress.update(state.run);
    if (statusChanged) refetch();
  }

  /** Takes the run as the user has edited it; null: it has changed otherwise. */
  function edited(next) {
    if (!next) return refetch();
    take({ ...state.run, ...next });
    head.update(state.run);
  }

  function showDeleted() {
    replace(
      element,
      notice({
        level: 1,
        title: 'This run was deleted',
        text: 'It was deleted with all its measurements while this page was open.',
        actions: [h('a', { class: 'button', href: '/runs' }, 'Go to runs')],
      }),
    );
    setTitle('Run deleted');
  }

  function onProgress(progressEvent) {
    if (progressEvent.id !== first.id || !isLive(state.run.status)) return;
    state.run = { ...state.run, status: 'running', progress: progressEvent };
    progress.update(state.run);
    drawResultsSoon();
    setTitle(title());
  }

  const title = () => runTitle(state.run, experiment.title);

  return {
    element,
    title,
    start(early) {
      measurements.merge(first.measurements ?? []);
      early.measurements.forEach(measurements.add);
      early.handlers.measurement = (one) => {
        measurements.add(one);
        drawResultsSoon();
      };
      Object.assign(early.handlers, { update, deleted: showDeleted });
      events.on('run.progress', onProgress, signal);
      drawState();
      if (early.missed && isLive(state.run.status)) refetch();
    },
  };
}
