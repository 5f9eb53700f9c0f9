// Whether an experiment can run on the devices of the lab.

import { plain, plural } from './format.js';

/** How many devices an experiment takes that does not state it. */
export const ONE_DEVICE = { min: 1, max: 1 };

export const isUsable = ({ state }) => state !== 'unavailable';

/** Why an experiment ({name, devices: {min, max}}) cannot run on `devices`, worded like the server's error; null when it
 * can. */
export function unmetRequirement(devices, { name, devices: range }) {
  const { min } = range ?? ONE_DEVICE;
  const usable = devices.filter(isUsable).length;
  if (usable >= min) return null;
  return `${name} needs at least ${plural(min, 'device')}, but ${plain(usable)} ${usable === 1 ? 'is' : 'are'} available.`;
}
