// What a figure would be if nothing were lost: the line that speedup and efficiency over devices are held against.

const IDEALS = {
  speedup: { at: (count) => count, words: 'N devices are N times as fast' },
  efficiency: { at: () => 1, words: 'nothing is lost' },
};

/** {at(x), words} of a view, null where it has none. */
export const idealOf = ({ metric, x }) => (x === 'device_count' ? (IDEALS[metric] ?? null) : null);
