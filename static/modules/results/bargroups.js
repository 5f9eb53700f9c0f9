// Prepares series (series.js) for a bar chart: a bar for each point, in groups where there are several values of the
// axis or too many bars for one list.

import { labelledValue } from '../text/displaynames.js';
import { labelOf } from './series.js';

const BARS_MAX = 24; // a chart with more bars in groups shows one bar for each group until the group is opened

/** Returns {groups: [{key, title, bars, best}], collapsed}. A bar is {one: series, x, measurement, label}; `best` is
 * the bar of a group with the best correct result. With several values of `axis`, there is a group for each; otherwise,
 * where there are too many bars, one for each value of the axis `coloured`. A single group has the title null. If
 * `collapsed`, groups show only their best bar until they are opened. `varying` are the axes that distinguish the
 * series. */
export function barGroups(series, { axis, metric, varying, coloured }) {
  const bars = series.flatMap((one) => one.points.map(({ x, measurement }) => ({ one, x, measurement, label: one.label })));
  const xs = new Set(bars.map(({ x }) => x));
  const byX = xs.size > 1 && series.length > 1 && series.some(({ points }) => points.length > 1);
  const byColour = !byX && coloured && varying.length > 1 && bars.length > BARS_MAX;
  if (!byX && !byColour) return { groups: [groupOf('', null, bars, metric)], collapsed: false };
  const by = byX ? axis : coloured;
  const others = varying.filter((one) => one !== coloured);
  const lists = new Map();
  for (const bar of bars) {
    const value = byX ? bar.x : bar.measurement.axes[coloured.name];
    if (!lists.has(value)) lists.set(value, []);
    lists.get(value).push(byX ? bar : { ...bar, label: labelOf(bar.measurement, others) });
  }
  const groups = [...lists].map(([value, list]) => groupOf(String(value), labelledValue(by, value), list, metric));
  return { groups, collapsed: bars.length > BARS_MAX };
}

function groupOf(key, title, bars, { better }) {
  const usable = bars.filter(({ measurement: { median, verified } }) => typeof median === 'number' && verified !== false);
  const sign = better === 'lower' ? -1 : 1;
  const best = (a, b) => (sign * b.measurement.median > sign * a.measurement.median ? b : a);
  return { key, title, bars, best: usable.length ? usable.reduce(best) : (bars[0] ?? null) };
}

const LEVEL_RATIO_MAX = 2.5; // values to compare with that are further away are not drawn

/** The values that a bar is compared with, as [{value, text, kind}]: the theoretical peak of its measurement, reference
 * results (levels.js) and the ideal. Those far above `maximum`, the longest bar, are left out. */
function barLevels({ one, x, measurement }, { maximum, ideal, levels, references }) {
  const { peak } = measurement;
  const all = [
    peak?.value > 0 ? { value: peak.value, text: `peak: ${peak.what}`, kind: 'peak' } : null,
    ...levels.filter(({ kind }) => kind === 'reference'),
    ...references
      .filter((reference) => reference.one === one && reference.x === x)
      .map(({ value, system }) => ({ value, text: `reference: ${system}`, kind: 'reference' })),
    ideal && typeof x === 'number' ? { value: ideal.at(x), text: 'ideal', kind: 'ideal' } : null,
  ];
  return all.filter((level) => level && level.value <= maximum * LEVEL_RATIO_MAX);
}

/** The scales of the groups of barGroups, by group: {maximum: value at the end of the track, levelsOf: Map of what is
 * drawn on a bar by measurement}. All groups have one scale, or `own` a scale each. */
export function barScales(groups, comparison, own) {
  if (own) return new Map(groups.map((group) => [group, scaleOf(group.bars, comparison)]));
  const scale = scaleOf(groups.flatMap(({ bars }) => bars), comparison);
  return new Map(groups.map((group) => [group, scale]));
}

function scaleOf(bars, comparison) {
  const largest = Math.max(0, ...bars.map(({ measurement: { q3, median } }) => q3 ?? median ?? 0));
  const levelsOf = new Map(bars.map((bar) => [bar.measurement, barLevels(bar, { ...comparison, maximum: largest })]));
  const levels = [...levelsOf.values()].flat().map(({ value }) => value);
  return { maximum: Math.max(largest, ...levels), levelsOf };
}
