// The roofline (Williams, Waterman & Patterson 2009): operations a second over operations for each byte, under two
// kinds of roof. The memory's is its bandwidth times the intensity, a slope; the arithmetic's is flat, one for each
// type. Either is drawn twice: as it was measured, and as the hardware's attributes promise it.

import { finder } from './stepgroups.js';
import { axisNames, tabbed } from './tsv.js';

const positive = (value) => (typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : null);

/** [{key, one, step, measurement, intensity, throughput}] of the series of a view over `step`, as series.js has them;
 * points without a place on logarithmic axes are left out. */
export function pointsOf(series, measurements) {
  const find = finder(measurements);
  return series
    .flatMap((one) =>
      one.points.map(({ x: step, measurement }) => ({
        key: JSON.stringify([one.key, step]),
        one,
        step,
        measurement,
        intensity: positive(find('intensity', measurement.axes)?.median),
        throughput: positive(measurement.median),
      })),
    )
    .filter(({ intensity, throughput }) => intensity && throughput);
}

/** {memory: {measured, theoretical, what, wrong} or null, compute: [{type, measured, theoretical, what, wrong, one}]} in
 * GB/s and GFLOP/s, null where not known. What was measured with a `wrong` result is no roof. A type's roof is there
 * when one of the series has the type; `one` is the series that gives its colour, null where several do. */
export function roofsOf(series, measurements) {
  const find = finder(measurements);
  const roof = (measurement, peak) => {
    const wrong = measurement?.verified === false;
    return {
      measured: wrong ? null : positive(measurement?.median),
      theoretical: positive(peak?.value),
      what: peak?.what ?? null,
      wrong,
    };
  };
  const ofMemory = find('memory_ceiling', {});
  const byType = new Map();
  for (const one of series) {
    const { type } = one.points[0].measurement.axes;
    byType.set(type, [...(byType.get(type) ?? []), one]);
  }
  const compute = [...byType].map(([type, own]) => {
    const ceiling = find('compute_ceiling', { type });
    const peak =
      ceiling?.peak ?? own.flatMap(({ points }) => points).find((point) => point.measurement.peak)?.measurement.peak;
    const one = own.every(({ colour }) => colour === own[0].colour) ? own[0] : null;
    return { type, ...roof(ceiling, peak), one };
  });
  const known = ({ measured, theoretical, wrong }) => measured || theoretical || wrong;
  const memory = roof(ofMemory, ofMemory?.peak);
  return { memory: known(memory) ? memory : null, compute: compute.filter(known) };
}

/** What a point reaches of the measured roof over it: throughput / min(arithmetic, bandwidth x intensity); null where a
 * roof was not measured or the point's result was wrong. */
export function shareOfRoof({ intensity, throughput, measurement }, { memory, compute }) {
  const flat = compute.find(({ type }) => type === measurement.axes.type)?.measured;
  if (!flat || !memory?.measured || measurement.verified === false) return null;
  return throughput / Math.min(flat, memory.measured * intensity);
}

const KINDS = ['theoretical', 'measured'];

/** The roofs as lines: [{kind, of: "memory" or a type, one, from: [x, y], to: [x, y]}], `kind` "measured" or
 * "theoretical", within x from `low` to `high`. A flat roof begins where the memory's of its kind meets it, the
 * memory's ends at the highest flat one. */
export function linesOf({ memory, compute }, [low, high]) {
  const slopeOf = (kind) => memory?.[kind] ?? memory?.measured ?? memory?.theoretical ?? null;
  const flat = KINDS.flatMap((kind) =>
    compute
      .filter((roof) => roof[kind])
      .map((roof) => {
        const begin = slopeOf(kind) ? Math.min(high, Math.max(low, roof[kind] / slopeOf(kind))) : low;
        return { kind, of: roof.type, one: roof.one, from: [begin, roof[kind]], to: [high, roof[kind]] };
      }),
  );
  const slopes = KINDS.filter((kind) => memory?.[kind]).map((kind) => {
    const tops = compute.map((roof) => roof[kind] ?? roof.measured ?? roof.theoretical).filter(Boolean);
    const end = tops.length ? Math.min(high, Math.max(low, Math.max(...tops) / memory[kind])) : high;
    return { kind, of: 'memory', one: null, from: [low, low * memory[kind]], to: [end, end * memory[kind]] };
  });
  return [...slopes, ...flat];
}

/** {x: [low, high], y: [low, high]}: room for all points, all flat roofs and the places where they meet the memory's.
 * */
export function boundsOf(points, { memory, compute }) {
  const tops = compute.flatMap((roof) => KINDS.map((kind) => roof[kind]).filter(Boolean));
  const ridges = compute.flatMap((roof) =>
    KINDS.filter((kind) => memory?.[kind] && roof[kind]).map((kind) => roof[kind] / memory[kind]),
  );
  const xs = [...points.map(({ intensity }) => intensity), ...ridges];
  const ys = [...points.map(({ throughput }) => throughput), ...tops];
  if (!xs.length) xs.push(1);
  if (!ys.length) ys.push(1);
  return {
    x: [Math.min(...xs) / 4, Math.max(...xs) * 4],
    y: [Math.min(...ys) / 2, Math.max(...ys) * 3],
  };
}

/** What the tables of a roofline show (parts/rooflinetable.js): its points, and the roofs below them. `series` and
 * `measurements` as above. */
export function tabbedRoofline({ series, measurements, axes, metric }) {
  const [points, roofs] = [pointsOf(series, measurements), roofsOf(series, measurements)];
  const names = axisNames(
    points.map(({ measurement }) => measurement),
    axes,
  );
  const steps = points.map((point) => [
    ...names.map((name) => point.measurement.axes[name]),
    point.throughput,
    metric.unit,
    point.intensity,
    shareOfRoof(point, roofs),
    point.measurement.verified,
  ]);
  const roof = (name, { measured, theoretical, what, wrong }, unit) => [
    name,
    wrong ? 'wrong' : measured,
    theoretical,
    unit,
    what,
  ];
  const flat = roofs.compute.map((one) => roof(one.type, one, metric.unit));
  const lines = [...(roofs.memory ? [roof('memory', roofs.memory, 'GB/s')] : []), ...flat];
  const heading = [...names, metric.name, 'unit', 'intensity', 'share_of_roof', 'verified'];
  const blocks = [tabbed([heading, ...steps])];
  if (lines.length) blocks.push(tabbed([['roof', 'measured', 'theoretical', 'unit', 'peak_of'], ...lines]));
  return blocks.join('\n');
}
