// The headline of a run: the few figures that answer what its experiment asks. The experiment declares them; a run's
// `headline` has their values.

import { quantity } from '../text/format.js';
import { shownUnit } from '../text/units.js';

/** The figures of a run or of its summary: [{title, text, metric, axes}], such as {title: "Host to device", text:
 * "55.5 GB/s"}; empty while there are none. */
export function headlineFigures({ headline }) {
  return (headline ?? []).map(({ title, value, unit, metric, axes }) => ({
    title,
    text: quantity(value, shownUnit(metric, unit)),
    metric,
    axes,
  }));
}
