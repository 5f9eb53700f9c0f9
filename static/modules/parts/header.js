// Status of the lab that is always visible: the queue (in the header), a lost connection (below it), the version (in
// the footer).

import { h, replace } from '../dom.js';
import * as events from '../lab/events.js';
import { plural, progressText } from '../text/format.js';
import { watchQueue } from '../lab/lab.js';
import { isOutdated, isVersionKnown, version } from '../lab/version.js';

/** Shows in `element` that the event stream is disconnected, or that the lab has another version since. */
export function showConnection(element) {
  const draw = async (state) => {
    if (state === 'lost') return replace(element, lostBar());
    if (state !== 'live' || !isVersionKnown()) return replace(element);
    const build = await version().catch(() => null); // without an answer the state is "lost" soon
    if (events.connection() === 'live') replace(element, build && isOutdated() ? updateBar(build) : null);
    return undefined;
  };
  events.on('connection', draw);
  draw(events.connection());
}

const bar = (tone, title, text, label, click) =>
  h(
    'div',
    { class: `connection-bar ${tone}` },
    h('span', {}, h('strong', {}, title), ` ${text}`),
    h('button', { type: 'button', class: 'small', on: { click } }, label),
  );

const lostBar = () =>
  bar('bad', 'No connection to the lab.', 'The data shown may be out of date. Reconnecting…', 'Reconnect now', events.reconnect);

const updateBar = ({ version: name, commit }) =>
  bar(
    '',
    'The lab was updated.',
    `It is gpulab ${name} (${commit.slice(0, 7)}) now. Reload the page to use it; the next link does so, too.`,
    'Reload',
    () => location.reload(),
  );

/** Shows the state of the queue in `element`, with a link to what is running. */
export function showQueue(element) {
  watchQueue((queue) => {
    if (!queue)
      return replace(element, events.connection() === 'signed-out' ? null : statusDot('bad', 'offline'));
    const waiting = queue.length ? h('a', { class: 'waiting', href: '/machines' }, `${plural(queue.length, 'run')} waiting`) : null;
    if (queue.running) return replace(element, runningLink(queue), waiting);
    return replace(element, queue.paused ? statusDot('warn', 'paused') : statusDot('good', 'idle'), waiting);
  });
}

/** A link to the running run, with its progress; to the machines where several runs are running. */
function runningLink({ running, runs, progress }) {
  if (runs.length > 1) return h('a', { href: '/machines' }, statusDot('active', `measuring ${plural(runs.length, 'run')}`));
  return h('a', { href: `/runs/${running}` }, statusDot('active', `measuring ${progressText(progress)}`.trim()));
}

/** Shows the version of the lab in `element`, now and after each reconnection. */
export function showVersion(element) {
  const show = async (state) => {
    if (state !== 'live') return;
    const build = await version().catch(() => null); // showConnection shows that the lab does not answer
    if (build) element.textContent = `gpulab ${build.version} (${build.commit})`;
  };
  events.on('connection', show);
  show(events.connection());
}

/** A text with a dot in front, whose colour is given by `tone`. */
function statusDot(tone, text) {
  return h('span', { class: `status-dot ${tone}` }, text);
}
