// Whether an experiment can run on the devices of the lab: one machine must have a minimum number of them.

import { plural } from '../text/format.js';

/** How many devices an experiment takes that does not state it. */
export const ONE_DEVICE = { min: 1, max: 1 };

export const isUsable = ({ state }) => state !== 'unavailable';

/** Why an experiment (its document of the API) cannot run on `devices`; null if it can. */
export function unmetRequirement(devices, { devices: range }) {
  const { min } = range ?? ONE_DEVICE;
  const counts = new Map(devices.map(({ node }) => [node, 0]));
  for (const { node } of devices.filter(isUsable)) counts.set(node, counts.get(node) + 1);
  const most = Math.max(0, ...counts.values());
  if (most >= min) return null;
  const needed = `Needs at least ${plural(min, 'device')}`;
  if (counts.size > 1) return `${needed} of one machine, but each has at most ${most}.`;
  return `${needed}, but ${most} ${most === 1 ? 'is' : 'are'} available.`;
}
