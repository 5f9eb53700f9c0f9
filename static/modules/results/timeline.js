// Prepares the spans (traced operations) of a run for drawing a timeline: the variants, the rows of each by stream or
// by engine, the division of a row among overlapping spans, and the lower bound from the measurements. A run may have a
// hundred thousand spans, so what depends on their axes, lanes or labels is computed once for each of these.

const COPY_ENGINES_MAX = 2; // a bound assumes at most one copy engine per direction

const WAVES = 8; // waves of blocks that have a colour of their own; then the colours repeat

/** The kinds of spans that have a colour, in the order of rows and legend. */
export const KINDS = [
  ...['copy-up', 'compute', 'copy-down', 'copy-peer'],
  ...Array.from({ length: WAVES }, (_, index) => `wave-${index + 1}`),
];

/** The position of a kind in KINDS; unknown kinds come last. */
export const kindOrder = (kind) => (KINDS.includes(kind) ? KINDS.indexOf(kind) : KINDS.length);

/** The device of a lane, from the start of its name: "device 2 copies 1" -> "device 2"; '' if the name has none. */
const deviceOfLane = (lane) => /^device \d+/.exec(lane)?.[0] ?? '';

/** Overlaps shorter than this fraction of the shorter span are clock inaccuracy, not concurrent operations. */
const OVERLAP_TOLERANCE = 0.02;

const SLOTS_MAX = 32; // spans beside one another in a row; further ones are drawn over the last one

const collator = new Intl.Collator('en', { numeric: true });

/** Whether the spans of a variant are not traced but simulated, on a device with so many copy engines. */
export const isSimulated = ({ axes }) => 'copy_engines' in axes;

/** The variants in their order, the simulated ones behind the traced one of which they are. */
function besideTraced(variants) {
  const traced = variants.filter((one) => !isSimulated(one));
  const of = (simulated) => traced.find(({ axes }) => axesAgree(axes, simulated.axes));
  const orphans = variants.filter((one) => isSimulated(one) && !of(one));
  return [...traced.flatMap((one) => [one, ...variants.filter((other) => isSimulated(other) && of(other) === one)]), ...orphans];
}

/** The spans of a document of columns (API.md): [{position, lane, kind, label, axes, start_ns, end_ns}]; `position` is
 * that in the run, and spans of the same axes share the object. */
export function spansOf({ texts, axes, spans }) {
  const { lane, kind, label, axes: point, start_ns: start, end_ns: end } = spans;
  return lane.map((_, at) => ({
    position: at,
    lane: texts[lane[at]],
    kind: texts[kind[at]],
    label: texts[label[at]] ?? null,
    axes: axes[point[at]],
    start_ns: start[at],
    end_ns: end[at],
  }));
}

/** A function that computes each argument's result once; arguments are compared as keys of a Map. */
function memoised(compute) {
  const results = new Map();
  return (argument) => {
    if (!results.has(argument)) results.set(argument, compute(argument));
    return results.get(argument);
  };
}

/** Groups spans into variants. Spans with equal axes are one variant with a time origin of its own: [{key, axes, spans:
 * [{position, lane, kind, label, start, end}], length}], in order of first occurrence, simulated ones behind those of
 * which they are; times in ns since the variant's first start. */
export function variantsOf(spans) {
  const variants = new Map();
  const keyOf = memoised((axes) => JSON.stringify(Object.entries(axes ?? {}).sort(([a], [b]) => (a < b ? -1 : 1))));
  for (const span of spans) {
    if (!(span.end_ns >= span.start_ns)) continue;
    const key = keyOf(span.axes);
    if (!variants.has(key)) variants.set(key, { key, axes: span.axes ?? {}, raw: [] });
    variants.get(key).raw.push(span);
  }
  return besideTraced([...variants.values()]).map(({ key, axes, raw }) => {
    const origin = raw.reduce((first, { start_ns: start }) => Math.min(first, start), Infinity);
    const ownSpans = raw
      .map(({ position, lane, kind, label, start_ns: start, end_ns: end }) => ({
        position,
        lane: lane ?? '',
        kind: kind ?? '',
        label: label ?? '',
        start: start - origin,
        end: end - origin,
      }))
      .sort((a, b) => a.start - b.start || a.end - b.end);
    return { key, axes, spans: ownSpans, length: ownSpans.reduce((last, { end }) => Math.max(last, end), 0) };
  });
}

/** The rows of a variant: [{name, device, items: [{span, slot, slots}], reached}]. `by` is "stream" (one row per lane)
 * or "engine" (one row per kind; with several devices, one per device and kind, otherwise `device` is ''). Items are
 * sorted by start; `reached` has for each the latest end up to it. */
export function rowsOf(variant, by) {
  return groupsOf(variant, by).map(({ name, device, spans }) => ({ name, device, items: packIntoSlots(spans), reached: latestEnds(spans) }));
}

/** How many rows a variant has. */
export const rowCount = (variant, by) => groupsOf(variant, by).length;

/** The spans of each row, in the order of the rows: [{name, device, spans}]. */
function groupsOf({ spans }, by) {
  const engines = by === 'engine';
  const deviceOf = memoised(deviceOfLane);
  const hasSeveralDevices = new Set(spans.map(({ lane }) => deviceOf(lane))).size > 1;
  const rows = new Map();
  for (const span of spans) {
    const device = engines && hasSeveralDevices ? deviceOf(span.lane) : '';
    const name = engines ? span.kind : span.lane;
    const key = `${device}\n${name}`;
    if (!rows.has(key)) rows.set(key, { name, device, spans: [] });
    rows.get(key).spans.push(span);
  }
  const order = ({ name }) => (engines ? kindOrder(name) : 0);
  return [...rows.values()].sort(
    (a, b) => collator.compare(a.device, b.device) || order(a) - order(b) || collator.compare(a.name, b.name),
  );
}

