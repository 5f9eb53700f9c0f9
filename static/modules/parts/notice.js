// Notices: messages in a panel, among them those shown instead of a view after an error or while it loads.

import { h } from '../dom.js';

/** A panel with a message. `tone` selects the colour: "bad", "warn" or empty; `level` is the level of the heading;
 * `actions` are buttons and links, `more` further elements below the text. */
export function notice({ title, text, actions = [], tone = '', level = 2, more = null, role = null }) {
  return h(
    'section',
    { class: `notice ${tone}`.trim(), role },
    title && h(`h${level}`, { class: 'notice-title' }, title),
    text && h('p', {}, text),
    more,
    actions.length ? h('div', { class: 'actions' }, actions) : null,
  );
}

export function loading() {
  return h('p', { class: 'loading', role: 'status' }, 'Loading…');
}

/** All errors of a problem document as a list; null if it has none. */
export function errorList({ errors }) {
  const items = errors.map(({ pointer, detail }) => h('li', {}, detail, pointer ? [' ', h('code', {}, pointer)] : null));
  return items.length ? h('ul', {}, items) : null;
}

/** By the first part of an address: where what was not found is listed. */
const LISTS = {
  runs: ['/runs', 'All runs'],
  sweeps: ['/runs', 'All runs'],
  compare: ['/compare', 'Choose runs to compare'],
  devices: ['/machines', 'All devices'],
  experiments: ['/', 'All experiments'],
  trends: ['/trends', 'All trends'],
};

/** The link to the list that the address `path` belongs to. */
function listLink(path) {
  const [href, text] = LISTS[path.split('/')[1]] ?? ['/', 'Go to the first page'];
  return h('a', { class: 'button', href }, text);
}

/** The notice for an HTTP error: title, detail and all errors of the problem document. `retry` is called by the button
 * "Try again"; `path` is that of the address. */
export function problemNotice(problem, retry, path) {
  return notice({
    level: 1,
    title: problem.title,
    text: problem.detail,
    tone: problem.status === 404 ? '' : 'bad',
    more: errorList(problem),
    actions: [
      problem.status === 404 ? null : h('button', { type: 'button', on: { click: retry } }, 'Try again'),
      listLink(path),
    ].filter(Boolean),
  });
}

/** The notice for a request without an answer, or for an error in the page itself. */
export function errorNotice(error, retry) {
  const unreachable = error.name === 'Unreachable';
  if (!unreachable) console.error(error);
  return notice({
    level: 1,
    tone: 'bad',
    title: unreachable ? 'No connection to the lab' : 'This page could not be shown',
    text: unreachable
      ? 'The lab may be restarting, or the network connection is down. Accepted runs are kept. This page reconnects automatically.'
      : error.message,
    actions: [h('button', { type: 'button', on: { click: retry } }, 'Try again')],
  });
}
