// The ideal of speedup and efficiency over the number of devices, drawn as a line for comparison.

/** By metric: at(count) is the ideal value for `count` devices, `text` says it in words. */
const IDEALS = {
  speedup: { at: (count) => count, text: 'N devices are N times as fast as one' },
  efficiency: { at: () => 1, text: 'efficiency 1' },
};

/** The ideal {at(count), text} for the values that a view shows; null if they have none. */
export const idealOf = ({ metric, x }) => (x === 'device_count' ? (IDEALS[metric] ?? null) : null);
