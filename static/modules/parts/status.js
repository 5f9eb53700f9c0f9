// Small elements used by several views: the status of a run, a time.

import { h } from '../dom.js';
import { ago, dateTime } from '../text/format.js';
import { STATUSES } from '../text/displaynames.js';

/** The status of a run as a coloured word. */
export function statusText(status) {
  const { word, tone } = STATUSES[status] ?? { word: status, tone: 'quiet' };
  return h('span', { class: `status ${tone}` }, word);
}

/** A time as "5 min ago", with the exact time as tooltip. */
export function relativeTime(time) {
  return h('time', { datetime: time, title: dateTime(time) }, ago(time));
}

/** An exact time. */
export function absoluteTime(time) {
  return time ? h('time', { datetime: time, title: time }, dateTime(time)) : '–';
}
