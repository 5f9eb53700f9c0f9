// Prepares a view of kind "ladder" for drawing: what each optimisation step reached at one size, grouped by series (a
// type, a layout), in the order of the steps, with the vendor's library as reference.

import { orderOf } from '../text/valueorder.js';
import { keyOf } from './series.js';

/** The steps that call a library; the other steps are compared with them. */
const REFERENCE_STEPS = new Set(['cublas', 'openblas', 'library']);
export const isReference = (step) => REFERENCE_STEPS.has(step);

/** Measurements sorted by the experiment's axes (such as type, layout, step), each axis in the order of its parameter's
 * choices. */
export function inStepOrder(measurements, experiment) {
  const orders = (experiment.axes ?? []).map(({ name }) => [name, orderOf(experiment, name)]);
  const compare = (a, b) => {
    for (const [name, order] of orders) {
      const difference = order.indexOf(a.axes[name]) - order.indexOf(b.axes[name]);
      if (difference) return difference;
    }
    return 0;
  };
  return [...measurements].sort(compare);
}

/** Returns a function (metric, axes) that finds another metric at the same point: the first measurement of `metric`
 * whose axes all have the values in `axes`; undefined if there is none. The measurement may have fewer axes than
 * `axes`: a compute ceiling, for example, has no step. */
export function measurementFinder(measurements) {
  const byMetric = new Map(); // metric -> names of axes -> {axes: [{name}], first: key -> {at, measurement}}
  measurements.forEach((measurement, at) => {
    if (measurement.skipped) return;
    const names = Object.keys(measurement.axes ?? {}).sort();
    const groups = getOrSet(byMetric, measurement.metric, () => new Map());
    const group = getOrSet(groups, names.join(), () => ({ axes: names.map((name) => ({ name })), first: new Map() }));
    getOrSet(group.first, keyOf(measurement, group.axes), () => ({ at, measurement }));
  });
  return (metric, axes) => {
    let found = null;
    for (const group of byMetric.get(metric)?.values() ?? []) {
      const one = group.first.get(keyOf({ axes }, group.axes));
      if (one && (!found || one.at < found.at)) found = one;
    }
    return found?.measurement;
  };
}

function getOrSet(map, key, create) {
  if (!map.has(key)) map.set(key, create());
  return map.get(key);
}

/** The speed of a measurement as a share of the reference's, from their medians; null without a reference. `better` is
 * that of their metric. */
function shareOf({ median }, reference, better) {
  if (!(median > 0 && reference?.median > 0)) return null;
  return better === 'lower' ? reference.median / median : median / reference.median;
}

/** The step that is faster than the one before it by the largest factor: {step, factor}; null if none is faster.
 * Libraries and wrong results do not count. */
function largestJump(bars, better) {
  const steps = bars.filter(({ step, measurement }) => !isReference(step) && measurement.verified !== false);
  return steps.slice(1).reduce((largest, { step, measurement }, at) => {
    const factor = shareOf(measurement, steps[at].measurement, better);
    return factor > (largest?.factor ?? 1) ? { step, factor } : largest;
  }, null);
}

/** The longest bar of the series that differ from `one` in their load only, because those are compared with each
 * other. */
function maximumOf(one, series) {
  const isOther = ({ axes }) => Object.keys(axes).every((name) => name === 'load' || axes[name] === one.axes[name]);
  const bars = series.filter(isOther).flatMap(({ points }) => points);
  return Math.max(0, ...bars.map(({ measurement: { q3, median } }) => q3 ?? median ?? 0));
}

const SHARES_DIFFER = 0.02; // shares of the reference that differ by more are told apart

/** The fastest step whose measured share of the reference differs from that of the bars: {step, share, ofBars}; null
 * without one. Samples that are taken alternately have the same clocks; each bar has the clocks that its step reaches
 * by itself, which a power limit makes different. */
function contrastOf(bars, reference, better) {
  const steps = bars
    .filter(({ step, share }) => !isReference(step) && share > 0)
    .map(({ step, share, measurement }) => ({ step, share, ofBars: shareOf(measurement, reference, better) }))
    .filter(({ ofBars }) => ofBars !== null);
  const fastest = steps.reduce((best, one) => (best && best.ofBars >= one.ofBars ? best : one), null);
  return fastest && Math.abs(fastest.ofBars / fastest.share - 1) > SHARES_DIFFER ? fastest : null;
}

/** Whether shares of the reference were measured, in samples taken alternately with it. */
export const reportsShares = (measurements) => measurements.some(({ metric }) => metric === 'share_of_reference');

/** Groups [{key, label, series, maximum, reference, jump, contrast, bars: [{step, measurement, share}]}] for the series
 * (series.js) of a view of `metric` over steps. `maximum` is the value at the end of the longest bar of the group and
 * of that with another load; `reference` is the library's bar, null where there is none or its result was wrong; `jump`
 * as largestJump returns it, `contrast` as contrastOf, where shares were measured; `share` is a bar's share of the
 * reference, or null. It is the metric share_of_reference if the experiment reports it. */
export function stepGroupsOf(series, measurements, { better }) {
  const find = measurementFinder(measurements);
  const isReported = reportsShares(measurements);
  return series.map((one) => {
    const reference = one.points.find(({ x }) => isReference(x))?.measurement;
    const wrong = reference?.verified === false;
    const bars = one.points.map(({ x: step, measurement }) => ({
      step,
      measurement,
      share: wrong
        ? null
        : isReported
          ? (find('share_of_reference', measurement.axes)?.median ?? null)
          : shareOf(measurement, reference, better),
    }));
    return {
      key: one.key,
      label: one.label,
      series: one,
      bars,
      jump: largestJump(bars, better),
      contrast: isReported && !wrong ? contrastOf(bars, reference, better) : null,
      maximum: maximumOf(one, series),
      reference: wrong ? null : (bars.find(({ step }) => isReference(step)) ?? null),
    };
  });
}

/** Which of `steps` a view of `metric` over `axis` shows first: that of the run's headline or, where it names none of
 * them, the first. */
export function stepShownFirst(run, metric, axis, steps) {
  const named = (run.headline ?? []).filter((one) => one.metric === metric.name).map(({ axes }) => axes[axis.name]);
  return named.find((step) => steps.includes(step)) ?? steps[0];
}
