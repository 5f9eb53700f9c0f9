// The ideal line for speedup and efficiency over the number of devices.

const IDEALS = {
  speedup: { at: (count) => count, text: 'N devices are N times as fast as one' },
  efficiency: { at: () => 1, text: 'efficiency 1' },
};

/** {at(x), text} for a view; null for a view without an ideal. */
export const idealOf = ({ metric, x }) => (x === 'device_count' ? (IDEALS[metric] ?? null) : null);
