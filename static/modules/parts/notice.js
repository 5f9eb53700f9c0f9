// What the page says when there is nothing to show: loading, empty, refused, gone. Each says what happened and what
// to do.

import { h } from '../dom.js';

/** A calm panel: {title, text, actions, tone}; tone "bad", "warn" or none. `level` is the heading's. */
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
  return h('p', { class: 'loading', role: 'status' }, 'Loading …');
}

/** The server refused: its own words, and all it found wrong. */
export function refused(problem, retry) {
  const errors = problem.errors.map(({ pointer, detail }) =>
    h('li', {}, detail, pointer ? [' ', h('code', {}, pointer)] : null),
  );
  return notice({
    level: 1,
    title: problem.title,
    text: problem.detail,
    tone: problem.status === 404 ? '' : 'bad',
    more: errors.length ? h('ul', {}, errors) : null,
    actions: [
      problem.status === 404 ? null : h('button', { type: 'button', on: { click: retry } }, 'Try again'),
      h('a', { class: 'button', href: '/' }, 'To the devices'),
    ].filter(Boolean),
  });
}

/** No answer, or a fault of the page itself. */
export function gone(error, retry) {
  const unreachable = error.name === 'Unreachable';
  if (!unreachable) console.error(error);
  return notice({
    level: 1,
    tone: 'bad',
    title: unreachable ? 'The lab does not answer' : 'The page could not draw this',
    text: unreachable
      ? 'It may be restarting, or the connection is cut. Accepted runs are kept; this page looks again by itself.'
      : error.message,
    actions: [h('button', { type: 'button', on: { click: retry } }, 'Try again')],
  });
}
