// The sizes of a device's caches, drawn as lines in charts over the size of the working set.

import { bytes } from '../text/format.js';

/** By property of a device: the name of the cache, for GPUs and for the host runtime. */
const CACHES = [
  ['shared_per_multiprocessor_bytes', { cuda: 'L1/shared' }],
  ['l2_bytes', { cuda: 'L2', host: 'last-level cache' }],
];

/** Whether a view's axis is the size of the data that a kernel accesses repeatedly. */
export const isWorkingSet = (axisName) => axisName === 'working_set';

/** The caches of a run's devices (rundevices.js), the smallest first: [{bytes, text}]; equal ones once. */
export function cacheSizesOf(devices) {
  const sizes = new Map();
  for (const { backend, properties } of devices)
    for (const [property, names] of CACHES)
      if (names[backend] && properties[property] > 0)
        sizes.set(`${names[backend]} ${bytes(properties[property])}`, properties[property]);
  return [...sizes].map(([text, size]) => ({ bytes: size, text })).sort((a, b) => a.bytes - b.bytes);
}
