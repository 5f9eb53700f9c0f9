// Formats numbers: values with units, sizes in powers of two, rates in powers of ten, durations and dates. All
// functions are pure.

import { BINARY, stepsOf, TIME, unitStep } from './units.js';

/** Text for a value that is not known. */
export const UNKNOWN = '–';

const SPACE = '\u00a0'; // no-break space: keeps a number and its unit on one line

/** Formats with `least` to `most` decimals and commas between thousands. Without Intl.NumberFormat, because the first
 * one that a page creates takes as long as drawing a chart. */
function decimal(value, least, most) {
  const [whole, decimals = ''] = value.toFixed(most).split('.');
  const kept = decimals.replace(/0+$/, '').padEnd(least, '0');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return kept ? `${grouped}.${kept}` : grouped;
}

const fixed = (value, decimals) => decimal(value, decimals, decimals);

const isNumber = (value) => typeof value === 'number' && Number.isFinite(value);

/** Formats with `digits` significant digits, and a power of ten below 0.001. Trailing zeros are kept so that columns
 * line up; digits before the decimal point are never rounded away. */
export function significant(value, digits = 4) {
  if (!isNumber(value)) return UNKNOWN;
  if (value === 0) return '0';
  const exponent = Math.floor(Math.log10(Math.abs(Number(value.toPrecision(digits)))));
  if (exponent < -3) return value.toExponential(digits - 1);
  return fixed(value, Math.min(12, Math.max(0, digits - 1 - exponent)));
}

/** Formats without trailing zeros: for counts, limits, clock rates. */
export function plain(value, decimals = 3) {
  return isNumber(value) ? decimal(value, 0, decimals) : UNKNOWN;
}

// --- units ---------------------------------------------------------------------------------------------------------

/** A size for display: "256 MiB", "139.8 GiB". */
export function bytes(value) {
  if (!isNumber(value)) return UNKNOWN;
  const [unit, factor] = unitStep(value, BINARY);
  const inUnit = value / factor;
  return `${Number.isInteger(inUnit) ? plain(inUnit) : plain(Number(inUnit.toPrecision(4)))}${SPACE}${unit}`;
}

/** A size for a text field, in the largest unit that represents it exactly: parseSize(sizeText(n)) is n. */
export function sizeText(value) {
  if (!isNumber(value)) return '';
  for (const [unit, factor] of [...BINARY].reverse()) {
    if (Math.abs(value) >= factor && Number.isInteger((value / factor) * 100)) return `${value / factor} ${unit}`;
  }
  return `${value} B`;
}

const POWER = /^(\d+) *(\^|<<) *(\d+)$/;
const SIZE = /^([-+]?(?:\d+\.?\d*|\.\d+))(?:e([-+]?\d+))?\s?(?:([kmgt])(i?)(b?)|b)?$/i;

/** The number that "256 MiB", "64K", "1.5 GiB", "1 MB" (10^6), "2^20" or "4 096" stands for, as the lab reads it
 * (kernels/core/number.h; tests/sizes.json is for both); null when `text` is none. */
export function parseSize(text) {
  const typed = text.trim().replace(/(?<=\d)[ _](?=\d)/g, '');
  const power = POWER.exec(typed);
  if (power) return power[2] === '^' ? Number(power[1]) ** Number(power[3]) : Number(power[1]) * 2 ** Number(power[3]);
  const size = SIZE.exec(typed);
  if (!size) return null;
  const [, digits, exponent = 0, letter = '', binary, byte] = size;
  const step = letter ? 'kmgt'.indexOf(letter.toLowerCase()) + 1 : 0;
  const decimal = byte && !binary;
  return Number(`${digits}e${Number(exponent) + (decimal ? 3 * step : 0)}`) * (decimal ? 1 : 1024 ** step);
}

/** A value with the unit of `steps` that suits its magnitude; without `digits`, up to four significant digits and no
 * trailing zeros. */
function scaled(value, steps, digits) {
  if (!isNumber(value)) return UNKNOWN;
  const [unit, factor] = unitStep(value, steps);
  const text = digits ? significant(value / factor, digits) : plain(Number((value / factor).toPrecision(4)));
  return `${text}${SPACE}${unit}`;
}

/** Bytes per second, in powers of ten. */
export const rate = (value) => scaled(value, stepsOf('B/s'));
export const frequency = (value) => scaled(value, stepsOf('Hz'));
export const flops = (value) => scaled(value, stepsOf('FLOP/s'));

/** A measured time in seconds. */
export function seconds(value, digits = 4) {
  return value === 0 ? `0${SPACE}s` : scaled(value, TIME, digits);
}

const NANOSECONDS = [
  ['ns', 1],
  ['µs', 1e3],
  ['ms', 1e6],
  ['s', 1e9],
];

/** A time in ns, written without rounding: "850 ns", "12.345 µs", "1.234567 ms". */
export function exactTime(value) {
  if (!isNumber(value)) return UNKNOWN;
  const [unit, factor] = unitStep(value, NANOSECONDS);
  return `${fixed(value / factor, Math.round(Math.log10(factor)))}${SPACE}${unit}`;
}

const SHORT_DIGITS = 3; // significant digits of shares and speedups

/** A measured value with its metric's unit (units.js), with a prefix that suits its magnitude: "12.35 µs",
 * "680.9 TFLOP/s", "93.1 %", "2.26x". */
