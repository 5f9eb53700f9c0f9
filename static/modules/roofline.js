// Prepares a roofline chart (Williams, Waterman & Patterson 2009) for drawing: throughput over arithmetic intensity,
// with two kinds of upper limit. The memory roof is memory bandwidth times intensity, a sloped line; the compute roof
// of each data type is flat. Each roof is drawn twice: as measured (the metrics memory_ceiling and compute_ceiling),
// and as the theoretical peak of the device.

import { measurementFinder } from './stepgroups.js';
import { axisNames, tsv } from './tsv.js';

/** The value, or null if it is not a positive number. */
const positive = (value) => (typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : null);

/** The points [{key, series, step, measurement, intensity, throughput}] of the series (series.js) of a view over
 * `step`; points without a positive intensity and throughput are omitted. */
export function pointsOf(series, measurements) {
  const find = measurementFinder(measurements);
  return series
    .flatMap((one) =>
      one.points.map(({ x: step, measurement }) => ({
        key: JSON.stringify([one.key, step]),
        series: one,
        step,
        measurement,
        intensity: positive(find('intensity', measurement.axes)?.median),
        throughput: positive(measurement.median),
      })),
    )
    .filter(({ intensity, throughput }) => intensity && throughput);
}

/** The roofs: {memory: {measured, theoretical, what, wrong} or null, compute: [{type, measured, theoretical, what,
 * wrong, series}]}. Values are in GB/s (memory) and GFLOP/s (compute), null where unknown; `what` describes the
 * theoretical peak. `wrong` is true if the measurement had a wrong result; `measured` is null then. There is a compute
 * roof for each data type among the series. `series` is the series whose colour the roof has, null if series of this
 * type differ in colour. */
export function roofsOf(series, measurements) {
  const find = measurementFinder(measurements);
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
    const sameColour = own.every(({ colour }) => colour === own[0].colour);
    return { type, ...roof(ceiling, peak), series: sameColour ? own[0] : null };
  });
  const isShown = ({ measured, theoretical, wrong }) => measured || theoretical || wrong;
  const memory = roof(ofMemory, ofMemory?.peak);
  return { memory: isShown(memory) ? memory : null, compute: compute.filter(isShown) };
}

/** The share of the measured roof that a point reaches: throughput / min(compute roof, bandwidth x intensity); null
 * where a roof was not measured or the point's result was wrong. */
export function shareOfRoof({ intensity, throughput, measurement }, { memory, compute }) {
  const computeRoof = compute.find(({ type }) => type === measurement.axes.type)?.measured;
  if (!computeRoof || !memory?.measured || measurement.verified === false) return null;
  return throughput / Math.min(computeRoof, memory.measured * intensity);
}

const KINDS = ['theoretical', 'measured'];

/** The roofs as line segments for x from `low` to `high`: [{kind, of, series, from: [x, y], to: [x, y]}]. `kind` is
 * "measured" or "theoretical", `of` is "memory" or the data type of a compute roof. A flat roof starts where it meets
 * the memory roof of its kind; the memory roof ends at the highest flat roof. */
export function linesOf({ memory, compute }, [low, high]) {
  const slopeOf = (kind) => memory?.[kind] ?? memory?.measured ?? memory?.theoretical ?? null;
  const flatLines = KINDS.flatMap((kind) =>
    compute
      .filter((roof) => roof[kind])
      .map((roof) => {
        const begin = slopeOf(kind) ? Math.min(high, Math.max(low, roof[kind] / slopeOf(kind))) : low;
        return { kind, of: roof.type, series: roof.series, from: [begin, roof[kind]], to: [high, roof[kind]] };
      }),
  );
  const slopedLines = KINDS.filter((kind) => memory?.[kind]).map((kind) => {
    const tops = compute.map((roof) => roof[kind] ?? roof.measured ?? roof.theoretical).filter(Boolean);
    const end = tops.length ? Math.min(high, Math.max(low, Math.max(...tops) / memory[kind])) : high;
    return { kind, of: 'memory', series: null, from: [low, low * memory[kind]], to: [end, end * memory[kind]] };
  });
  return [...slopedLines, ...flatLines];
}

/** The ranges of the axes, {x: [low, high], y: [low, high]}: they include all points, all flat roofs and their
 * intersections with the memory roof. */
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

/** The tables of a roofline (parts/rooflinetable.js) as tab-separated text: its points, then the roofs. */
export function rooflineTsv({ series, measurements, axes, metric }) {
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
  const computeRows = roofs.compute.map((one) => roof(one.type, one, metric.unit));
  const roofRows = [...(roofs.memory ? [roof('memory', roofs.memory, 'GB/s')] : []), ...computeRows];
  const heading = [...names, metric.name, 'unit', 'intensity', 'share_of_roof', 'verified'];
  const blocks = [tsv([heading, ...steps])];
  if (roofRows.length) blocks.push(tsv([['roof', 'measured', 'theoretical', 'unit', 'peak_of'], ...roofRows]));
  return blocks.join('\n');
}
