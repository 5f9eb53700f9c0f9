// What to know about a measurement before relying on it. A caution says that its value may be off; a wrong result makes
// the value invalid. Every place that shows a value shows its cautions: bars, lines, cells, ratios, headlines. The lab
// decides which a measurement has (server/analysis/cautions.c); that another process used the device is known of the
// whole run.

import { plural } from '../text/format.js';

const CONTENDED = { name: 'contended', text: 'Another process used the device during the run, so the value may be too low.' };

/** The names of all cautions, most severe first. */
const NAMES = [CONTENDED.name, 'throttled', 'drifting', 'bimodal', 'noisy'];

/** The reasons why the clock was lowered that are no cautions, such as the power limit: of conditions, or of a
 * reading. */
export const limitsOf = (conditions) =>
  (conditions?.throttle ?? []).filter((reason) => !(conditions.throttled_by ?? []).includes(reason));

/** The cautions of a measurement: [{name, text}], most severe first; [] if there are none. `name` is one word, `text` a
 * sentence. `run` is the run or its summary. */
export const cautionsOf = ({ skipped, cautions = [] }, run = {}) => (run.contended && !skipped ? [CONTENDED, ...cautions] : cautions);

/** Whether a measurement has any caution. */
export const hasCautions = (measurement, run) => cautionsOf(measurement, run).length > 0;

/** How many measurements have each caution: [{name, count}], most severe first, without those that none has. */
export function cautionCounts(measurements, run) {
  const found = measurements.flatMap((one) => cautionsOf(one, run).map(({ name }) => name));
  return NAMES.map((name) => ({ name, count: found.filter((other) => other === name).length })).filter(({ count }) => count > 0);
}

/** Whether the result of a measurement is wrong. */
export const isWrong = ({ verified }) => verified === false;

/** The number of wrong results of a run: one for each measurement, as `wrong_count` of its summary. */
export const wrongCount = (measurements) => measurements.filter(isWrong).length;

/** "3 wrong results" */
export const wrongText = (count) => plural(count, 'wrong result');
