// The version of the lab, and whether it is another one than when the page was loaded.

import * as api from './api.js';
import * as events from './events.js';

let request = null;
let loaded = null; // the version that the page was loaded from
let current = null;

/** {version, commit, …} of the lab. Fetched once, and again after each change of the connection. */
export function version() {
  request ??= api.version().then(
    (build) => {
      current = build;
      loaded ??= build;
      return build;
    },
    (error) => {
      request = null;
      throw error;
    },
  );
  return request;
}

events.on('connection', () => {
  request = null;
});

const keyOf = (build) => `${build.version} ${build.commit}`;

/** Whether the lab was updated since the page was loaded: the page's modules may no longer fit the lab. */
export const isOutdated = () => loaded !== null && keyOf(loaded) !== keyOf(current);

/** Whether the version that the page was loaded from is known, so that another one can be noticed. */
export const isVersionKnown = () => loaded !== null;
