// A history of runs that a test makes up: one run a day, with the medians that the test wants.
import { linesOf } from './exports.mjs';

const DAY_MS = 86_400_000;
const BYTES = [4096, 65536, 1048576];

/** Samples around `median`, always the same. */
const samplesAround = (median, count = 40) => Array.from({ length: count }, (_, at) => median * (1 + 0.0004 * ((at * 7) % 11 - 5)));

/** The figure that answers a made-up run. */
export const headlineOf = (median) => [{
  title: 'Host to device', metric: 'bandwidth', unit: 'GB/s', value: median, axes: { direction: 'h2d', bytes: BYTES.at(-1) }, lowest: false,
}];

/** The lines of runs of `transfer`, one for each of `medians` (GB/s), the last one a day ago; `fieldsOf(index)` returns
 * further fields of a run. Each has a point for every size, all with nearly the same median. */
export function historyLines(medians, fieldsOf = () => ({})) {
  const now = Date.now();
  return medians.flatMap((median, index) => {
    const at = new Date(now - DAY_MS * (medians.length - index));
    const points = BYTES.map((bytes) => ({ axes: { direction: 'h2d', bytes }, samples: samplesAround(median * (bytes === BYTES.at(-1) ? 1 : 0.9)) }));
    return linesOf({ at, n: index, headline: headlineOf(median), ...fieldsOf(index) }, points);
  });
}

/** The recorded environment of a made-up run with this driver. */
export const environmentOf = (driver) => ({
  machine: { name: 'elsewhere' }, devices: [{ id: 'GPU-1', ordinal: 0, backend: 'cuda', name: 'NVIDIA H200', properties: { driver_release: driver }, peers: [] }],
});

/** Medians about `level` that vary by 0.2 %. */
export const around = (level, count) => Array.from({ length: count }, (_, at) => level * (1 + 0.001 * ((at * 5) % 4 - 1.5)));
