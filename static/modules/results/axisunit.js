// The unit of an axis of a chart: one for all its ticks, or one for each.

import { bytes, tickText, unitFor } from '../text/format.js';
import { stepsOf, unitStep } from '../text/units.js';

const LEAST = 0.1; // on a logarithmic axis, values below this in its unit get a prefix of their own

/** Returns {title, write(value), own} for an axis that shows `values` of a metric or an axis of the experiment ({title,
 * unit}); `log` is true if it is logarithmic. The title has the unit, unless each tick has its `own`. */
export function axisUnit({ title, unit }, values, log = false) {
  const positive = values.filter((value) => value > 0);
  const { unit: common, factor } = unitFor(unit, Math.max(0, ...positive));
  const number = (value, one) => tickText(Number((value / one).toPrecision(12)));
  if (unit === 'B') return { title, write: bytes, own: true };
  const steps = stepsOf(unit);
  if (log && steps.length > 1 && positive.some((value) => value < LEAST * factor)) {
    const withUnit = (value, [name, one]) => `${number(value, one)}\u00a0${name}`;
    return { title, write: (value) => (value === 0 ? '0' : withUnit(value, unitStep(value, steps))), own: true };
  }
  const suffix = unit === 'x' ? 'x' : '';
  return {
    title: common ? `${title} (${common})` : title,
    write: (value) => `${number(value, factor)}${suffix}`,
    own: false,
  };
}
