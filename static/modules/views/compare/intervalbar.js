// A ratio as a mark on a logarithmic line, with its interval as a bar.

import { h } from '../../dom.js';
import { cutEnds } from '../../results/comparison.js';

/** The element for a point of a comparison; null without a ratio. The line shows the ratios from `from` to `to`, and
 * where 1 is; an arrow marks an end of the interval that is beyond it. */
export function intervalBar(point, range) {
  const { ratio, low, high, verdict } = point;
  const [from, to] = range;
  if (!(ratio > 0)) return null;
  const cut = cutEnds(point, range);
  const at = (value) => (100 * Math.log(value / from)) / Math.log(to / from);
  const part = (kind, style) => h('span', { class: kind, style });
  const [left, right] = [cut.low ? 0 : at(low), cut.high ? 100 : at(high)];
  return h(
    'div',
    { class: `interval-bar ${verdict ?? 'none'}`, 'aria-hidden': 'true' },
    part('interval-one', { left: `${at(1)}%` }),
    low === null && high === null ? null : part('interval-range', { left: `${left}%`, width: `${right - left}%` }),
    cut.low ? h('span', { class: 'interval-cut low' }, '◂') : null,
    cut.high ? h('span', { class: 'interval-cut high' }, '▸') : null,
    part('interval-ratio', { left: `${at(ratio)}%` }),
  );
}
