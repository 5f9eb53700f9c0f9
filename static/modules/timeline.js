// From the spans of a run to what a timeline draws: the traced variants, the rows of each by stream and by engine,
// where two spans of a row overlap, and the bound that the measurements name for it.

const COPY_ENGINES_USED = 2; // a bound is given for at most one engine a direction

/** The kinds of spans that have a colour of their own, in the order in which their rows and their legend stand. */
export const KINDS = ['copy-up', 'compute', 'copy-down', 'copy-peer'];

/** The place of a kind among them; others come last. */
export const placeOfKind = (kind) => (KINDS.includes(kind) ? KINDS.indexOf(kind) : KINDS.length);

/** The device that a lane belongs to, as its name begins: "device 2 copies 1" -> "device 2"; '' where it tells none. */
export const deviceOf = (lane) => /^device \d+/.exec(lane)?.[0] ?? '';

/** Overlaps shorter than this share of the shorter span are the clocks' doing, not two operations at once. */
const TOUCHING = 0.02;

const collator = new Intl.Collator('en', { numeric: true });

/** Spans with equal axes are one variant with a time origin of its own: [{key, axes, spans: [{lane, kind, label, start,
 * end}], length}], in the order in which they come; times in ns from the variant's first start. */
export function variantsOf(spans) {
  const variants = new Map();
  for (const span of spans) {
    if (!(span.end_ns >= span.start_ns)) continue;
    const axes = span.axes ?? {};
    const key = JSON.stringify(Object.entries(axes).sort(([a], [b]) => (a < b ? -1 : 1)));
    if (!variants.has(key)) variants.set(key, { key, axes, raw: [] });
    variants.get(key).raw.push(span);
  }
  return [...variants.values()].map(({ key, axes, raw }) => {
    const origin = raw.reduce((first, { start_ns: start }) => Math.min(first, start), Infinity);
    const own = raw
      .map(({ lane, kind, label, start_ns: start, end_ns: end }) => ({
        lane: lane ?? '',
        kind: kind ?? '',
        label: label ?? '',
        start: start - origin,
        end: end - origin,
      }))
      .sort((a, b) => a.start - b.start || a.end - b.end);
    return { key, axes, spans: own, length: own.reduce((last, { end }) => Math.max(last, end), 0) };
  });
}

/** The rows of a variant: [{name, device, items: [{span, slot, slots}]}]. `by` is "stream" (a row for each lane) or
 * "engine" (a row for each kind, on each device where there are several: else `device` is ''); items are sorted by
 * start. */
export function rowsOf({ spans }, by) {
  const engines = by === 'engine';
  const several = new Set(spans.map(({ lane }) => deviceOf(lane))).size > 1;
  const rows = new Map();
  for (const span of spans) {
    const device = engines && several ? deviceOf(span.lane) : '';
    const name = engines ? span.kind : span.lane;
    const key = `${device}\n${name}`;
    if (!rows.has(key)) rows.set(key, { name, device, spans: [] });
    rows.get(key).spans.push(span);
  }
  const place = ({ name }) => (engines ? placeOfKind(name) : 0);
  return [...rows.values()]
    .sort((a, b) => collator.compare(a.device, b.device) || place(a) - place(b) || collator.compare(a.name, b.name))
    .map(({ name, device, spans: own }) => ({ name, device, items: packed(own) }));
}

/** Spans that overlap share the height of their row: each gets a slot of `slots`. */
export function packed(spans) {
  const items = [];
  let cluster = []; // items that overlap, each with at least one other
  let ends = []; // of the last span in each slot of the cluster
  const close = () => {
    cluster.forEach((item) => Object.assign(item, { slots: ends.length }));
    cluster = [];
    ends = [];
  };
  for (const span of spans) {
    const free = (last) => last.end - span.start <= TOUCHING * Math.min(last.end - last.start, span.end - span.start);
    if (ends.every(free)) close();
    const slot = ends.findIndex(free);
    const item = { span, slot: slot < 0 ? ends.length : slot, slots: 1 };
    ends[item.slot] = span;
    cluster.push(item);
    items.push(item);
  }
  close();
  return items;
}

/** What the measurements say of a variant: {time, bound, efficiency, engines}, seconds, null where they say nothing.
 * `engines` is the device's own number of copy engines, null when unknown. */
export function figuresOf({ axes }, measurements, engines) {
  const here = measurements.filter((measurement) => !measurement.skipped && agree(measurement.axes ?? {}, axes));
  const only = (metric) => {
    const found = here.filter((measurement) => measurement.metric === metric);
    return found.length === 1 ? (found[0].median ?? null) : null; // of several nobody knows which was traced
  };
  const [time, efficiency] = [only('time'), only('efficiency')];
  const usable = Math.min(engines ?? COPY_ENGINES_USED, COPY_ENGINES_USED);
  const bounds = here.filter(({ metric, axes: own }) => metric === 'bound' && own.copy_engines <= usable);
  const most = Math.max(...bounds.map(({ axes: own }) => own.copy_engines));
  const applicable = bounds.filter(({ axes: own }) => own.copy_engines === most);
  const known = applicable.length === 1 && typeof applicable[0].median === 'number';
  const derived = time !== null && efficiency !== null ? time * efficiency : null;
  return { time, efficiency, bound: known ? applicable[0].median : derived, engines: known ? most : null };
}

/** Whether two places have equal values on all axes that both have. */
const agree = (a, b) => Object.keys(a).every((name) => !(name in b) || a[name] === b[name]);

/** Of more than `count` variants those to begin with: one for each value of the axis `x`, the shortest of a value that
 * has most of them, and of the others those most like it; in their order. */
export function firstShown(variants, x, count) {
  if (variants.length <= count) return variants;
  const siblings = ({ axes }) => variants.filter((other) => other.axes[x] === axes[x]).length;
  const [model] = [...variants].sort((a, b) => siblings(b) - siblings(a) || a.length - b.length);
  const alike = ({ axes }) => Object.keys(axes).filter((name) => axes[name] === model.axes[name]).length;
  const chosen = new Map();
  for (const variant of variants) {
    const other = chosen.get(variant.axes[x]);
    const nearer = other && (alike(variant) - alike(other) || other.length - variant.length);
    if (!other || nearer > 0) chosen.set(variant.axes[x], variant);
  }
  const shown = new Set([...chosen.values()].slice(0, count));
  return variants.filter((variant) => shown.has(variant));
}

const SIGNS = { 'copy-up': '↑', 'copy-down': '↓', 'copy-peer': '→' };
const CHARACTER = 6.3; // px of a digit or letter at 11 px, on the wide side

/** What is written on a span that is `width` px wide: its whole label, the sign of its kind with the number of its
 * chunk or device, the number alone, or nothing. `digits` are those of the longest number, so that neighbours are
 * written alike. */
export function inscription({ kind, label }, width, digits) {
  const sign = SIGNS[kind] ?? '';
  const number = numberOf(label);
  const fits = (length) => length * CHARACTER + 4 <= width;
  if (label && fits(label.length + 1)) return label;
  if (number && fits(sign.length + digits)) return sign + number;
  return number && fits(digits) ? number : '';
}

/** The chunk that a label speaks of, or the device that it goes to; other numbers are sizes. */
const numberOf = (label) => /\b(?:chunk|device) (\d+)/.exec(label)?.[1] ?? '';

/** How many digits the longest number among the labels has. */
export const digitsOf = ({ spans }) => spans.reduce((most, { label }) => Math.max(most, numberOf(label).length), 0);
