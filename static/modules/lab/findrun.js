// Runs by a part of their ids: addresses may have the short id that the page shows.

import * as api from './api.js';

const ID_LENGTH = 36;

/** Whether `id` begins or ends with `part`, ignoring case. */
export function isPartOfId(id, part) {
  const text = part.toLowerCase();
  return id.startsWith(text) || id.endsWith(text);
}

export const isWholeId = (part) => part.length >= ID_LENGTH;

/** The id of the only run whose id begins or ends with `part`. Rejects with a Problem (404) where no run has it, or
 * several have. */
export async function wholeRunId(part, signal) {
  const { runs } = await api.runs({ q: part, limit: 20 }, signal);
  const found = runs.filter(({ id }) => isPartOfId(id, part));
  if (found.length === 1) return found[0].id;
  const detail = found.length
    ? `The ids of several runs begin or end with “${part}”: ${found.map(({ id }) => id).join(', ')}.`
    : `No run of this lab has an id that is, begins or ends with “${part}”.`;
  throw new api.Problem(404, { title: 'Run not found', detail });
}
