// The headline of a run: the few figures that answer what its experiment asks. The experiment declares them; a run's
// `headline` has their values.

import { percent, quantity } from '../text/format.js';
import { shownUnit } from '../text/units.js';

/** The figures of a run or of its summary: [{title, text, metric, axes, share}], such as {title: "Host to device",
 * text: "55.5 GB/s", share: "88.1 % of PCIe gen5 x16"}; `share` is null where there is none. Empty while there are no
 * figures. */
export function headlineFigures({ headline }) {
  return (headline ?? []).map(({ title, value, unit, metric, axes, share }) => ({
    title,
    text: quantity(value, shownUnit(metric, unit)),
    metric,
    axes,
    share: Number.isFinite(share?.value) ? shareText(share) : null,
  }));
}

/** "88.1 % of PCIe gen5 x16" for the title "Share of PCIe gen5 x16"; another title stands before the value. */
function shareText({ title, value }) {
  const [, whole] = /^Share of (.+)$/.exec(title) ?? [];
  return whole ? `${percent(value, 3)} of ${whole}` : `${title}: ${percent(value, 3)}`;
}

/** Whether a measurement is that of a headline or of one of its figures. */
export const isAtPoint = (measurement, { metric, axes }) =>
  measurement.metric === metric &&
  Object.keys(measurement.axes).length === Object.keys(axes).length &&
  Object.keys(axes).every((name) => measurement.axes[name] === axes[name]);

/** The measurements that a headline or one of its figures shows: its value and, where the experiment declares its share
 * as a metric, the share at the same point. Either is undefined where the run has no such measurement. */
export function shownIn({ title, metric, axes }, measurements, { headlines = [] }) {
  const share = headlines.find((one) => one.title === title && one.metric === metric)?.share;
  const at = (name) => measurements.find((one) => one.side !== 'base' && isAtPoint(one.of ?? one, { metric: name, axes }));
  return { value: at(metric), share: share ? at(share) : undefined };
}
