// The ideal of speedup and efficiency over the number of devices, drawn as a line for comparison.

/** By metric: at(count) is the ideal value for `count` devices, `name` stands beside its line, `text` says it in
 * words. */
const IDEALS = {
  speedup: { name: 'ideal', at: (count) => count, text: 'N devices are N times as fast as one' },
  efficiency: { name: 'ideal', at: () => 1, text: 'efficiency 1' },
};

/** The ideal {name, at(count), text} for the values that a view shows; null if they have none. */
export const idealOf = ({ metric, x }) => (x === 'device_count' ? (IDEALS[metric] ?? null) : null);
