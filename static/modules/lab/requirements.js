// Whether an experiment can run on the devices of the lab: one machine must have a minimum number of them, or several
// machines together where a run may have devices of several.

import { plural } from '../text/format.js';

/** How many devices an experiment takes that does not state it. */
export const ONE_DEVICE = { min: 1, max: 1 };

export const isUsable = ({ state }) => state !== 'unavailable';

/** The devices that a run on several machines can have; none where the experiment has no such runs or fewer than two
 * machines have such devices. `range` is that of the experiment's document. */
export function spanningDevices(devices, range) {
  const able = range.several_machines ? devices.filter((device) => isUsable(device) && device.backend === 'cuda') : [];
  return new Set(able.map(({ node }) => node)).size > 1 ? able : [];
}

/** Why an experiment (its document of the API) cannot run on `devices`; null if it can. */
export function unmetRequirement(devices, { devices: range = ONE_DEVICE }) {
  const { min } = range;
  const counts = new Map(devices.map(({ node }) => [node, 0]));
  for (const { node } of devices.filter(isUsable)) counts.set(node, counts.get(node) + 1);
  const most = Math.max(0, ...counts.values());
  if (most >= min || spanningDevices(devices, range).length >= min) return null;
  const needed = `Needs at least ${plural(min, 'device')}`;
  if (counts.size > 1) return `${needed} of one machine, but each has at most ${most}.`;
  return `${needed}, but ${most} ${most === 1 ? 'is' : 'are'} available.`;
}
