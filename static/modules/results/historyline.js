// The history of a figure as a line of a small chart.

const SPREAD_MIN = 0.05; // of the median: smaller differences do not fill the height, because runs always vary a little
export const RUNS_MIN = 3; // fewer runs say nothing about how a figure changes

/** {segment, low, high, count} of the values of GET /series, newest first; null of too few. `segment` are [x, y] from 0
 * to 1, oldest first; the height covers the values, and at least 5 % to each side of their middle. */
export function historyLine(values) {
  const list = values.map(({ median }) => median).filter(Number.isFinite).reverse();
  if (list.length < RUNS_MIN) return null;
  const [low, high] = [Math.min(...list), Math.max(...list)];
  const middle = (low + high) / 2;
  const half = Math.max((high - low) / 2, SPREAD_MIN * Math.abs(middle));
  const segment = list.map((value, at) => [at / (list.length - 1), half > 0 ? (value - middle + half) / (2 * half) : 0.5]);
  return { segment, low, high, count: list.length };
}
