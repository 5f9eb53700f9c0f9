// What to know about a measurement before relying on it. A caution says that its value may be off; a wrong result makes the
// value invalid. Every place that shows a value shows its cautions: bars, lines, cells, ratios, headlines.

import { percent, plural } from '../text/format.js';

/** The width of the quartile interval, as a share of the median, above which a measurement is noisy. A few outliers do not
 * change it, as they do not change the median that is shown. */
export const NOISY = 0.05;

const spread = ({ median, q1, q3 }) => (median ? Math.abs((q3 - q1) / median) : 0);
const throttling = ({ conditions }) => conditions?.throttled_by ?? [];

/** The reasons why the clock was lowered that are no cautions, such as the power limit: of conditions, or of a reading. */
export const limitsOf = (conditions) =>
  (conditions?.throttle ?? []).filter((reason) => !(conditions.throttled_by ?? []).includes(reason));

const KINDS = [
  {
    name: 'throttled',
    holds: (measurement) => throttling(measurement).length > 0,
    text: (measurement) => `The device was throttled (${throttling(measurement).join(', ')}), so the value may be too low.`,
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
    holds: (measurement) => spread(measurement) > NOISY,
    text: (measurement) => `The samples vary: their quartiles are ${percent(spread(measurement))} of the median apart.`,
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
