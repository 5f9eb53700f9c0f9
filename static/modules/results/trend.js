// The data of a trend (GET /series): a point over time, its shifts, and its sentence.

import { dateTime, percent, plural, quantity } from '../text/format.js';
import { shownUnit } from '../text/units.js';

const RECENT_RUNS = 20; // a shift within so many runs is recent
const WEEK_MS = 7 * 86_400_000;
const SPARK_RANGE = 0.05; // as a share of the values

/** A series with the unit in which its values are shown. */
export const inShownUnit = (series) => ({
  ...series,
  point: { ...series.point, unit: shownUnit(series.point.metric, series.point.unit) },
});

/** The values of a series, oldest first: the API's with `index`, from 0, and `shift`, the shift that begins there or
 * null. */
export function valuesOf({ values, shifts }) {
  const byRun = new Map(shifts.map((shift) => [shift.run, shift]));
  return [...values].reverse().map((value, index) => ({ ...value, index, shift: byRun.get(value.run) ?? null }));
}

/** What to know about a value of a series, in words: [{word, tone}]. */
export function marksOf({ verified, cautions, contended, pinned, environment_changed: changed }) {
  return [
    verified === false && { word: 'wrong result', tone: 'bad' },
    contended && { word: 'contended', tone: 'warn' },
    ...cautions.map(({ name }) => ({ word: name, tone: 'warn' })),
    pinned && { word: 'pinned', tone: '' },
    changed && { word: 'environment changed', tone: '' },
  ].filter(Boolean);
}

/** Where marks are in a series, its values oldest first: [{index, texts}] in their order, those between the same two
 * values together. `index` is that of the value that follows, their number after the last one. A mark before the first
 * value is left out. */
export function placedMarks(values, marks) {
  const placed = new Map();
  for (const { at, text } of marks) {
    const index = values.filter((value) => value.at < at).length; // both are texts of the API
    if (index > 0) placed.set(index, [...(placed.get(index) ?? []), text]);
  }
  return [...placed].map(([index, texts]) => ({ index, texts }));
}

/** Whether a relative change is an improvement; null where neither direction is. */
export const isBetter = (relative, better) => (better ? relative > 0 === (better === 'higher') : null);

/** A relative change as text: "4.6 % higher". */
export const changeText = (relative) => `${percent(Math.abs(relative))} ${relative < 0 ? 'lower' : 'higher'}`;

/** The latest shift: {shift, runs, recent}: how many runs there have been since, counting its own; null without one. */
export function latestShift(series) {
  const shift = series.shifts.at(-1);
  if (!shift) return null;
  const runs = series.values.findIndex(({ run }) => run === shift.run) + 1;
  return { shift, runs, recent: runs > 0 && runs <= RECENT_RUNS };
}

/** Why a series has no shift: 'too few runs' to find one, or 'none'. */
export const noShiftReason = ({ shift_runs_missing: missing }) => (missing ? 'too few runs' : 'none');

/** The newest value that is a week older than the newest of all, or more: {median, at, change}; `change` says how much
 * the newest differs from it. Null without one. */
export function weekBefore({ values }) {
  const [newest] = values;
  const found = values.find(({ at }) => Date.parse(newest.at) - Date.parse(at) >= WEEK_MS);
  if (!found) return null;
  const { median, at } = found;
  const relative = newest.median / median - 1;
  return { median, at, relative, change: median === newest.median ? 'the same' : changeText(relative) };
}

/** The answer in sentences: the newest value, its distance from that of a week before and from the baseline, the latest
 * shift. */
export function trendText(series) {
  const { point, values, baseline } = series;
  if (!values.length) return 'No run has measured this point.';
  const [newest] = values;
  const text = (value) => quantity(value, point.unit);
  const sentences = [`${text(newest.median)} in the newest of ${plural(values.length, 'run')}${series.next ? ' or more' : ''}.`];
  const earlier = weekBefore(series);
  if (earlier)
    sentences.push(`A week before, on ${dateTime(earlier.at).slice(0, 10)}, it was ${text(earlier.median)}: now ${earlier.change}.`);
  if (baseline && baseline.run !== newest.run) {
    const relative = newest.median / baseline.median - 1;
    sentences.push(`That is ${changeText(relative)} than the baseline of ${text(baseline.median)}.`);
  }
  const latest = latestShift(series);
  if (latest) {
    const at = values.find(({ run }) => run === latest.shift.run)?.at;
    const direction = { true: 'an improvement', false: 'a regression' }[isBetter(latest.shift.relative, point.better)];
    sentences.push(
      `The level has been ${changeText(latest.shift.relative)} since ${at ? dateTime(at).slice(0, 10) : 'an older run'}` +
        `${direction ? `, ${direction}` : ''}.`,
    );
  } else sentences.push(noShiftReason(series) === 'none' ? 'No lasting shift.' : 'Too few runs to find a lasting shift.');
  return sentences.join(' ');
}

/** Rows of an overview {series, …} in its order: those that have shifted recently first, then those with the most
 * runs. */
export function inOverviewOrder(rows) {
  const recent = ({ series }) => Number(latestShift(series)?.recent ?? false);
  return [...rows].sort((a, b) => recent(b) - recent(a) || b.series.values.length - a.series.values.length);
}

/** The range of the vertical axis around some values with their quartiles, as little of it empty as possible. */
export function tightRange(values) {
  const all = values.flatMap(({ median, q1, q3 }) => [median, q1, q3]).filter(Number.isFinite);
  if (!all.length) return [0, 1];
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const margin = (high - low) * 0.08 || Math.abs(high) * 0.01 || 1;
  return [low - margin, high + margin];
}

/** The path of a sparkline of `values` (of the API, newest first) in a box of `width` by `height`. The box is at least
 * SPARK_RANGE high, so that noise looks like noise. */
export function sparkline(values, width, height) {
  const medians = [...values].reverse().map(({ median }) => median);
  const [low, high] = [Math.min(...medians), Math.max(...medians)];
  const middle = (low + high) / 2;
  const span = Math.max(high - low, Math.abs(middle) * SPARK_RANGE) || 1;
  const x = (index) => (medians.length > 1 ? (index * width) / (medians.length - 1) : width / 2);
  const y = (value) => height / 2 - ((value - middle) / span) * height;
  const round = (value) => Math.round(value * 10) / 10;
  return `M${medians.map((value, index) => `${round(x(index))} ${round(y(value))}`).join('L')}`;
}
