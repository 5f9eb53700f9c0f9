// The verdicts of a comparison (GET /compare) as texts.

import { plural, significant } from '../text/format.js';
import { titleFromName } from '../text/displaynames.js';

/** The points that have a verdict; the other metrics of a point are computed from the same samples. */
export const decidedPoints = (points) => points.filter(({ verdict }) => verdict !== null);

/** "Faster at 3 points, the same at 1 point" */
export function summaryText(summary) {
  const words = { faster: 'faster', slower: 'slower', same: 'the same', unclear: 'unclear' };
  const parts = Object.entries(words)
    .filter(([name]) => summary[name])
    .map(([name, word]) => `${word} at ${plural(summary[name], 'point')}`);
  const text = parts.join(', ') || 'no point in common';
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** "2.11 (2.107 to 2.111)"; without an interval only the ratio. */
export function ratioText({ ratio, low, high }) {
  if (typeof ratio !== 'number') return '–';
  if (typeof low !== 'number' && typeof high !== 'number') return significant(ratio);
  const limit = (value, none) => (typeof value === 'number' ? significant(value) : none);
  return `${significant(ratio)} (${limit(low, '0')} to ${limit(high, '∞')})`;
}

/** What the base of a run with `compare_with` changes: "memory pageable", "another experiment: stream". */
export function changesOf({ experiment, devices, parameters, compare_with: base }) {
  const changed = Object.entries(base.parameters ?? {})
    .filter(([name, value]) => JSON.stringify(parameters[name]) !== JSON.stringify(value))
    .map(([name, value]) => `${titleFromName(name).toLowerCase()} ${[value].flat().join(', ')}`);
  const ids = (list) => (list ?? []).map(({ id }) => id).join();
  const parts = [
    base.experiment !== experiment ? `experiment ${base.experiment}` : null,
    ids(base.devices) !== ids(devices) ? (base.devices ?? []).map(({ id, name }) => name ?? id).join(', ') : null,
    ...(base.experiment === experiment ? changed : []),
  ].filter(Boolean);
  return parts.join(', ') || 'the same request';
}