function latestEnds(spans) {
  let latest = -Infinity;
  return Float64Array.from(spans, ({ end }) => (latest = Math.max(latest, end)));
}

/** Divides the height of a row among overlapping spans: each span gets one of `slots` slots. */
export function packIntoSlots(spans) {
  const items = [];
  let cluster = []; // items that overlap, directly or through others
  let lastSpans = []; // the last span of each slot of the cluster
  const closeCluster = () => {
    cluster.forEach((item) => Object.assign(item, { slots: lastSpans.length }));
    cluster = [];
    lastSpans = [];
  };
  for (const span of spans) {
    const isFree = (last) =>
      last.end - span.start <= OVERLAP_TOLERANCE * Math.min(last.end - last.start, span.end - span.start);
    if (lastSpans.every(isFree)) closeCluster();
    const free = lastSpans.findIndex(isFree);
    const slot = free < 0 ? Math.min(lastSpans.length, SLOTS_MAX - 1) : free;
    const item = { span, slot, slots: 1 };
    lastSpans[item.slot] = span;
    cluster.push(item);
    items.push(item);
  }
  closeCluster();
  return items;
}

/** A variant whose spans are blocks in rows of multiprocessors, with the wave of each block as its kind: `wave-1` for
 * the first block in its place on the multiprocessor, `wave-2` for the next one in that place, …. */
export function withWaves(variant) {
  const waves = new Map();
  for (const { items } of rowsOf(variant, 'stream')) {
    const counts = new Map(); // blocks so far, by slot
    for (const { span, slot } of items) {
      counts.set(slot, (counts.get(slot) ?? 0) + 1);
      waves.set(span, `wave-${((counts.get(slot) - 1) % WAVES) + 1}`);
    }
  }
  return { ...variant, spans: variant.spans.map((span) => ({ ...span, kind: waves.get(span) })) };
}

/** The measured values of a variant: {time, bound, efficiency, engines}; `time` and its lower bound are in seconds;
 * null where there is no measurement. The argument `engines` is the number of copy engines of the device, null if
 * unknown; the result `engines` is the number of copy engines that the bound assumes, null if the bound was derived
 * from `efficiency`. `simulated`: the number of copy engines of the device on which the variant is simulated; nothing
 * else is known of such a variant. */
export function variantFigures({ axes }, measurements, engines) {
  if (isSimulated({ axes })) return { time: null, efficiency: null, bound: null, engines: null, simulated: axes.copy_engines };
  const own = measurements.filter((measurement) => !measurement.skipped && axesAgree(measurement.axes ?? {}, axes));
  const only = (metric) => {
    const found = own.filter((measurement) => measurement.metric === metric);
    // with several values it is unknown which one was traced
    return found.length === 1 ? (found[0].median ?? null) : null;
  };
  const [time, efficiency] = [only('time'), only('efficiency')];
  const usableEngines = Math.min(engines ?? COPY_ENGINES_MAX, COPY_ENGINES_MAX);
  const bounds = own.filter(
    ({ metric, axes: boundAxes }) => metric === 'bound' && boundAxes.copy_engines <= usableEngines,
  );
  const most = Math.max(...bounds.map(({ axes: boundAxes }) => boundAxes.copy_engines));
  const applicable = bounds.filter(({ axes: boundAxes }) => boundAxes.copy_engines === most);
  const isMeasured = applicable.length === 1 && typeof applicable[0].median === 'number';
  const derived = time !== null && efficiency !== null ? time * efficiency : null;
  return { time, efficiency, bound: isMeasured ? applicable[0].median : derived, engines: isMeasured ? most : null };
}

/** Whether two points have the same values of all axes that both have. */
const axesAgree = (a, b) => Object.keys(a).every((name) => !(name in b) || a[name] === b[name]);

const KIND_SYMBOLS = { 'copy-up': '↑', 'copy-down': '↓', 'copy-peer': '→' };
const CHARACTER_WIDTH = 6.3; // width in px of a character at font size 11 px, rounded up

/** The text on a span that is `width` px wide: its label, the symbol of its kind with its number, the
 * number only, or nothing. `digits` is the length of the longest number, so that all spans switch to a
 * shorter form together. */
export function spanLabel({ kind, label }, width, digits) {
  const symbol = KIND_SYMBOLS[kind] ?? '';
  const number = numberOf(label);
  const fits = (length) => length * CHARACTER_WIDTH + 4 <= width;
  if (label && fits(label.length + 1)) return label;
  if (number && fits(symbol.length + digits)) return symbol + number;
  return number && fits(digits) ? number : '';
}

/** The number that a label gives for a chunk, device or block, as text; '' if it gives none. Other numbers are
 * sizes. */
const numberOf = (label) => /\b(?:chunk|device|block) (\d+)/.exec(label)?.[1] ?? '';

/** The number of digits of the largest number of a chunk, device or block in the labels of a variant's spans. */
export const labelDigits = ({ spans }) => spans.reduce((most, { label }) => Math.max(most, numberOf(label).length), 0);
