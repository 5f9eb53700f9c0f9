// Small elements used by several views: the status of a run, a time.

import { h } from '../dom.js';
import { ago, dateTime, utcText } from '../text/format.js';
import { STATUSES } from '../text/displaynames.js';

/** The status of a run as a coloured word. */
export function statusText(status) {
  const { word, tone } = STATUSES[status] ?? { word: status, tone: 'quiet' };
  return h('span', { class: `status ${tone}` }, word);
}

/** A time as "5 min ago", with the exact time in UTC as tooltip. */
export function relativeTime(time) {
  return h('time', { datetime: time, title: utcText(time) }, ago(time));
}

/** An exact time in the browser's time zone, in UTC as tooltip. */
export function absoluteTime(time) {
  return time ? h('time', { datetime: time, title: utcText(time) }, dateTime(time)) : '–';
}
