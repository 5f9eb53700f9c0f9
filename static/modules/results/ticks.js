// Positions of axis ticks: logarithmic, linear and time axes.

/** The integers within [low, high] at a distance of `step`: its multiples, or if other integers are more, those. */
function everyStep(low, high, step) {
  const from = (first) => Array.from({ length: Math.max(0, Math.floor((high - first) / step) + 1) }, (_, i) => first + i * step);
  const multiples = from(Math.ceil(low / step) * step);
  return multiples.length < from(low).length ? from(low) : multiples;
}

/** Powers of two within [min, max], at least `spacing` px apart along `length` px: every power, or every second,
 * fourth, fifth, … exponent. A range with fewer than two powers gets evenly spaced ticks. */
export function binaryTicks(min, max, length, spacing) {
  const [low, high] = [Math.ceil(Math.log2(min) - 1e-9), Math.floor(Math.log2(max) + 1e-9)];
  const most = Math.max(2, Math.floor(length / spacing));
  const step = [1, 2, 4, 5, 10, 20].find((candidate) => (high - low) / candidate + 1 <= most) ?? 40;
  const ticks = everyStep(low, high, step).map((exponent) => 2 ** exponent);
  return ticks.length > 1 ? ticks : evenTicks(min, max, most);
}

/** The multiples of a power of ten that get a tick, the densest first. */
const PATTERNS = [[1, 2, 3, 4, 5, 6, 7, 8, 9], [1, 2, 5], [1, 3], [1]];

/** Ticks of a logarithmic axis within [min, max], at least `spacing` px apart along `length` px: at multiples
 * from PATTERNS where a decade is wide, otherwise at every decade, or every second, third, … decade. */
export function decimalTicks(min, max, length, spacing) {
  const [low, high] = [Math.floor(Math.log10(min) + 1e-9), Math.floor(Math.log10(max) + 1e-9)];
  const decade = length / Math.max(1e-9, Math.log10(max / min));
  const widest = (pattern) =>
    Math.min(...pattern.map((digit, index) => Math.log10((pattern[index + 1] ?? 10) / digit)));
  const pattern = PATTERNS.find((candidate) => widest(candidate) * decade >= spacing) ?? [1];
  const stride = pattern.length > 1 ? 1 : Math.max(1, Math.ceil(spacing / decade));
  const first = stride > 1 ? Math.ceil(Math.log10(min) - 1e-9) : low;
  const ticks = everyStep(first, high, stride)
    .flatMap((exponent) => pattern.map((digit) => Number(`${digit}e${exponent}`)))
    .filter((tick) => tick >= min * (1 - 1e-9) && tick <= max * (1 + 1e-9));
  return ticks.length > (stride > 1 ? 1 : 2) ? ticks : evenTicks(min, max, Math.max(3, Math.floor(length / spacing)));
}

/** Ticks at whole numbers within [min, max]: at every one or, where these are more than `count`, at every second,
 * fifth, tenth, …. The first whole number also gets a tick if the next tick is at least half a step away. */
export function countTicks(min, max, count) {
  const [low, high] = [Math.ceil(min - 1e-9), Math.floor(max + 1e-9)];
  const step = [1, 2, 5, 10, 20].find((one) => (high - low) / one + 1 <= count) ?? 50;
  const ticks = [];
  for (let tick = Math.ceil(low / step) * step; tick <= high; tick += step) ticks.push(tick);
  return ticks[0] - low >= step / 2 ? [low, ...ticks] : ticks;
}

/** At most `count` ticks in equal steps of 1, 2 or 5 times a power of ten. Also used for a logarithmic axis whose range
 * contains too few powers. */
export function evenTicks(min, max, count) {
  const rough = 10 ** Math.floor(Math.log10((max - min) / count));
  const step = [1, 2, 5, 10, 20].map((factor) => factor * rough).find((candidate) => (max - min) / candidate <= count);
  const ticks = [];
  for (let index = Math.ceil(min / step); index * step <= max; index += 1)
    ticks.push(Number((index * step).toPrecision(12)));
  return ticks;
}

const TIME_UNITS = [
  ['ns', 1],
  ['µs', 1e3],
  ['ms', 1e6],
  ['s', 1e9],
];

/** Ticks of a time axis within [min, max] ns, at least `spacing` px apart along `length` px: [{at, text}]. All have the
 * same unit, chosen for `max`, and as many decimals as are needed to distinguish them. */
export function timeTicks(min, max, length, spacing) {
  const shortest = ((max - min) / length) * spacing;
  if (!(shortest > 0)) return [];
  const decade = 10 ** Math.floor(Math.log10(shortest));
  const step = Math.max(
    1,
    [1, 2, 5, 10].map((factor) => factor * decade).find((one) => one >= shortest * (1 - 1e-9)),
  );
  const [unit, factor] = TIME_UNITS.filter(([, one]) => one <= max).at(-1) ?? TIME_UNITS[0];
  const decimals = Math.max(0, Math.ceil(-Math.log10(step / factor) - 1e-9));
  const write = (value) =>
    value.toLocaleString('en', { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
  const ticks = [];
  for (let index = Math.ceil(min / step - 1e-9); index * step <= max * (1 + 1e-12); index += 1)
    ticks.push({ at: index * step, text: `${index ? write((index * step) / factor) : '0'}\u00a0${unit}` });
  return ticks;
}
