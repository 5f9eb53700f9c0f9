// The samples of a point for drawing: in the order in which they were taken, and as a histogram over the same values.

const BINS = 48;
const MARGIN = 0.04; // of the range of values, above and below

/** Whether the lab counts a sample as an outlier of its measurement. */
export const isOutlier = ({ shape }, value) => shape !== null && (value < shape.fence_low || value > shape.fence_high);

/** The measurements whose samples belong together: that at `position` in the list of its run; in a run that compares
 * two requests both sides, the base first. Returns their positions. */
export function positionsOfSides(measurements, position) {
  const { side, metric } = measurements[position] ?? {};
  if (!side) return measurements[position] ? [position] : [];
  const isOther = (one) => one.side && one.side !== side && one.metric === metric && !one.skipped;
  // A point of the base comes directly before those of the head.
  const other = side === 'base' ? measurements.findIndex((one, at) => at > position && isOther(one)) : measurements.findLastIndex((one, at) => at < position && isOther(one));
  return other < 0 ? [position] : [position, other].sort((a, b) => a - b);
}

/** What the chart of some measurements with their samples shows: {range, bins, most, sides}, on one scale for all.
 * `range` is that of the values but outliers, `bins` is [{low, high}] from below, `most` the largest number of samples
 * in one. A side is {measurement, samples, counts, below, above}: `counts` of its bins, and how many samples lie beyond
 * the range. */
export function sampleDrawing(measurements) {
  const drawn = measurements.flatMap((one) => finite(one).filter((value) => !isOutlier(one, value)));
  const range = widened(extent(drawn.length ? drawn : measurements.flatMap(finite)));
  const width = (range[1] - range[0]) / BINS;
  const bins = Array.from({ length: BINS }, (_, index) => ({ low: range[0] + index * width, high: range[0] + (index + 1) * width }));
  const sides = measurements.map((measurement) => {
    const counts = new Array(BINS).fill(0);
    const inside = finite(measurement).filter((value) => value >= range[0] && value <= range[1]);
    for (const value of inside) counts[Math.min(BINS - 1, Math.floor((value - range[0]) / width))] += 1;
    const count = (holds) => finite(measurement).filter(holds).length;
    return { measurement, samples: measurement.samples, counts, below: count((value) => value < range[0]), above: count((value) => value > range[1]) };
  });
  return { range, bins, most: Math.max(1, ...sides.flatMap(({ counts }) => counts)), sides };
}

const finite = ({ samples }) => samples.filter(Number.isFinite);

/** The smallest and the largest of any number of values. */
const extent = (values) => values.reduce(([low, high], value) => [Math.min(low, value), Math.max(high, value)], [Infinity, -Infinity]);

function widened([low, high]) {
  if (!Number.isFinite(low)) return [0, 1];
  const margin = (high - low) * MARGIN || Math.abs(low) * 0.01 || 1;
  return [low - margin, high + margin];
}

/** The values that are marked in the chart: [{name, value}], median first; names are "median", "quartile" and
 * "level". */
export const marksOf = ({ median, q1, q3, shape }) =>
  [
    { name: 'median', value: median },
    ...[q1, q3].map((value) => ({ name: 'quartile', value })),
    ...(shape?.modes ?? []).map((value) => ({ name: 'level', value })),
  ].filter(({ value }) => Number.isFinite(value));
