// Which views fit what a run has measured, above all those of runs over several sizes at once (the shapes m × n × k of
// matrix products), and where a table of shapes has values above the reference.

import { rowAxesOf, TIMES } from './matrix.js';
import { isShownIn } from './series.js';

/** Whether the first of some axes determines the others, as m does n and k of square matrices: a chart over the first
 * then shows all. It does not if it has one value only, but the others have several. */
function isOneDimensional(measurements, [first, ...others]) {
  const texts = new Map(); // by the value on the first axis
  const all = new Set();
  for (const { axes } of measurements) {
    if (!(first in axes)) continue;
    const text = others.map((name) => axes[name]).join();
    if (texts.has(axes[first]) && texts.get(axes[first]) !== text) return false;
    texts.set(axes[first], text);
    all.add(text);
  }
  return texts.size > 1 || all.size <= 1;
}

/** Whether measurements of these sizes (sizesOf) are of several shapes, which no single axis tells apart. */
export const hasShapes = (measurements, sizes) =>
  sizes.length > 1 && !isOneDimensional(measurements, JSON.parse(sizes[0].key).map(([name]) => name));

/** Series over `x` of measurements without sizes, each with the points of all `measurements` that belong to it:
 * {x, measurement, shape}, `shape` being the sizes as a text. */
export function ofAllSizes(series, x, measurements) {
  const measured = measurements.filter(({ skipped }) => !skipped);
  const shapeOf = ({ axes }) => Object.values(axes).filter((value) => typeof value === 'number').join(TIMES);
  return series.map((one) => {
    const own = Object.entries(one.points[0].measurement.axes).filter(([name]) => name !== x);
    const matching = measured.filter(({ axes }) => own.every(([name, value]) => axes[name] === value));
    return { ...one, points: matching.map((measurement) => ({ x: measurement.axes[x], measurement, shape: shapeOf(measurement) })) };
  });
}

/** The views that fit the measurements: if the first of the axes of a view with rows of several axes determines the
 * others, lines over that axis, otherwise the view with the rows instead. */
export function fittingViews(views, measurements) {
  const ofShapes = views.filter((view) => view.kind === 'heat' && rowAxesOf(view).length > 1);
  if (!ofShapes.length) return views;
  const names = rowAxesOf(ofShapes[0]);
  if (isOneDimensional(measurements, names)) return views.filter((view) => !ofShapes.includes(view));
  return views.filter(({ kind, x }) => kind !== 'line' || x !== names[0]);
}

/** The views without those over an axis of which only one value was measured, which cannot show how the metric depends
 * on it; all where no other is left. */
export function withSeveralValues(views, measurements) {
  const valuesOf = (view) => new Set(measurements.filter(isShownIn(view)).map(({ axes }) => axes[view.x]));
  const telling = views.filter((view) => view.kind !== 'line' || valuesOf(view).size > 1);
  return telling.length ? telling : views;
}

/** Whether at least three quarters of the samples were faster than the reference with which they were taken
 * alternately. */
export const isFaster = ({ metric, verified, q1 }) => metric === 'share_of_reference' && verified !== false && q1 > 1;

/** In how many rows of all tables of matricesOf one value is above the reference: {faster, rows}. */
export function fasterRows({ groups }) {
  const rows = groups.flatMap(({ tables }) => tables).flatMap(({ cells }) => [...cells.values()]);
  return { faster: rows.filter((row) => [...row.values()].some(isFaster)).length, rows: rows.length };
}
