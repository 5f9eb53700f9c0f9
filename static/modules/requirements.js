// Whether an experiment can run on the devices that the lab has.

import { plain, plural } from './format.js';

/** How many devices an experiment takes that does not say. */
export const ONE = { min: 1, max: 1 };

export const isUsable = ({ state }) => state !== 'unavailable';

const are = (count) => (count === 1 ? 'is' : 'are');

/** Why an experiment that takes `range` ({min, max}) devices cannot run on these, in the words in which the lab refuses
 * it; null when it can. */
export function whyNot(devices, range) {
  const { min } = range ?? ONE;
  const usable = devices.filter(isUsable).length;
  if (usable >= min) return null;
  return `${plural(min, 'device')} ${are(min)} needed, but only ${plain(usable)} ${are(usable)} available.`;
}
