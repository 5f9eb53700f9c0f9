// Finds and replaces a text in another one.

const escaped = (text) => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');

/** Where `wanted` is in `text`: [{from, to}] in order, without overlaps; [] for an empty one. */
export const findAll = (text, wanted, { matchCase }) =>
  wanted
    ? Array.from(text.matchAll(new RegExp(escaped(wanted), matchCase ? 'gu' : 'giu')), ({ 0: found, index }) => ({
        from: index,
        to: index + found.length,
      }))
    : [];

/** The index of the first place that begins at `position` or later, else of the first; −1 without any. */
export function nextOf(places, position) {
  const at = places.findIndex(({ from }) => from >= position);
  return at < 0 && places.length ? 0 : at;
}

/** The index of the last place that begins before `position`, else of the last; −1 without any. */
export function previousOf(places, position) {
  const at = places.findLastIndex(({ from }) => from < position);
  return at < 0 ? places.length - 1 : at;
}

/** The text with `replacement` at each of the places. */
export function replaceAt(text, places, replacement) {
  const parts = places.map(({ from }, at) => text.slice(places[at - 1]?.to ?? 0, from) + replacement);
  return parts.join('') + text.slice(places.at(-1)?.to ?? 0);
}
