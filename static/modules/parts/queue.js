// The queue: its state in a sentence, the button that pauses and resumes it, and its runs in their order.

import { Problem, pauseQueue, runs as fetchRuns } from '../lab/api.js';
import { h, replace, replaceKeepingScroll } from '../dom.js';
import * as events from '../lab/events.js';
import * as lab from '../lab/lab.js';
import { allows, person } from '../lab/session.js';
import { plural, progressText, roughDuration, UNKNOWN } from '../text/format.js';
import { machinesOf } from '../text/nodes.js';
import { afterPause } from '../throttle.js';
import { announce } from './announce.js';
import { notice } from './notice.js';
import { relativeTime, statusText } from './status.js';

const SHOWN = 50; // waiting runs in the table

/** Returns the section {element}, which stays current until `signal` is aborted. `title(name)` returns the title of an
 * experiment. */
export function queuePanel(title, signal) {
  const text = h('p', {});
  const held = h('div', {});
  const list = h('div', {});
  const pause = pauseButton(signal);
  const element = h(
    'section',
    { class: 'panel queue', 'aria-labelledby': 'queue-title' },
    h('div', { class: 'section-head' }, h('h2', { id: 'queue-title' }, 'Queue'), pause.element),
    text,
    pause.error,
    held,
    list,
  );

  async function load() {
    const [running, queued] = await Promise.all(
      ['running', 'queued'].map((status) => fetchRuns({ status, limit: SHOWN }, signal)),
    );
    const waiting = queued.runs.sort((a, b) => (a.queue_position ?? 0) - (b.queue_position ?? 0));
    const rows = [...running.runs, ...waiting];
    replaceKeepingScroll(list, rows.length ? queueTable(rows, title) : null, queued.next ? moreText() : null);
  }
  // Errors are ignored: the header shows a lost connection, and the content stays.
  const reload = () => load().catch(() => {});
  const reloadSoon = afterPause(reload, 150);
  for (const event of ['run.updated', 'run.deleted', 'queue.updated', 'missed']) events.on(event, reloadSoon, signal);
  lab.watchQueue((queue) => {
    pause.update(queue);
    replace(text, queueSentence(queue));
    replace(
      held,
      queue?.held && !queue.paused
        ? notice({ tone: 'warn', level: 3, title: 'No run can be started', text: `${queue.held} Queued runs wait; the lab tries again by itself.` })
        : null,
    );
  }, signal);
  reload();
  return { element };
}

const moreText = () => h('p', { class: 'aside' }, `The first ${SHOWN} are shown. `, h('a', { href: '/runs?status=queued' }, 'All waiting runs'));

/** The state of the queue as one line {element}, with the button; for views that do not list the queue's runs. */
export function queueLine(signal) {
  const text = h('span', {});
  const pause = pauseButton(signal);
  lab.watchQueue((queue) => {
    pause.update(queue);
    replace(text, queue?.held && !queue.paused ? `No run can be started: ${queue.held}` : queueSentence(queue));
  }, signal);
  return { element: h('div', { class: 'lead queue-line' }, h('p', {}, text, ' ', pause.element), pause.error) };
}

/** The state of the queue as a sentence; an only running run is a link. */
function queueSentence(queue) {
  if (!queue) return 'The state of the queue is unknown, because the lab does not answer.';
  const waiting = queue.length ? `${plural(queue.length, 'run')} waiting` : 'no run is waiting';
  if (queue.paused) return `The queue is paused: no run is started until it is resumed; ${waiting}.`;
  const { runs } = queue;
  const order = lab.hasSeveralMachines() ? 'Each machine measures one run at a time.' : 'Runs are measured one at a time.';
  if (runs.length > 1) return `${plural(runs.length, 'run')} are being measured; ${waiting}. ${order}`;
  if (runs.length) return [h('a', { href: `/runs/${runs[0]}` }, 'A run'), ` is being measured; ${waiting}. ${order}`];
  return queue.length ? `${plural(queue.length, 'run')} waiting.` : 'No run is waiting: a new run starts at once.';
}

/** {element, error, update(queue)}: the button that pauses or resumes, hidden from people who may not. */
function pauseButton(signal) {
  const error = h('p', { class: 'field-error', role: 'alert' });
  const element = h('button', { type: 'button', class: 'small', hidden: true, on: { click: toggle } });
  let paused = false;
  let known = false;
  let permitted = false;
  const show = () => {
    element.hidden = !(known && permitted);
    element.textContent = paused ? 'Resume the queue' : 'Pause the queue';
  };
  person().then(({ role }) => {
    permitted = !signal.aborted && allows(role, 'operator');
    show();
  });

  async function toggle() {
    element.disabled = true;
    replace(error);
    try {
      await pauseQueue(!paused);
      announce(paused ? 'Queue resumed' : 'Queue paused');
      await lab.refreshQueue();
    } catch (problem) {
      replace(error, problem instanceof Problem ? problem.detail || problem.title : problem.message);
    }
    element.disabled = false;
  }

  return {
    element,
    error,
    update(queue) {
      known = Boolean(queue);
      paused = queue?.paused ?? false;
      show();
    },
  };
}

const HEADS = ['Run', 'Status', 'Machine', 'Devices', 'Requested by', 'Priority', 'Requested', 'Start'];

/** The machine is shown only where the lab has several. */
const headsShown = () => HEADS.filter((head) => head !== 'Machine' || lab.hasSeveralMachines());

function queueTable(runs, title) {
  return h('table', { class: 'runs' }, [
    h('caption', { class: 'visually-hidden' }, 'Running and waiting runs, in the order in which they are measured'),
    h('thead', {}, h('tr', {}, headsShown().map((head) => h('th', { scope: 'col' }, head)))),
    h('tbody', {}, runs.map((run) => queueRow(run, title))),
  ]);
}

function queueRow(run, title) {
  const progress = progressText(run.progress);
  const cell = (label, ...children) => h('td', { class: children[0] === UNKNOWN ? 'none' : null, dataset: { label } }, children);
  return h('tr', { dataset: { run: run.id } }, [
    h('th', { scope: 'row' }, h('a', { class: 'row-link', href: `/runs/${run.id}` }, title(run.experiment))),
    cell('Status', statusText(run.status), progress ? h('span', { class: 'aside' }, ` ${progress}`) : null),
    lab.hasSeveralMachines() ? cell('Machine', machinesOf(run).join(', ') || UNKNOWN) : null,
    cell('Devices', lab.runDevicesText(run) || UNKNOWN),
    cell('Requested by', run.requested_by ?? UNKNOWN),
    cell('Priority', run.priority),
    cell('Requested', relativeTime(run.created_at)),
    cell('Start', startText(run)),
  ]);
}

function startText({ status, wait_s: wait }) {
  if (status === 'running') return 'started';
  if (typeof wait !== 'number') return 'start unknown';
  return wait < 1 ? 'starts now' : `starts in about ${roughDuration(wait)}`;
}
