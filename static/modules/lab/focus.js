// The device in focus: the one whose results the first page and the lessons show. The address names it; otherwise it is
// the one that the user has chosen last, which the browser keeps.

import { keep, kept } from '../storage.js';

const KEPT = 'device';

/** The id of the device in focus; '' for none: each experiment then shows the result that stands for it. `query` is the
 * query of the address. */
export function focusedDevice(query) {
  const chosen = query.get('device') ?? kept(KEPT);
  return typeof chosen === 'string' ? chosen.split(',')[0] : '';
}

/** Keeps the device that the user has chosen; '' for none. */
export const keepFocus = (id) => keep(KEPT, id || null);
