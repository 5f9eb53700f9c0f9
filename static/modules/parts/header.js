// Status of the lab that is always visible: the queue (in the header), a lost connection (below it), the version (in
// the footer).

import { version } from '../lab/api.js';
import { h, replace } from '../dom.js';
import * as events from '../lab/events.js';
import { plural } from '../text/format.js';
import { watchQueue } from '../lab/lab.js';

/** Shows a warning in `element` while the event stream is disconnected. */
export function showConnection(element) {
  const draw = (state) => {
    if (state !== 'lost') return replace(element);
    return replace(
      element,
      h(
        'div',
        { class: 'connection-lost' },
        h(
          'span',
          {},
          h('strong', {}, 'No connection to the lab.'),
          ' The data shown may be out of date. Reconnecting…',
        ),
        h('button', { type: 'button', class: 'small', on: { click: events.reconnect } }, 'Reconnect now'),
      ),
    );
  };
  events.on('connection', draw);
  draw(events.connection());
}

/** Shows the state of the queue in `element`, with a link to the running run. */
export function showQueue(element) {
  watchQueue((queue) => {
    if (!queue)
      return replace(element, events.connection() === 'signed-out' ? null : statusDot('bad', 'no connection'));
    const waiting = queue.length ? h('span', { class: 'waiting' }, `${plural(queue.length, 'run')} waiting`) : null;
    if (queue.running) {
      const { done, total } = queue.progress ?? {};
      const percentText = total > 0 ? ` ${Math.floor((100 * done) / total)}\u00a0%` : '';
      return replace(
        element,
        h('a', { href: `/runs/${queue.running}` }, statusDot('active', `measuring${percentText}`)),
        waiting,
      );
    }
    return replace(element, queue.paused ? statusDot('warn', 'paused') : statusDot('good', 'idle'), waiting);
  });
}

/** Shows the version of the lab in `element`, now and after each reconnection. */
export function showVersion(element) {
  const fetchVersion = () =>
    version()
      .then((build) => {
        element.textContent = `gpulab ${build.version} (${build.commit})`;
      })
      .catch(() => {}); // showConnection already shows that the lab does not answer
  events.on('connection', (state) => state === 'live' && fetchVersion());
  if (events.connection() === 'live') fetchVersion();
}

/** A text with a dot in front, whose colour is given by `tone`. */
function statusDot(tone, text) {
  return h('span', { class: `status-dot ${tone}` }, text);
}
