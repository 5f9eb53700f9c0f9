// Whether an experiment can run on the devices of the lab.

import { plain, plural } from './format.js';

/** The range for an experiment that does not state one. */
export const ONE_DEVICE = { min: 1, max: 1 };

export const isUsable = ({ state }) => state !== 'unavailable';

const are = (count) => (count === 1 ? 'is' : 'are');

/** Why an experiment that takes `range` ({min, max}) devices cannot run on `devices`, worded like the server's error;
 * null when it can. */
export function unmetRequirement(devices, range) {
  const { min } = range ?? ONE_DEVICE;
  const usable = devices.filter(isUsable).length;
  if (usable >= min) return null;
  return `${plural(min, 'device')} ${are(min)} needed, but only ${plain(usable)} ${are(usable)} available.`;
}
