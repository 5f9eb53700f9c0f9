// Hidden series as a text for the address: the values of each series' axes, such as "h2d.pinned d2h.pinned".

/** The values in the key of a series (series.js). */
const textOf = (key) =>
  JSON.parse(key)
    .map(([, value]) => String(value).replace(/\s+/g, '-'))
    .join('.');

/** The text of a set of keys. */
export const hiddenText = (keys) => [...keys].map(textOf).join(' ');

/** The keys of those of `series` that the text names. */
export function hiddenKeys(text, series) {
  const named = new Set(text.split(' '));
  return new Set(series.map(({ key }) => key).filter((key) => text && named.has(textOf(key))));
}
