// The median of what the page itself puts together; that of samples comes from the API.

/** The middle one of the sorted values, or the mean of the two in the middle. */
export function medianOf(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  return Number.isInteger(middle) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[Math.floor(middle)];
}
