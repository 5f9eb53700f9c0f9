// Whether an experiment can run on the devices of the lab, of which it needs a minimum number.

import { plural } from '../text/format.js';

/** How many devices an experiment takes that does not state it. */
export const ONE_DEVICE = { min: 1, max: 1 };

export const isUsable = ({ state }) => state !== 'unavailable';

/** Why an experiment (its document of the API) cannot run on `devices`; null if it can. */
export function unmetRequirement(devices, { devices: range }) {
  const { min } = range ?? ONE_DEVICE;
  const usable = devices.filter(isUsable).length;
  if (usable >= min) return null;
  return `Needs at least ${plural(min, 'device')}, but ${usable} ${usable === 1 ? 'is' : 'are'} available.`;
}
