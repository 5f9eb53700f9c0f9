// Small signs that many views use: a run's state, a moment in time.

import { h } from '../dom.js';
import { ago, dateTime } from '../format.js';
import { STATUSES } from '../displaynames.js';

/** The run's state as a coloured word. */
export function statusSign(status) {
  const { word, tone } = STATUSES[status] ?? { word: status, tone: 'quiet' };
  return h('span', { class: `status ${tone}` }, word);
}

/** A moment, said as "5 min ago", with the exact time at hand. */
export function moment(time) {
  return h('time', { datetime: time, title: dateTime(time) }, ago(time));
}

/** A moment, said exactly. */
export function exactly(time) {
  return time ? h('time', { datetime: time, title: time }, dateTime(time)) : '–';
}
