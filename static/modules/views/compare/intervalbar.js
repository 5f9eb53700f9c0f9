// A ratio as a mark on a logarithmic line, with its interval as a bar.

import { h } from '../../dom.js';

/** The element for a point of a comparison; null without a ratio. The line shows the ratios from `from` to `to`, and where 1
 * is. */
export function intervalBar({ ratio, low, high, verdict }, [from, to]) {
  if (!(ratio > 0)) return null;
  const at = (value) => Math.min(100, Math.max(0, (100 * Math.log(value / from)) / Math.log(to / from)));
  const part = (kind, style) => h('span', { class: kind, style });
  const [left, right] = [low === null ? 0 : at(low), high === null ? 100 : at(high)];
  return h(
    'div',
    { class: `interval-bar ${verdict ?? 'none'}`, 'aria-hidden': 'true' },
    part('interval-one', { left: `${at(1)}%` }),
    low === null && high === null ? null : part('interval-range', { left: `${left}%`, width: `${right - left}%` }),
    part('interval-ratio', { left: `${at(ratio)}%` }),
  );
}
