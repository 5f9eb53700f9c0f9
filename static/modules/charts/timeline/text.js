// Texts of a timeline: the reading of a span, the summary of a variant.

import { bytes, exactTime, percent, plain, rate, seconds } from '../../text/format.js';
import { valueText } from '../../text/displaynames.js';

/** Says that the trace has only a piece of a copy (copies.js). */
export const PARTIAL = 'part of a staged copy: the trace holds one piece';

/** The reading (readout.js) of a span. */
export function spanReading(span) {
  return {
    series: null,
    name: span.label || valueText('kind', span.kind),
    facts: [
      `${valueText('kind', span.kind)} · ${span.lane}`,
      `${exactTime(span.start)} to ${exactTime(span.end)}`,
      `duration ${exactTime(span.end - span.start)}`,
      span.partial ? PARTIAL : null,
      span.rate ? rate(span.rate) : null,
    ].filter(Boolean),
  };
}

/** The details of a span as texts, such as "grid 4 × 1 × 1". */
export const detailTexts = (details) =>
  Object.entries(details).map(([name, value]) => `${name.replace(/_ns$/, '').replaceAll('_', ' ')} ${detailText(name, value)}`);

function detailText(name, value) {
  if (Array.isArray(value)) return value.map((one) => plain(one)).join(' × ');
  if (typeof value === 'string') return value;
  if (name.endsWith('_ns')) return exactTime(value);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return /(^|_)bytes$/.test(name) ? bytes(value) : plain(value);
}

/** What is between two marks {start, end} in ns, as texts. */
export function betweenText(a, b) {
  const [first, second] = a.start <= b.start ? [a, b] : [b, a];
  const gap = second.start - first.end;
  return [
    `start to start ${exactTime(second.start - first.start)}`,
    gap >= 0 ? `end to start ${exactTime(gap)}` : `overlap ${exactTime(Math.min(-gap, second.end - second.start))}`,
    `in all ${exactTime(Math.max(first.end, second.end) - first.start)}`,
  ];
}

/** The devices on which schedules are simulated, by the number of their copy engines
 * (kernels/experiments/streams/overlap/simulated.c). */
const OLD_DEVICES = {
  1: 'one copy engine, one hardware queue for each engine (compute capability 1.x)',
  2: 'two copy engines, one hardware queue for each engine, consecutive kernels end together (compute capability 2.x)',
};

/** The figures of a variant after its duration: measured, lower bound and efficiency. */
export function variantSummary({ time, bound, efficiency, engines, simulated }) {
  return [
    simulated && `simulated with the phase times of this device: ${OLD_DEVICES[simulated]}`,
    time === null ? null : `measured median: ${seconds(time)}`,
    bound === null
      ? null
      : `bound: ${seconds(bound)}${engines === null ? '' : ` with ${plain(engines)} copy ${engines === 1 ? 'engine' : 'engines'}`}`,
    efficiency === null ? null : `efficiency: ${percent(efficiency, 3)}`,
  ]
    .filter(Boolean)
    .join(' · ');
}
