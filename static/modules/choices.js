// What the user has chosen in a view, such as its tab, the scale of an axis or hidden lines. Choices are the query of
// the address, so that a link or the back button shows the view as it was. Changing one replaces the address and draws
// nothing: the caller has already updated itself.

import { replaceAddress } from './router.js';

/** The choices of `route` (of a view, see router.js): {get(name), set({name: value, …})}. `defaults` are the values of
 * choices that the address does not name; a choice that equals its default, or is empty, is not written. Values are
 * strings. */
export function choicesOf({ path, query }, defaults = {}) {
  const values = new URLSearchParams(query);
  return {
    get: (name) => values.get(name) ?? defaults[name] ?? '',
    set(changes) {
      for (const [name, value] of Object.entries(changes)) {
        if (value === '' || value === null || value === undefined || value === defaults[name]) values.delete(name);
        else values.set(name, value);
      }
      replaceAddress(`${path}${values.size ? `?${values}` : ''}${location.hash}`);
    },
  };
}

/** Choices like those of choicesOf, kept in memory only, for a part on a page that does not put them into its
 * address. */
export function choicesInMemory(defaults = {}) {
  const values = new Map();
  return {
    get: (name) => values.get(name) ?? defaults[name] ?? '',
    set(changes) {
      for (const [name, value] of Object.entries(changes)) values.set(name, value ?? '');
    },
  };
}
