// The words of a timeline: of one span, for eyes and for ears, and of a whole variant.

import { h } from '../dom.js';
import { exactTime, percent, plain, seconds } from '../format.js';
import { valueWords } from '../displaynames.js';

/** What stands at the pointer. */
export function tipOf(span) {
  return [
    h('strong', {}, span.label || valueWords('kind', span.kind)),
    h('span', {}, `${valueWords('kind', span.kind)} · ${span.lane}`),
    h(
      'dl',
      {},
      [
        ['start', span.start],
        ['end', span.end],
        ['duration', span.end - span.start],
      ].map(([word, time]) => h('div', {}, h('dt', {}, word), h('dd', {}, exactTime(time)))),
    ),
  ];
}

/** The same, to be heard. */
export const spanWords = (span) =>
  `${span.label}, ${valueWords('kind', span.kind)}, ${span.lane}: ${exactTime(span.start)} to ${exactTime(span.end)}, ` +
  `${exactTime(span.end - span.start)} long`;

/** How long a variant took, and how near it came to its bound. */
export function figureWords(variant, { time, bound, efficiency, engines }) {
  return [
    `traced ${seconds(variant.length / 1e9)}`,
    time === null ? null : `measured ${seconds(time)}`,
    bound === null
      ? null
      : `bound ${seconds(bound)}${engines === null ? '' : ` with ${plain(engines)} copy ${engines === 1 ? 'engine' : 'engines'}`}`,
    efficiency === null ? null : `efficiency ${percent(efficiency, 3)}`,
  ]
    .filter(Boolean)
    .join(' · ');
}
