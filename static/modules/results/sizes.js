// The sizes among some measurements, for charts that show one size at a time. A size is the combination of all numeric
// axes (m, n and k of a matrix product).

import { axisValueText } from '../text/displaynames.js';

/** The key of the choice of all sizes, where a view offers it. */
export const ALL_SIZES = 'all';

/** Whether a view shows one size at a time. */
export const showsOneSize = ({ kind }) => ['ladder', 'roofline', 'matrix'].includes(kind);

const numbersOf = (measurement, axes) =>
  axes
    .filter(({ name }) => typeof measurement.axes?.[name] === 'number')
    .map((axis) => [axis, measurement.axes[axis.name]]);

const keyOf = (numbers) => JSON.stringify(numbers.map(([{ name }, value]) => [name, value]));

/** Whether every number of a size is also one of `other`, which has further axes. */
const isPartOf = (numbers, other) =>
  numbers.length < other.length &&
  numbers.every(([{ name }, value]) => other.some(([axis, same]) => axis.name === name && same === value));

/** [{key, text, count: number of measurements}], smallest first; skipped measurements do not count. A measurement that
 * lacks an axis (a library has no size of its blocks) belongs to all sizes that agree in its other axes. */
export function sizesOf(measurements, axes) {
  const sizes = new Map();
  for (const measurement of measurements) {
    if (measurement.skipped) continue;
    const numbers = numbersOf(measurement, axes);
    const key = keyOf(numbers);
    sizes.set(key, { numbers, count: (sizes.get(key)?.count ?? 0) + 1 });
  }
  const all = [...sizes.values()];
  const product = ({ numbers }) => numbers.reduce((value, [, number]) => value * number, 1);
  return [...sizes]
    .filter(([, { numbers }]) => !all.some((other) => isPartOf(numbers, other.numbers)))
    .sort(([, a], [, b]) => product(a) - product(b))
    .map(([key, { numbers, count }]) => ({
      key,
      count,
      text: numbers.map(([axis, value]) => axisValueText(axis, value)).join(' × '),
    }));
}

/** The size to show while none is selected: the largest. Of an unfinished run (`complete` false), the largest among
 * those with the most measurements, so that a size just begun does not replace a finished one. Null when there is no
 * size. */
export function defaultSize(sizes, complete) {
  const most = Math.max(...sizes.map(({ count }) => count));
  return sizes.filter(({ count }) => complete || count === most).at(-1)?.key ?? null;
}

/** The axes of a size, in order: "m × n × k". */
export const sizeTitle = (measurements, axes) =>
  axes
    .filter(({ name }) => measurements.some((measurement) => typeof measurement.axes?.[name] === 'number'))
    .map(({ title }) => title)
    .join(' × ');

/** The measurements of one size, also those that lack some of its axes. */
export function ofSize(measurements, axes, key) {
  const size = new Map(JSON.parse(key ?? '[]'));
  return measurements.filter((measurement) =>
    numbersOf(measurement, axes).every(([{ name }, value]) => size.get(name) === value),
  );
}
