// The data of a comparison (GET /compare) for its sentence, charts and table.

import { plain, plural, significant } from '../text/format.js';
import { medianOf } from './median.js';
import { labelOf, seriesOf, splitAxes } from './series.js';

export const VERDICTS = ['slower', 'faster', 'same', 'unclear'];

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

const metricText = ({ metric, ratio }, metricTitle) => `${metricTitle(metric).toLowerCase()} ${ratioText(ratio)}`;

/** The sides whose samples the lab does not have, and at how many points nothing can be judged without: {sides, count}; null
 * where all have samples. */
export function missingSamples({ samples_missing: missing }) {
  const sides = ['base', 'head'].filter((side) => missing?.[side] > 0);
  return sides.length ? { sides, count: Math.max(missing.base, missing.head) } : null;
}

/** The answer in a sentence, such as "Head is faster at 12 of 20 points and slower at 1; median bandwidth 1.03×."
 * `metricTitle(name)` returns the title of a metric. */
export function summaryText(comparison, metricTitle) {
  const { points, summary } = comparison;
  const total = decided(points).length;
  if (!total) return 'The two have no point in common.';
  const missing = missingSamples(comparison);
  if (missing?.count >= summary.unclear && summary.unclear === total) return `No verdict for ${plural(total, 'point')}: samples are missing.`;
  const at = (count, word) => `${word} at ${count === total ? 'all' : plain(count)} of ${plural(total, 'point')}`;
  const { faster, slower, same, unclear } = summary;
  if (total === 1 && faster + slower) return `Head is ${faster ? 'faster' : 'slower'}: ${metricText(medianRatios(points)[0], metricTitle)}.`;
  const changed = [faster ? at(faster, 'faster') : '', slower ? at(slower, 'slower') : ''].filter(Boolean).join(' and ');
  const rest = changed
    ? `Head is ${changed}`
    : total === same
      ? `Head is as fast as base at all of ${plural(total, 'point')}`
      : `No point is clearly faster or slower: ${same ? `${plain(same)} the same, ` : ''}${plain(unclear)} unclear`;
  const [first] = medianRatios(points);
  return `${rest}${first ? `; median ${metricText(first, metricTitle)}` : ''}.`;
}

/** Why points are unclear: [{reason, count}], the most frequent first. */
export function reasonsOf(points) {
  const counts = new Map();
  for (const { reason } of points) if (reason) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return [...counts].map(([reason, count]) => ({ reason, count })).sort((a, b) => b.count - a.count);
}

/** The axes that distinguish some points, and those that all have in common, as of series.js. */
export const axesOf = (points, axes) => splitAxes(points, axes, null);

/** The facts that all points of a comparison have in common: [{axis, value}], without those in which the sides of a run that
 * compares differ. */
export function commonFacts({ points, head }, axes) {
  const other = head.compare_with?.parameters ?? head.parameters ?? {};
  const differs = (name) => JSON.stringify(other[name]) !== JSON.stringify(head.parameters?.[name]);
  return axesOf(points, axes).constant.filter(({ axis }) => !differs(axis.name));
}

/** The name of a point: its values of the axes that vary. */
export const pointName = (point, varying) => labelOf(point, varying, 'the only point');

/** The views whose points can be drawn as curves: of kind `line`, with at least two numbers on the axis. */
export function curveViews(views, points) {
  return views.filter(({ kind, metric, x }) => {
    if (kind !== 'line') return false;
    const xs = new Set(points.filter((point) => point.metric === metric).map(({ axes }) => axes[x]));
    xs.delete(undefined);
    return xs.size > 1 && [...xs].every((value) => typeof value === 'number');
  });
}

/** The curves of a view: [{key, label, colour, marker, points: [{x, point}]}]; `point` is one of the comparison. The same
 * colour is that of both sides. */
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

/** The range of a logarithmic axis of ratios, where half and double are equally far from 1: all ratios, and intervals unless they
 * would make the axis more than three times as long; 1 is always within. */
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

/** Which ends of an interval are beyond a range of ratios, or not limited: {low, high}; none of a point without an interval. */
export function cutEnds({ low, high }, [from, to]) {
  if (low === null && high === null) return { low: false, high: false };
  return { low: low === null || low < from, high: high === null || high > to };
}
