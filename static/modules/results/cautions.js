// What to know about a measurement before relying on it. A caution says that its value may be off; a wrong result makes the
// value invalid. Every place that shows a value shows its cautions: bars, lines, cells, ratios, headlines.

import { percent, plural } from '../text/format.js';

/** The share of the mean above which the standard deviation of the samples makes a measurement noisy. */
export const NOISY = 0.05;

const KINDS = [
  {
    name: 'throttled',
    holds: ({ conditions }) => conditions?.throttle?.length > 0,
    text: ({ conditions }) => `The device was throttled (${conditions.throttle.join(', ')}), so the value may be too low.`,
  },
  {
    name: 'contended',
    holds: (_, { contended }) => contended === true,
    text: () => 'Another process used the device during the run, so the value may be too low.',
  },
  {
    name: 'drifting',
    holds: ({ stop_reason: reason }) => reason === 'drifting',
    text: () => 'The samples were still becoming faster or slower when sampling ended.',
  },
  {
    name: 'noisy',
    holds: ({ noise }) => noise > NOISY,
    text: ({ noise }) => `The samples vary: their standard deviation is ${percent(noise)} of the mean.`,
  },
];

/** Whether a measurement has any caution. */
export const hasCautions = (measurement, run = {}) => !measurement.skipped && KINDS.some(({ holds }) => holds(measurement, run));

/** The cautions of a measurement: [{name, text}], most severe first; [] if there are none. `name` is one word ("throttled",
 * "contended", "drifting", "noisy"), `text` a sentence. `run` is the run or its summary. */
export function cautionsOf(measurement, run = {}) {
  if (!hasCautions(measurement, run)) return [];
  return KINDS.filter(({ holds }) => holds(measurement, run)).map(({ name, text }) => ({ name, text: text(measurement) }));
}

/** How many measurements have each caution: [{name, count}], most severe first, without those that none has. */
export function cautionCounts(measurements, run = {}) {
  const measured = measurements.filter(({ skipped }) => !skipped);
  return KINDS.map(({ name, holds }) => ({ name, count: measured.filter((one) => holds(one, run)).length })).filter(
    ({ count }) => count > 0,
  );
}

/** Whether the result of a measurement is wrong. */
export const isWrong = ({ verified }) => verified === false;

/** The number of wrong results of a run: one for each measurement, as `wrong_count` of its summary. */
export const wrongCount = (measurements) => measurements.filter(isWrong).length;

/** "3 wrong results" */
export const wrongText = (count) => plural(count, 'wrong result');
