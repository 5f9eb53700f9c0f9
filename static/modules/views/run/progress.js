// The progress of a queued or running run, with the button that cancels it.

import * as api from '../../lab/api.js';
import { h, replace } from '../../dom.js';
import { duration, elapsed, plural, roughDuration } from '../../text/format.js';
import { hasSeveralMachines, refreshQueue, watchQueue } from '../../lab/lab.js';
import { isLive } from '../../text/displaynames.js';
import { pointLabel } from '../../text/pointlabel.js';
import { machinesOf } from '../../text/nodes.js';
import { later } from '../../later.js';
import { announce } from '../../parts/announce.js';

const awaitEnd = later('awaitEnd');
const leaveRun = later('leaveRun');

/** Returns {element, update(run)}; the element is empty when the run has ended. */
export function progressPanel({ experiment, signal }) {
  const bar = h('progress', { 'aria-label': 'Progress of the run' });
  const text = h('p', { class: 'progress-text' });
  const percentText = h('p', { class: 'progress-share' });
  const time = h('span', { class: 'progress-time' });
  const errorText = h('p', { class: 'field-error', role: 'alert' });
  const cancelButton = h('button', { type: 'button', class: 'danger', on: { click: cancelRun } }, 'Cancel the run');
  const canTell = 'Notification' in window && window.isSecureContext; // browsers have notices over HTTPS and on this computer only
  const tellButton = h('button', { type: 'button', hidden: !canTell, on: { click: tellEnd } }, 'Tell me when it ends');
  const panel = h(
    'section',
    { class: 'panel stack', 'aria-label': 'Progress' },
    h('div', { class: 'progress-head' }, percentText, text, tellButton, cancelButton),
    bar,
    errorText,
  );
  const element = h('div', {});
  let run = null;
  let announcedQuarter = -1; // the last quarter of the progress that was announced, 0 to 4
  let queue = null; // as watchQueue passes it
  let machineReason = null; // why the machine of the queued run starts none; null: it does

  async function cancelRun() {
    cancelButton.disabled = true;
    replace(errorText);
    try {
      await api.cancel(run.id);
      cancelButton.textContent = 'Cancelling…';
      if (isLive(run.status)) announce('The run is being cancelled');
    } catch (error) {
      replace(errorText, error.message);
      cancelButton.disabled = false;
    }
  }

  async function tellEnd() {
    tellButton.disabled = true;
    const isAwaited = await awaitEnd(run.id, experiment.title).catch(() => false);
    tellButton.textContent = isAwaited ? 'You will be told' : 'The browser does not allow it';
  }

  function drawTime() {
    if (run?.status !== 'running' || !run.started_at) return;
    const seconds = elapsed(run.started_at, new Date().toISOString());
    const { done = 0, total = 0 } = run.progress ?? {};
    const left = done > 0 ? ` · about ${roughDuration((seconds * (total - done)) / done)} left` : '';
    time.textContent = `${duration(seconds)}${left}`;
  }

  watchQueue((next) => {
    queue = next;
    if (run?.status === 'queued') showQueued();
  }, signal);
  const timer = setInterval(drawTime, 500);
  signal.addEventListener('abort', () => {
    clearInterval(timer);
    if (run && isLive(run.status)) leaveRun(run.id, experiment.title).catch(() => {}); // the header shows a lost connection
  });

  function showQueued() {
    drawQueued();
    if (hasSeveralMachines()) readMachine(); // of a single one the queue says the same
  }

  async function readMachine() {
    const node = await api.node(machinesOf(run)[0], signal).catch(() => null); // the header shows a lost connection
    if (!node || node.state_reason === machineReason || run.status !== 'queued') return;
    machineReason = node.state_reason;
    drawQueued();
  }

  function drawQueued() {
    percentText.textContent = '';
    bar.removeAttribute('value');
    const position = queuedText(run);
    replace(text, position, waitReason());
    announce(position);
  }

  /** Why a queued run waits although no other run is being measured; null if it only waits for its turn. */
  function waitReason() {
    if (queue?.paused)
      return h(
        'span',
        { class: 'aside' },
        'The queue is paused: no run is started. ',
        h('button', { type: 'button', class: 'link', on: { click: resume } }, 'Resume the queue'),
      );
    if (queue?.held) return h('span', { class: 'aside' }, `The queue is held: ${queue.held}`);
    return machineReason && h('span', { class: 'aside' }, `No run can be started on ${machinesOf(run)[0]}: ${machineReason}`);
  }

  const resume = () => api.pauseQueue(false).then(refreshQueue, (error) => replace(errorText, error.message));

  function drawRunning() {
    const { done = 0, total = 0, label = '' } = run.progress ?? {};
    const hasTotal = total > 0;
    const percent = hasTotal ? Math.floor((100 * done) / total) : 0;
    percentText.textContent = hasTotal ? `${percent}\u00a0%` : '';
    if (hasTotal) Object.assign(bar, { max: total, value: done });
    else bar.removeAttribute('value');
    replace(
      text,
      h('span', { class: 'progress-label' }, label ? pointLabel(label, experiment) : 'Starting'),
      h('span', { class: 'aside' }, hasTotal ? `${done} of ${plural(total, 'point')} · ` : '', time),
    );
    drawTime();
    if (hasTotal && Math.floor(percent / 25) !== announcedQuarter) {
      announcedQuarter = Math.floor(percent / 25);
      announce(`${percent} percent complete`);
    }
  }

  return {
    element,
    update(next) {
      run = next;
      const live = isLive(run.status);
      if (live && !element.contains(panel)) replace(element, panel);
      if (!live) return replace(element);
      return run.status === 'queued' ? showQueued() : drawRunning();
    },
  };
}

/** "Next in the queue, starts in about 12 s" */
function queuedText({ queue_position: ahead, wait_s: wait }) {
  const position = ahead > 0 ? `Queued: ${plural(ahead, 'run')} ahead` : 'Next in the queue';
  return typeof wait === 'number' && wait >= 1 ? `${position}, starts in about ${roughDuration(wait)}` : position;
}
