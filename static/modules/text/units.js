// Units: their prefixes, and the unit in which the values of a metric are shown. All functions are pure.

export const BINARY = [
  ['B', 1],
  ['KiB', 2 ** 10],
  ['MiB', 2 ** 20],
  ['GiB', 2 ** 30],
  ['TiB', 2 ** 40],
];
export const TIME = [
  ['ns', 1e-9],
  ['µs', 1e-6],
  ['ms', 1e-3],
  ['s', 1],
];

const PREFIXES = ['', 'k', 'M', 'G', 'T', 'P'];
const PREFIXED = /^([kMGTP]?)(B\/s|FLOP\/s|op\/s|Hz|\/s)$/;

const stepsByUnit = new Map([
  ['s', TIME],
  ['B', BINARY],
  ['share', [['%', 0.01]]],
]);

/** The units [unit, factor], ascending, in which a value that is given in `unit` can be written; `factor` is relative
 * to `unit`. A unit without prefixes is the only one; the unit "1" has no name. */
export function stepsOf(unit) {
  if (!stepsByUnit.has(unit)) {
    const [, own, base] = PREFIXED.exec(unit ?? '') ?? [];
    const exponent = PREFIXES.indexOf(own);
    const steps = PREFIXES.map((prefix, index) => [prefix + base, 1000 ** (index - exponent)]);
    stepsByUnit.set(unit, base ? steps : [[unit === '1' ? null : (unit ?? null), 1]]);
  }
  return stepsByUnit.get(unit);
}

/** The largest unit of `steps` that is not above `value`. */
export function unitStep(value, steps) {
  let found = steps[0];
  for (const step of steps) if (Math.abs(value) >= step[1] * (1 - 1e-12)) found = step;
  return found;
}

/** Units of quantities of which less is better, for metrics that no experiment lists: times and energies. */
const OF_COSTS = new Set(['s', 'cycles', 'J/TFLOP']);
export const isCost = (unit) => OF_COSTS.has(unit);

/** Metrics of the unit "1" that are shares of a whole. */
const SHARES = /^(share_of_\w+|\w+_share|efficiency|(counted_)?occupancy|\w+_hit_rate)$/;

/** A metric with the unit in which it is shown: "share" for a share, written in percent, and "x" for a speedup, written
 * as "2.26x"; otherwise its own. */
export function withShownUnit(metric) {
  if (metric.unit !== '1') return metric;
  if (SHARES.test(metric.name)) return { ...metric, unit: 'share' };
  return /(^|_)speedup$/.test(metric.name) ? { ...metric, unit: 'x' } : metric;
}

/** The unit in which values of `metric`, the name of one, are shown; `unit` is that of the values. */
export const shownUnit = (metric, unit) => withShownUnit({ name: metric, unit }).unit;
