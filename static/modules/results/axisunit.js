// The unit of an axis of a chart: one for all its ticks.

import { bytes, commonUnit, seconds, tickText } from '../text/format.js';

/** Returns {title, write(value)} for an axis that shows `values` of a metric or an axis of the experiment ({title,
 * unit}); the title has the unit, unless each tick has its own. */
export function axisUnit({ title, unit }, values) {
  const { unit: common, factor } = commonUnit(unit, values);
  if (unit === 'B') return { title, write: bytes };
  if (unit === 's' && !common) return { title, write: (value) => seconds(value, 0) };
  const suffix = unit === 'x' ? 'x' : '';
  return {
    title: common ? `${title} (${common})` : title,
    write: (value) => `${tickText(Number((value / factor).toPrecision(12)))}${suffix}`,
  };
}
