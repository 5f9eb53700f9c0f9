// Starts runs so that none is started twice.

import * as api from './api.js';

/** Returns a function start(body), which returns a promise of the id of the run that send(body, key) starts. The same
 * body sent again after a lost answer starts no second run, because the key is the same. */
export function submission(send = api.start) {
  let last = { text: '', key: '' }; // the last body sent, and its idempotency key
  return async (body) => {
    const text = JSON.stringify(body);
    if (last.text !== text) last = { text, key: api.freshKey() };
    const { id } = await send(body, last.key);
    last = { text: '', key: '' };
    return id;
  };
}
