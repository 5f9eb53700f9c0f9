// The button that shows the samples of a measurement, and its hardware counters, in every table and chart that writes
// values.

import { h } from '../../dom.js';
import { plain, plural } from '../../text/format.js';

/** Whether samples of the measurement were taken; values without a reason to stop are computed from those of several
 * points. */
const isSampled = ({ n, stop_reason: reason }) => n > 0 && reason !== null;

/** The number of samples of a measurement, or `text`, as a button that calls showSamples(measurement). Without samples
 * and hardware counters, or where showSamples is null, only the text. */
export function samplesButton(measurement, showSamples, text = null) {
  const sampled = isSampled(measurement);
  if (!showSamples || (!sampled && !measurement.counters?.length)) return text ?? plain(measurement.n);
  const words = sampled ? `Show the ${plural(measurement.n, 'sample')}` : 'Show the hardware counters';
  const named = text === null ? { 'aria-label': words } : { title: words };
  return h('button', { type: 'button', class: 'samples-button', ...named, on: { click: () => showSamples(measurement) } }, text ?? plain(measurement.n));
}
