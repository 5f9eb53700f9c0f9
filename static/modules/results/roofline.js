// Prepares a roofline chart (Williams, Waterman & Patterson 2009) for drawing: throughput over arithmetic intensity,
// with two kinds of upper limit. The memory roof is memory bandwidth times intensity, a sloped line; the compute roof
// of each data type is flat. Each roof is drawn twice: as measured (the metrics memory_ceiling and compute_ceiling),
// and as the theoretical peak of the device. The intensity of a point is that which is assumed (the metric intensity,
// each byte moved once), and that by the bytes which the hardware has counted (counted_intensity).

import { measurementFinder } from './stepgroups.js';

/** The value, or null if it is not a positive number. */
const positive = (value) => (typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : null);

/** The points [{key, series, step, shape, measurement, intensity, counted, throughput}] of the series (series.js) of a
 * view over an axis whose value is `step`. `intensity` is the assumed one, `counted` the counted one, null if unknown;
 * points without both, or without a positive throughput, are omitted. `shape` is a text where the points are of several
 * sizes. */
export function pointsOf(series, measurements) {
  const find = measurementFinder(measurements);
  return series
    .flatMap((one) =>
      one.points.map(({ x: step, measurement, shape }) => ({
        key: JSON.stringify([one.key, step, shape]),
        series: one,
        step,
        shape,
        measurement,
        intensity: positive(find('intensity', measurement.axes)?.median),
        counted: positive(find('counted_intensity', measurement.axes)?.median),
        throughput: positive(measurement.median),
      })),
    )
    .filter((point) => placeOf(point) && point.throughput);
}

/** The intensity at which a point is drawn and compared with the roofs: the assumed one, if it is known. */
export const placeOf = ({ intensity, counted }) => intensity ?? counted;

/** Which intensities some measurements have, by their metrics: "intensity", "counted_intensity". */
export const intensitiesOf = (measurements) =>
  new Set(measurements.filter(({ metric, skipped }) => /^(counted_)?intensity$/.test(metric) && !skipped).map(({ metric }) => metric));

/** The fastest point of each shape in each series, among points of several sizes. */
export function fastestOf(points) {
  const fastest = new Map();
  for (const point of points) {
    const key = JSON.stringify([point.series.key, point.shape]);
    if (point.shape && !(fastest.get(key)?.throughput >= point.throughput)) fastest.set(key, point);
  }
  return new Set(fastest.values());
}

/** The roofs: {memory: {measured, theoretical, what, wrong} or null, compute: [{type, load, name, measured,
 * theoretical, what, wrong, series}]}. Values are in GB/s (memory) and GFLOP/s (compute), null where unknown; `what`
 * describes the theoretical peak. `wrong` is true if the measurement had a wrong result; `measured` is null then. Of
 * several memory ceilings (read, write, copy) the roof is the largest, which `what` names. Each data type among the
 * series has a compute roof for each unit and load that was measured; `name` is the type and, if there are several, the
 * unit and the load; `load` is undefined where none is known. `series` is the series whose colour the roof has, null if
 * series of this type differ in colour. An experiment without ceilings has the peaks of the first of `devices`
 * (rundevices.js) as roofs; if its points have no type, those of fp32 and fp64. */
export function roofsOf(series, measurements, devices = []) {
  if (!measurements.some(({ metric }) => metric === 'compute_ceiling')) return peaksOf(series, devices[0]?.properties ?? {});
  const measured = (metric) => measurements.filter((one) => one.metric === metric && !one.skipped);
  const memory = memoryRoof(measured('memory_ceiling'));
  const ceilings = measured('compute_ceiling');
  const types = new Set(series.map(({ points }) => points[0].measurement.axes.type));
  const compute = [...types].flatMap((type) =>
    computeRoofs(
      type,
      series.filter(({ points }) => points[0].measurement.axes.type === type),
      ceilings.filter(({ axes }) => axes.type === type),
    ),
  );
  const isShown = (roof) => roof && (roof.measured || roof.theoretical || roof.wrong);
  return { memory: isShown(memory) ? memory : null, compute: compute.filter(isShown) };
}

function roofOf(measurement, peak, what) {
  const wrong = measurement?.verified === false;
  return { measured: wrong ? null : positive(measurement?.median), theoretical: positive(peak?.value), what, wrong };
}

/** The peaks of a device as roofs. */
function peaksOf(series, properties) {
  const peak = (name, what) => (positive(properties[name]) ? { measured: null, theoretical: properties[name] / 1e9, what, wrong: false } : null);
  const types = new Set(series.map(({ points }) => points[0].measurement.axes.type));
  const compute = [...types].flatMap((type) =>
    (type === undefined ? ['fp32', 'fp64'] : [type]).map((name) => {
      const own = type === undefined ? [] : series.filter(({ points }) => points[0].measurement.axes.type === type);
      const roof = peak(`${name}_peak_flops`, `${name} cores`) ?? peak(`tensor_${name}_peak_flops`, `${name} tensor cores`);
      return roof && { type: name, name, series: colourOf(own), ...roof };
    }),
  );
  return { memory: peak('memory_peak_bytes_per_s', 'device memory'), compute: compute.filter(Boolean) };
}

