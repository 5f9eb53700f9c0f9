// Who uses the page, and what the person may do.

import * as api from './api.js';
import * as events from './events.js';

const changes = new EventTarget();
const UNKNOWN = { name: null, role: null, tokens_demanded: false };
let request = null;

/** {name, role, tokens_demanded} as in the API. Fetched once, and again after each change of the connection. While the
 * lab does not answer, name and role are null. */
export function person() {
  request ??= api.session().catch(() => {
    request = null;
    return UNKNOWN;
  });
  return request;
}

/** To be called when another person uses the page from now on. */
export function personChanged() {
  request = null;
  changes.dispatchEvent(new Event('change'));
}

/** Calls `watcher()` whenever the person may have changed, until `signal` is aborted. */
export const watchPerson = (watcher, signal) => changes.addEventListener('change', watcher, { signal });

events.on('connection', personChanged);

const RANKS = ['anonymous', 'participant', 'viewer', 'operator', 'admin'];

/** Whether someone with `role` may do what needs the role `needed`. */
export const allows = (role, needed) => RANKS.indexOf(role) >= RANKS.indexOf(needed);

/** Whether someone with `role` may run experiments and own kernels. */
export const maySubmit = (role) => role === 'participant' || allows(role, 'operator');
