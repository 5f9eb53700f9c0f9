// Addresses of the views that compare and follow measurements.

import { pathWithQuery } from '../text/address.js';

/** The trend of a point: its `metric` at `axes` over time, on the devices called `device` (by default those of the
 * newest run). A headline of a run has `metric` and `axes`. */
export const trendAddress = ({ experiment, metric, axes, device = '' }) =>
  pathWithQuery('/trends', { experiment, metric, axes: JSON.stringify(axes), device });

/** The comparison of two runs, given by their ids. Without `base` the user chooses it; "pinned" is the baseline. */
export const comparisonAddress = ({ base = '', head }) => pathWithQuery('/compare', { base, head });

/** The comparison of the two sides of a run that has `compare_with`. */
export const sidesAddress = (run) => pathWithQuery('/compare', { run });

/** Any number of runs in one chart, given by their ids. */
export const severalAddress = (runs) => `/compare?runs=${runs.map(encodeURIComponent).join()}`;

/** The result of an experiment on each device that the lab knows, in one chart. */
export const devicesAddress = (experiment) => pathWithQuery('/compare', { experiment });
