// Texts of a timeline: the tooltip and the spoken text of a span, the summary of a variant.

import { h } from '../dom.js';
import { exactTime, percent, plain, seconds } from '../text/format.js';
import { valueText } from '../text/displaynames.js';

/** The content of the tooltip for a span. */
export function spanTooltip(span) {
  return [
    h('strong', {}, span.label || valueText('kind', span.kind)),
    h('span', {}, `${valueText('kind', span.kind)} · ${span.lane}`),
    h(
      'dl',
      {},
      [
        ['start', span.start],
        ['end', span.end],
        ['duration', span.end - span.start],
      ].map(([label, time]) => h('div', {}, h('dt', {}, label), h('dd', {}, exactTime(time)))),
    ),
  ];
}

/** The text of a span for screen readers; the same facts as in the tooltip. */
export const spanText = (span) =>
  `${span.label}, ${valueText('kind', span.kind)}, ${span.lane}: ${exactTime(span.start)} to ${exactTime(span.end)}, ` +
  `duration ${exactTime(span.end - span.start)}`;

/** The duration of a variant: recorded (`word` says how), measured, lower bound and efficiency. */
export function variantSummary(variant, { time, bound, efficiency, engines }, word) {
  return [
    `${word}: ${seconds(variant.length / 1e9)}`,
    time === null ? null : `measured median: ${seconds(time)}`,
    bound === null
      ? null
      : `bound: ${seconds(bound)}${engines === null ? '' : ` with ${plain(engines)} copy ${engines === 1 ? 'engine' : 'engines'}`}`,
    efficiency === null ? null : `efficiency: ${percent(efficiency, 3)}`,
  ]
    .filter(Boolean)
    .join(' · ');
}
