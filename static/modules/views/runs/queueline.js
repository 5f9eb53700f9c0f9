// The state of the queue in one line, with a button to pause and resume it.

import * as api from '../../lab/api.js';
import { h, replace } from '../../dom.js';
import * as lab from '../../lab/lab.js';
import { announce } from '../../parts/announce.js';
import { plural } from '../../text/format.js';

/** Returns the element. */
export function queueLine(signal) {
  const text = h('span', {});
  const errorText = h('span', { class: 'field-error', role: 'alert' });
  const button = h('button', { type: 'button', class: 'small', on: { click: togglePaused } }, 'Pause the queue');
  let paused = false;

  async function togglePaused() {
    button.disabled = true;
    replace(errorText);
    try {
      await api.pauseQueue(!paused);
      announce(paused ? 'Queue resumed' : 'Queue paused');
      await lab.refreshQueue();
    } catch (error) {
      replace(errorText, error.message);
    }
    button.disabled = false;
  }

  lab.watchQueue((queue) => {
    button.hidden = !queue;
    paused = queue?.paused ?? false;
    button.textContent = paused ? 'Resume the queue' : 'Pause the queue';
    replace(text, queueText(queue));
  }, signal);
  return h('p', { class: 'lead queue-line' }, text, ' ', button, errorText);
}

function queueText(queue) {
  if (!queue) return 'The state of the queue is unknown.';
  const waiting = queue.length ? `${plural(queue.length, 'run')} waiting` : 'no runs waiting';
  if (queue.paused) return `The queue is paused; ${waiting}.`;
  if (queue.held) return `No run is started: ${queue.held}`;
  return queue.running
    ? [h('a', { href: `/runs/${queue.running}` }, 'One run'), ` is being measured; ${waiting}.`]
    : 'The queue is empty; a new run starts immediately.';
}
