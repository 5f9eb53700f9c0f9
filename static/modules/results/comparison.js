// The data of a comparison (GET /compare) for its sentence, charts and table.

import { percent, plain, plural, significant } from '../text/format.js';
import { medianOf } from './median.js';
import { labelOf, seriesOf, splitAxes } from './series.js';

export const VERDICTS = ['slower', 'faster', 'same', 'unclear'];

/** A minimum effect as text: "1 %". */
export const effectText = (effect) => `${plain(100 * effect)}\u00a0%`;

/** The points that have a verdict: one metric of each point decides. */
export const decided = (points) => points.filter(({ verdict }) => verdict);

/** A ratio of head to base as text, always with as many digits: "1.031×", "0.9940×". */
export const ratioText = (ratio) => (ratio === null ? '–' : `${significant(ratio)}×`);

/** An interval of ratios as text; where nothing limits it, says so. */
export const intervalText = ({ low, high }) =>
  low === null && high === null ? 'no interval' : `${low === null ? '…' : ratioText(low)} to ${high === null ? '…' : ratioText(high)}`;

/** The median ratio of each metric that decides: [{metric, ratio}], those with most points first. */
export function medianRatios(points) {
  const ratios = new Map();
  for (const { metric, ratio } of decided(points))
    if (ratio !== null) ratios.set(metric, [...(ratios.get(metric) ?? []), ratio]);
  return [...ratios]
    .sort(([, a], [, b]) => b.length - a.length)
    .map(([metric, list]) => ({ metric, ratio: medianOf(list) }));
}

/** The sides whose samples the lab does not have, and at how many points nothing can be judged without: {sides, count};
 * null where all have samples. */
export function missingSamples({ samples_missing: missing }) {
  const sides = ['base', 'head'].filter((side) => missing?.[side] > 0);
  return sides.length ? { sides, count: Math.max(missing.base, missing.head) } : null;
}

/** The verdict of the whole comparison, and at how many points it holds: "Slower at 2 of 24 points, unclear at 1;
 * median bandwidth 0.9940×", "Same: no point differs by more than 1 %", of one point "Faster: bandwidth 2.109×".
 * `metricTitle(name)` returns the title of a metric. */
export function summaryText({ points, verdict, summary, minimum_effect: effect }, metricTitle) {
  const total = decided(points).length;
  if (!total) return points.length ? 'No point in common can be judged' : 'No point in common';
  const [first] = medianRatios(points);
  const ratio = first ? `${metricTitle(first.metric).toLowerCase()} ${ratioText(first.ratio)}` : '';
  const word = `${verdict.charAt(0).toUpperCase()}${verdict.slice(1)}`;
  if (total === 1) return [word, ratio].filter(Boolean).join(': ');
  const others = VERDICTS.filter((one) => one !== verdict && one !== 'same' && summary[one]);
  const all = summary[verdict] === total ? `all ${plural(total, 'point')}` : `${plain(summary[verdict])} of ${plural(total, 'point')}`;
  const answer = verdict === 'same' ? `Same: no point differs by more than ${effectText(effect)}` : `${word} at ${all}`;
  const counts = [answer, ...others.map((one) => `${one} at ${plain(summary[one])}`)].join(', ');
  return [counts, ratio && `median ${ratio}`].filter(Boolean).join('; ');
}

const DETECTABLE_MAX = 1; // a larger difference says only that the samples decide nothing

/** The smallest difference that would have been called faster or slower: "1.4 %", "over 100 %"; '' where it is not
 * known. */
export function detectableText({ detectable }) {
  if (typeof detectable !== 'number') return '';
  return detectable > DETECTABLE_MAX ? `over ${percent(DETECTABLE_MAX, 3)}` : percent(detectable);
}

const NEEDED_MAX = 100; // a point that needs more is too close to the minimum effect

/** How many times the time budget would probably decide a point that is unclear: "3.4×"; '' where it cannot be said. */
export function neededText({ needed }) {
  if (!needed) return '';
  return needed > NEEDED_MAX ? `over ${NEEDED_MAX}×` : `${plain(Number(needed.toPrecision(2)))}×`;
}

