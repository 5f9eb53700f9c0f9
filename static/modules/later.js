// Loads what the page of a run does not need for its first chart, when something of it is first used: rest.js, and the
// styles that index.html marks as later.

import { h } from './dom.js';
import { Unreachable } from './lab/api.js';

let styles = null; // a promise of the later styles

/** Adds the later styles, which the bundle has in a file of their own; plain modules have none: index.html loads them
 * at once. */
function loadStyles() {
  const named = document.querySelector('meta[name=later-styles]');
  if (!named) return null;
  const link = h('link', { rel: 'stylesheet', href: named.content });
  return new Promise((resolve, reject) => {
    link.addEventListener('load', resolve);
    link.addEventListener('error', () => {
      link.remove();
      reject(new Error(`${named.content} cannot be loaded`));
    });
    named.after(link);
  });
}

/** A promise of the module rest.js, whose styles are there. */
export async function loadRest() {
  try {
    const [rest] = await Promise.all([import('./rest.js'), (styles ??= loadStyles())]);
    return rest;
  } catch (error) {
    styles = null;
    throw new Unreachable(error);
  }
}

/** The function `name` of rest.js as one that can be called before it is loaded: it returns a promise. */
export const later = (name) => async (...values) => (await loadRest())[name](...values);
