// The verdicts of a comparison (GET /compare) as texts.

import { parameterGroup } from '../text/environment.js';
import { plural, significant } from '../text/format.js';

/** The points that have a verdict; the other metrics of a point are computed from the same samples. */
export const decidedPoints = (points) => points.filter(({ verdict }) => verdict !== null);

/** "Faster at 3 points, the same at 1 point"; of one point "Faster: 2.109 times the bandwidth". `points` are those with a verdict,
 * `metricTitle(name)` returns the title of a metric. */
export function summaryText(summary, points, metricTitle) {
  if (points.length === 1) {
    const [{ verdict, ratio, metric }] = points;
    const text = typeof ratio === 'number' ? `: ${significant(ratio)} times the ${metricTitle(metric).toLowerCase()}` : '';
    return `${verdict.charAt(0).toUpperCase()}${verdict.slice(1)}${text}`;
  }
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

/** What the base of a run with `compare_with` changes: "host memory: pageable", "experiment stream"; '' if nothing. `fields` are
 * those of the experiment's form. */
export function changesOf({ experiment, devices, parameters, kernel, compare_with: base }, fields) {
  const different = Object.entries(base.parameters ?? {}).filter(
    ([name, value]) => JSON.stringify(parameters[name]) !== JSON.stringify(value),
  );
  const { facts } = parameterGroup(Object.fromEntries(different), fields);
  const changed = facts.map(({ title, text }) => `${title.toLowerCase()}: ${text}`);
  const ids = (list) => (list ?? []).map(({ id }) => id).join();
  const parts = [
    JSON.stringify(base.kernel ?? null) !== JSON.stringify(kernel ?? null) ? kernelText(base.kernel) : null,
    base.experiment !== experiment ? `experiment ${base.experiment}` : null,
    ids(base.devices) !== ids(devices) ? (base.devices ?? []).map(({ id, name }) => name ?? id).join(', ') : null,
    ...(base.experiment === experiment ? changed : []),
  ].filter(Boolean);
  return parts.join(', ');
}

const kernelText = (kernel) => (kernel ? 'another text of the kernel' : 'the original kernel');