/** Why points are unclear: [{reason, count, needed}], the most frequent first; `needed` is that of the point that needs
 * most. */
export function reasonsOf(points) {
  const found = new Map();
  for (const { reason, needed } of points.filter((one) => one.reason)) {
    const before = found.get(reason) ?? { count: 0, needed: 0 };
    found.set(reason, { count: before.count + 1, needed: Math.max(before.needed, needed ?? 0) });
  }
  return [...found].map(([reason, rest]) => ({ reason, ...rest })).sort((a, b) => b.count - a.count);
}

/** The axes that distinguish some points, and those that all have in common, as of series.js. */
export const axesOf = (points, axes) => splitAxes(points, axes, null);

/** The facts that all points of a comparison have in common: [{axis, value}], without those in which the sides of a run
 * that compares differ. */
export function commonFacts({ points, head }, axes) {
  const other = head.compare_with?.parameters ?? head.parameters ?? {};
  const differs = (name) => JSON.stringify(other[name]) !== JSON.stringify(head.parameters?.[name]);
  return axesOf(points, axes).constant.filter(({ axis }) => !differs(axis.name));
}

/** The name of a point: its values of the axes that vary. */
export const pointName = (point, varying) => labelOf(point, varying, 'the only point');

/** The hardware counters that differ, also of points without a verdict, as the kernels of a program are:
 * [{point, title, unit, base, head, ratio}], those of a point together; `ratio` is head / base, null where the base is
 * 0. */
export const counterChangesOf = (points) =>
  points.flatMap((point) =>
    (point.counters ?? []).map(({ title, unit, base, head }) => ({ point, title, unit, base, head, ratio: base ? head / base : null })),
  );

/** The views whose points can be drawn as curves: of kind `line`, with at least two numbers on the axis. */
export function curveViews(views, points) {
  return views.filter(({ kind, metric, x }) => {
    if (kind !== 'line') return false;
    const xs = new Set(points.filter((point) => point.metric === metric).map(({ axes }) => axes[x]));
    xs.delete(undefined);
    return xs.size > 1 && [...xs].every((value) => typeof value === 'number');
  });
}

/** The curves of a view: [{key, label, colour, marker, points: [{x, point}]}]; `point` is one of the comparison. The
 * same colour is that of both sides. */
export function curvesOf(view, points, axes) {
  const measurements = points.map((point) => ({ ...point, ...point.head, point }));
  const { series, constant } = seriesOf(view, measurements, axes);
  const curves = series.map(({ key, label, points: list }, index) => ({
    key,
    label,
    colour: index % 8,
    marker: Math.floor(index / 8) % 5,
    points: list.map(({ x, measurement }) => ({ x, point: measurement.point })),
  }));
  return { curves, constant };
}

const INTERVAL_SPACE = 0.1; // how far, as a logarithm, intervals may widen the axis of ratios that are close to each other

/** The range of a logarithmic axis of ratios, where half and double are equally far from 1: all ratios, and intervals
 * unless they would make the axis more than three times as long; 1 is always within. */
export function ratioRange(points) {
  const logarithms = (values) => values.filter((value) => value > 0).map(Math.log);
  const ratios = logarithms(points.map(({ ratio }) => ratio));
  const ends = logarithms(points.flatMap(({ low, high }) => [low, high]));
  const [least, most] = [Math.min(0, ...ratios), Math.max(0, ...ratios)];
  const space = Math.max(INTERVAL_SPACE, most - least);
  const low = Math.max(least - space, Math.min(least, ...ends));
  const high = Math.min(most + space, Math.max(most, ...ends));
  const margin = (high - low) * 0.06 || 0.02;
  return [Math.exp(low - margin), Math.exp(high + margin)];
}

/** Which ends of an interval are beyond a range of ratios, or not limited: {low, high}; none of a point without an
 * interval. */
export function cutEnds({ low, high }, [from, to]) {
  if (low === null && high === null) return { low: false, high: false };
  return { low: low === null || low < from, high: high === null || high > to };
}