/** The series whose colour all of some series have; null if they differ. */
const colourOf = (series) => (series.length && series.every(({ colour }) => colour === series[0].colour) ? series[0] : null);

function memoryRoof(ceilings) {
  const right = ceilings.filter(({ verified }) => verified !== false);
  const [best] = [...(right.length ? right : ceilings)].sort((a, b) => b.median - a.median);
  if (!best) return null;
  return roofOf(best, best.peak, [best.axes.variant, best.peak?.what].filter(Boolean).join(', ') || null);
}

/** The compute roofs of a data type: one for each of its ceilings or, if none was measured, the peak that is stored
 * with the points. */
function computeRoofs(type, series, ceilings) {
  const stored = series.flatMap(({ points }) => points).find(({ measurement }) => measurement.peak)?.measurement.peak;
  const naming = ['variant', 'load'].filter((name) => new Set(ceilings.map(({ axes }) => axes[name])).size > 1);
  return (ceilings.length ? ceilings : [null]).map((ceiling) => {
    const peak = ceiling?.peak ?? (ceilings.length > 1 ? null : stored);
    return {
      type,
      load: ceiling?.axes.load,
      name: [type, ...naming.map((axis) => ceiling.axes[axis])].join(' '),
      ...roofOf(ceiling, peak, peak?.what ?? null),
      series: colourOf(series),
    };
  });
}

/** The share of the measured roof that a point reaches: throughput / min(compute roof, bandwidth x intensity); null
 * where a roof was not measured or the point's result was wrong. If the type has several compute roofs, it is that of
 * the point's load and peak. */
export function shareOfRoof(point, { memory, compute }) {
  const { throughput, measurement } = point;
  const { type, load } = measurement.axes;
  const ofType = compute.filter((one) => one.type === type);
  const ofLoad = ofType.filter((one) => one.load === load);
  const own = ofLoad.length ? ofLoad : ofType;
  const roof = own.find(({ what }) => what && what === measurement.peak?.what) ?? own[0];
  if (!roof?.measured || !memory?.measured || measurement.verified === false) return null;
  return throughput / Math.min(roof.measured, memory.measured * placeOf(point));
}

const KINDS = ['theoretical', 'measured'];

/** The roofs as line segments for x from `low` to `high`: [{kind, of, series, from: [x, y], to: [x, y]}]. `kind` is
 * "measured" or "theoretical", `of` is "memory" or the name of a compute roof. A peak has one line, that of its first
 * roof. A flat roof starts where it meets the memory roof of its kind; the memory roof ends at the highest flat
 * roof. */
export function linesOf({ memory, compute }, [low, high]) {
  const slopeOf = (kind) => memory?.[kind] ?? memory?.measured ?? memory?.theoretical ?? null;
  const isFirstOfPeak = (roof) => compute.find(({ type, what }) => type === roof.type && what === roof.what) === roof;
  const flatLines = KINDS.flatMap((kind) =>
    compute
      .filter((roof) => roof[kind] && (kind === 'measured' || isFirstOfPeak(roof)))
      .map((roof) => {
        const begin = slopeOf(kind) ? Math.min(high, Math.max(low, roof[kind] / slopeOf(kind))) : low;
        return { kind, of: roof.name, series: roof.series, from: [begin, roof[kind]], to: [high, roof[kind]] };
      }),
  );
  const slopedLines = KINDS.filter((kind) => memory?.[kind]).map((kind) => {
    const tops = compute.map((roof) => roof[kind] ?? roof.measured ?? roof.theoretical).filter(Boolean);
    const end = tops.length ? Math.min(high, Math.max(low, Math.max(...tops) / memory[kind])) : high;
    return { kind, of: 'memory', series: null, from: [low, low * memory[kind]], to: [end, end * memory[kind]] };
  });
  return [...slopedLines, ...flatLines];
}

/** How many times the largest assumed intensity and intersection of roofs a counted one may be to be in the chart: if
 * the caches hold nearly all data, it says only that. */
const BEYOND = 10;

/** The ranges of the axes, {x: [low, high], y: [low, high]}: they include all points, all flat roofs and their
 * intersections with the memory roof. */
export function boundsOf(points, { memory, compute }) {
  const tops = compute.flatMap((roof) => KINDS.map((kind) => roof[kind]).filter(Boolean));
  const ridges = compute.flatMap((roof) =>
    KINDS.filter((kind) => memory?.[kind] && roof[kind]).map((kind) => roof[kind] / memory[kind]),
  );
  const places = [...points.map(placeOf), ...ridges];
  const counted = points.map((point) => point.counted).filter((value) => value && value <= BEYOND * Math.max(...places));
  const xs = [...places, ...counted];
  const ys = [...points.map(({ throughput }) => throughput), ...tops];
  if (!xs.length) xs.push(1);
  if (!ys.length) ys.push(1);
  return {
    x: [Math.min(...xs) / 4, Math.max(...xs) * 4],
    y: [Math.min(...ys) / 2, Math.max(...ys) * 3],
  };
}
