// Pictures of one size: which sizes there are among some measurements, a size being all their axes of numbers together
// (m, n and k of a product).

import { axisWords } from './displaynames.js';

/** Whether a view shows one size at a time. */
export const isOfOneSize = ({ kind }) => ['ladder', 'roofline', 'matrix'].includes(kind);

const numbersOf = (measurement, axes) =>
  axes
    .filter(({ name }) => typeof measurement.axes?.[name] === 'number')
    .map((axis) => [axis, measurement.axes[axis.name]]);

const keyOf = (numbers) => JSON.stringify(numbers.map(([{ name }, value]) => [name, value]));

/** [{key, words, count: of measurements}], the smallest first; skipped ones do not count. */
export function sizesOf(measurements, axes) {
  const sizes = new Map();
  for (const measurement of measurements) {
    if (measurement.skipped) continue;
    const numbers = numbersOf(measurement, axes);
    const key = keyOf(numbers);
    sizes.set(key, { numbers, count: (sizes.get(key)?.count ?? 0) + 1 });
  }
  const product = ({ numbers }) => numbers.reduce((all, [, value]) => all * value, 1);
  return [...sizes]
    .sort(([, a], [, b]) => product(a) - product(b))
    .map(([key, { numbers, count }]) => ({
      key,
      count,
      words: numbers.map(([axis, value]) => axisWords(axis, value)).join(' × '),
    }));
}

/** The size to show when none is chosen: the largest; of a run that is not `complete` the largest of the fullest, so
 * that one that has only begun does not take the place of a whole one. Null when there is none. */
export function firstSize(sizes, complete) {
  const most = Math.max(...sizes.map(({ count }) => count));
  return sizes.filter(({ count }) => complete || count === most).at(-1)?.key ?? null;
}

/** What the numbers of a size are, in their order: "m × n × k". */
export function sizeNames(measurements, axes) {
  const [first] = measurements;
  return first
    ? numbersOf(first, axes)
        .map(([{ title }]) => title)
        .join(' × ')
    : '';
}

/** Those of one size. */
export const atSize = (measurements, axes, key) =>
  measurements.filter((measurement) => keyOf(numbersOf(measurement, axes)) === key);
