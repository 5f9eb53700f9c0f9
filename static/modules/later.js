// Loads what the page of a run does not need for its first chart: rest.js, when something of it is first used.

import { Unreachable } from './lab/api.js';

/** A promise of the module rest.js. */
export const loadRest = () =>
  import('./rest.js').catch((error) => {
    throw new Unreachable(error);
  });

/** The function `name` of rest.js as one that can be called before it is loaded: it returns a promise. */
export const later = (name) => async (...values) => (await loadRest())[name](...values);
