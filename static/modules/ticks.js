// Where the marks of a logarithmic axis go, and which of them are labelled.

/** Powers of two within [min, max], as many as fit at `room` pixels each along `length` pixels: steps of 2, 4, 16,
 * 64, 1024 … */
export function binaryTicks(min, max, length, room) {
  const [low, high] = [Math.ceil(Math.log2(min) - 1e-9), Math.floor(Math.log2(max) + 1e-9)];
  const fits = Math.max(2, Math.floor(length / room));
  const step = [1, 2, 4, 5, 10, 20].find((candidate) => (high - low) / candidate + 1 <= fits) ?? 40;
  const ticks = [];
  for (let exponent = Math.ceil(low / step) * step; exponent <= high; exponent += step) ticks.push(2 ** exponent);
  return ticks.length > 1 ? ticks : evenTicks(min, max, fits);
}

const PATTERNS = [[1, 2, 3, 4, 5, 6, 7, 8, 9], [1, 2, 5], [1, 3], [1]];

/** Decimal marks within [min, max]: 1-2-5 and finer where decades are wide, whole decades (or every second, …) where
 * not. */
export function decimalTicks(min, max, length, room) {
  const [low, high] = [Math.floor(Math.log10(min) + 1e-9), Math.floor(Math.log10(max) + 1e-9)];
  const decade = length / Math.max(1e-9, Math.log10(max / min));
  const widest = (pattern) =>
    Math.min(...pattern.map((digit, index) => Math.log10((pattern[index + 1] ?? 10) / digit)));
  const pattern = PATTERNS.find((candidate) => widest(candidate) * decade >= room) ?? [1];
  const stride = pattern.length > 1 ? 1 : Math.max(1, Math.ceil(room / decade));
  const ticks = [];
  for (let exponent = low; exponent <= high; exponent += 1) {
    if (((exponent % stride) + stride) % stride) continue;
    for (const digit of pattern) {
      const tick = Number(`${digit}e${exponent}`);
      if (tick >= min * (1 - 1e-9) && tick <= max * (1 + 1e-9)) ticks.push(tick);
    }
  }
  return ticks.length > 2 ? ticks : evenTicks(min, max, Math.max(3, Math.floor(length / room)));
}

/** For a range too narrow to show that the axis is logarithmic: at most `count` even steps of 1, 2 or 5. */
function evenTicks(min, max, count) {
  const rough = 10 ** Math.floor(Math.log10((max - min) / count));
  const step = [1, 2, 5, 10, 20].map((factor) => factor * rough).find((candidate) => (max - min) / candidate <= count);
  const ticks = [];
  for (let index = Math.ceil(min / step); index * step <= max; index += 1)
    ticks.push(Number((index * step).toPrecision(12)));
  return ticks;
}