export function quantity(value, unit, digits = 4) {
  if (!isNumber(value)) return UNKNOWN;
  if (unit === 's') return seconds(value, digits);
  if (unit === 'B') return bytes(value);
  if (unit === 'share') return percent(value, Math.min(digits, SHORT_DIGITS));
  if (unit === 'x') return `${significant(value, Math.min(digits, SHORT_DIGITS))}x`;
  const [name, factor] = unitStep(value, stepsOf(unit));
  const text = significant(value / factor, digits);
  return name ? `${text}${SPACE}${name}` : text;
}

/** A number at the tick of an axis: without needless zeros; small numbers as "5e-3". */
export const tickText = (value) => (value !== 0 && Math.abs(value) < 0.01 ? value.toExponential() : plain(value, 9));

/** One unit for several values, chosen for the largest: {unit, factor, write(value)}; `write` returns the number
 * without the unit. */
export function unitFor(unit, largest, digits = 4) {
  if (unit === 'x') return { unit: null, factor: 1, write: (value) => quantity(value, unit, digits) };
  const [name, factor] = unitStep(largest, stepsOf(unit));
  return { unit: name, factor, write: (value) => significant(isNumber(value) ? value / factor : value, digits) };
}

const RANGE_MAX = 1e4; // sizes and times over a wider range each get a unit of their own

/** The unit of an axis or a column with `values`: as unitFor, but sizes and times over a wide range have no common
 * unit: `unit` is null and `write` returns each with its own. */
export function commonUnit(unit, values, digits = 4) {
  let [low, high] = [Infinity, 0];
  for (const value of values) {
    if (!isNumber(value) || value <= 0) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  const own = unit === 'B' || (unit === 's' && high > low * RANGE_MAX);
  return own ? { unit: null, factor: 1, write: (value) => quantity(value, unit, digits) } : unitFor(unit, high, digits);
}

/** A fraction of 1 as a percentage. */
export function percent(value, digits = 2) {
  return isNumber(value) ? `${value === 0 ? '0' : significant(value * 100, digits)}${SPACE}%` : UNKNOWN;
}

/** The progress of a run: "42 %"; '' while it is unknown or has no end. */
export function progressText(progress) {
  const { done, total } = progress ?? {};
  return total > 0 ? `${Math.floor((100 * done) / total)}${SPACE}%` : '';
}

/** What a kernel uses: "32 registers, 0 B local, 4 KiB shared, occupancy 100 %". */
export function kernelText(kernel) {
  if (!kernel) return UNKNOWN;
  const { registers, local_bytes: local, shared_bytes: shared, occupancy } = kernel;
  const memory = `${bytes(local)} local, ${bytes(shared)} shared`;
  return `${plural(registers, 'register')}, ${memory}, occupancy${SPACE}${percent(occupancy)}`;
}

// --- times of day --------------------------------------------------------------------------------------------------

/** A duration in seconds: "0.42 s", "12.3 s", "2 min 05 s". */
export function duration(value) {
  if (!isNumber(value) || value < 0) return UNKNOWN;
  if (value < 10) return `${fixed(value, 2)}${SPACE}s`;
  if (value < 59.95) return `${fixed(value, 1)}${SPACE}s`;
  const rounded = Math.round(value);
  const [hours, minutes, rest] = [Math.floor(rounded / 3600), Math.floor(rounded / 60) % 60, rounded % 60];
  const twoDigits = (number) => String(number).padStart(2, '0');
  return hours
    ? `${hours}${SPACE}h ${twoDigits(minutes)}${SPACE}min`
    : `${minutes}${SPACE}min ${twoDigits(rest)}${SPACE}s`;
}

/** An estimated duration: "0.4 s", "12 s", "2 min 05 s". */
export const roughDuration = (value) => (value < 59.5 ? `${plain(value, value < 10 ? 1 : 0)}${SPACE}s` : duration(value));

/** Seconds between two RFC 3339 times; NaN when either is missing. */
export function elapsed(from, to) {
  return from && to ? (Date.parse(to) - Date.parse(from)) / 1000 : NaN;
}

/** "just now", "5 min ago", "3 h ago", or the date when it is more than a day ago. */
export function ago(time, now = Date.now()) {
  const passed = (now - Date.parse(time)) / 1000;
  if (!Number.isFinite(passed)) return UNKNOWN;
  if (passed < 45) return 'just now';
  if (passed < 3600) return `${Math.max(1, Math.round(passed / 60))} min ago`;
  if (passed < 86400) return `${Math.round(passed / 3600)} h ago`;
  return dateTime(time).slice(0, 10);
}

/** Date and time in the browser's time zone: "2025-01-31 14:05:09". */
export function dateTime(time) {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return UNKNOWN;
  const twoDigits = (number) => String(number).padStart(2, '0');
  return (
    `${date.getFullYear()}-${twoDigits(date.getMonth() + 1)}-${twoDigits(date.getDate())} ` +
    `${twoDigits(date.getHours())}:${twoDigits(date.getMinutes())}:${twoDigits(date.getSeconds())}`
  );
}

/** Date and time in UTC: "2025-01-31 13:05:09 UTC". */
export function utcText(time) {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? UNKNOWN : `${date.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** "1 run", "3 runs". */
export function plural(count, one, many = `${one}s`) {
  return `${plain(count)} ${count === 1 ? one : many}`;
}

const ENDINGS = { 1: 'st', 2: 'nd', 3: 'rd' };

/** "1st", "2nd", "11th", "48th". */
export function ordinal(number) {
  const isTeen = Math.floor(number / 10) % 10 === 1;
  return `${plain(number)}${(!isTeen && ENDINGS[number % 10]) || 'th'}`;
}
