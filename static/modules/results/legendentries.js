// The entries of a legend: each tells apart what nothing else in the chart does.

import { labelledValue } from '../text/displaynames.js';

/** Returns [{keys, label, one}]: the keys of the series of an entry, and the series that its sample shows. Bars have
 * labels and differ only in colour, so those with the same value of the axis `coloured` share an entry; other kinds
 * have one for each series. */
export function legendEntries({ series, coloured }, kind) {
  if (kind !== 'bars' || !coloured) return series.map((one) => ({ keys: [one.key], label: one.label, one }));
  const entries = new Map(); // by value
  for (const one of series) {
    const value = one.axes[coloured.name];
    if (!entries.has(value)) entries.set(value, { keys: [], label: labelOfColour(coloured, value), one });
    entries.get(value).keys.push(one.key);
  }
  return [...entries.values()];
}

const labelOfColour = (axis, value) => (value === undefined ? `${axis.title.toLowerCase()}: not applicable` : labelledValue(axis, value));

/** Whether the entries only repeat the labels of bars: each bar has an entry of its own. */
export const repeatsBars = (entries, { series }) =>
  entries.length === series.length && series.every(({ points }) => points.length === 1);
