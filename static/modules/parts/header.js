// The standing signs of the lab: what the queue does (in the header), that the connection is lost (below it), and
// which build answers (in the footer).

import { version } from '../api.js';
import { h, replace } from '../dom.js';
import * as events from '../events.js';
import { plural } from '../format.js';
import { watchQueue } from '../lab.js';

/** Shows a line in `element` while the event stream is lost. */
export function showConnection(element) {
  const draw = (state) => {
    if (state !== 'lost') return replace(element);
    return replace(
      element,
      h(
        'div',
        { class: 'lost' },
        h('span', {}, h('strong', {}, 'The lab does not answer.'), ' What you see may be old; trying again.'),
        h('button', { type: 'button', class: 'small', on: { click: events.reconnect } }, 'Try now'),
      ),
    );
  };
  events.on('connection', draw);
  draw(events.connection());
}

/** Shows in `element` what the lab is doing, with a way to the run that is running. */
export function showQueue(element) {
  watchQueue((queue) => {
    if (!queue) return replace(element, lamp('bad', 'no answer'));
    const waiting = queue.length ? h('span', { class: 'waiting' }, `${plural(queue.length, 'run')} waiting`) : null;
    if (queue.running) {
      const { done, total } = queue.progress ?? {};
      const share = total > 0 ? ` ${Math.floor((100 * done) / total)} %` : '';
      return replace(element, h('a', { href: `/runs/${queue.running}` }, lamp('active', `measuring${share}`)), waiting);
    }
    return replace(element, queue.paused ? lamp('warn', 'paused') : lamp('good', 'idle'), waiting);
  });
}

/** Says in `element` which build of the lab answers: now, and again whenever it was out of reach. */
export function showVersion(element) {
  const ask = () =>
    version()
      .then((build) => {
        element.textContent = `gpulab ${build.version} (${build.commit})`;
      })
      .catch(() => {}); // the lab does not answer: the page says so elsewhere
  events.on('connection', (state) => state === 'live' && ask());
}

function lamp(tone, words) {
  return h('span', { class: `lamp ${tone}` }, words);
}
