// A run that waits or measures: how far it is, what it does, and the way to cancel it.

import * as api from '../api.js';
import { h, replace } from '../dom.js';
import { duration, elapsed, plural } from '../format.js';
import { watchQueue } from '../lab.js';
import { isLive } from '../displaynames.js';
import { announce } from './announce.js';

/** {element, update(run)}; empty once the run is over. */
export function progressPanel({ signal }) {
  const bar = h('progress', { 'aria-label': 'Progress of the run' });
  const words = h('p', { class: 'progress-words' });
  const share = h('p', { class: 'progress-share' });
  const time = h('span', { class: 'progress-time' });
  const trouble = h('p', { class: 'field-error', role: 'alert' });
  const cancel = h('button', { type: 'button', class: 'danger', on: { click: stop } }, 'Cancel the run');
  const panel = h(
    'section',
    { class: 'panel progress-panel', 'aria-label': 'Progress' },
    h('div', { class: 'progress-head' }, share, words, cancel),
    bar,
    trouble,
  );
  const element = h('div', {});
  let run = null;
  let said = -1;
  let paused = false;

  async function stop() {
    cancel.disabled = true;
    replace(trouble);
    try {
      await api.cancel(run.id);
      cancel.textContent = 'Cancelling …';
      if (isLive(run.status)) announce('The run is being cancelled');
    } catch (error) {
      replace(trouble, error.message);
      cancel.disabled = false;
    }
  }

  function drawTime() {
    if (run?.status === 'running' && run.started_at)
      time.textContent = duration(elapsed(run.started_at, new Date().toISOString()));
  }

  watchQueue((queue) => {
    if ((queue?.paused ?? false) === paused) return;
    paused = !paused;
    if (run?.status === 'queued') drawQueued();
  }, signal);
  const timer = setInterval(drawTime, 500);
  signal.addEventListener('abort', () => clearInterval(timer));

  function drawQueued() {
    const { queue_position: ahead } = run;
    share.textContent = '';
    bar.removeAttribute('value');
    const place = ahead > 0 ? `Waiting: ${plural(ahead, 'run')} before it.` : 'Next in the queue.';
    replace(
      words,
      place,
      paused
        ? h(
            'span',
            { class: 'aside' },
            'The queue is paused: nothing starts until it goes on (under ',
            h('a', { href: '/runs' }, 'Runs'),
            ').',
          )
        : null,
    );
    announce(place);
  }

  function drawRunning() {
    const { done = 0, total = 0, label = '' } = run.progress ?? {};
    const known = total > 0;
    const percent = known ? Math.floor((100 * done) / total) : 0;
    share.textContent = known ? `${percent}\u00a0%` : '';
    if (known) Object.assign(bar, { max: total, value: done });
    else bar.removeAttribute('value');
    replace(
      words,
      h('span', { class: 'progress-label' }, label || 'Starting'),
      h('span', { class: 'aside' }, known ? `${done} of ${plural(total, 'point')} · ` : '', time),
    );
    drawTime();
    if (known && Math.floor(percent / 25) !== said) {
      said = Math.floor(percent / 25);
      announce(`${percent} percent measured`);
    }
  }

  return {
    element,
    update(next) {
      run = next;
      const live = isLive(run.status);
      if (live && !element.contains(panel)) replace(element, panel);
      if (!live) return replace(element);
      return run.status === 'queued' ? drawQueued() : drawRunning();
    },
  };
}
