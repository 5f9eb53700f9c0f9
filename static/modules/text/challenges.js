// Challenges in words: until when they are open, what scores, and the places of their rankings.

import { dateTime, percent, quantity, UNKNOWN } from './format.js';

const SCORES = {
  time: 'the shortest time',
  peak: 'the largest share of the device’s peak',
};

/** What ranks submissions. */
export const scoreText = (score) => SCORES[score] ?? score;

/** "Open until 3 Dec 2026, 14:00:00"; `opens_at` and `closes_at` may be null or absent. */
export function openText({ open, opens_at: opens, closes_at: closes }, now = Date.now()) {
  if (open) return closes ? `Open until ${dateTime(closes)}` : 'Open';
  return opens && Date.parse(opens) > now ? `Opens ${dateTime(opens)}` : `Closed${closes ? ` since ${dateTime(closes)}` : ''}`;
}

/** A value of a ranking in its unit; a share as percent. */
export function scoreValue(value, { score, unit }) {
  if (!Number.isFinite(value)) return UNKNOWN;
  if (score === 'peak') return percent(value, 4);
  return quantity(value, unit);
}

/** Between which values the one of a place is; null where that is not known. */
export const spreadText = ({ lo, hi }, ranking) =>
  Number.isFinite(lo) && Number.isFinite(hi) ? `${scoreValue(lo, ranking)} to ${scoreValue(hi, ranking)}` : null;
