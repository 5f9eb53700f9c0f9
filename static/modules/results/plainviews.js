// Views of measurements that no view of their experiment shows, as those of an imported run of an experiment that this
// lab does not have.

import { metricsOf } from './measurementrows.js';

const WIDE = 32; // the least ratio of the largest to the smallest value of a logarithmic axis

/** A view of each metric, in the form of an experiment's views: lines over the numeric axis with the most values or,
 * where no numeric axis has several, bars. A throughput whose arithmetic intensity is known has a roofline too. */
export function plainViews(measurements, experiment) {
  const views = viewsOfMetrics(measurements, experiment);
  const throughput = views.find(({ name }) => name === 'throughput');
  const hasIntensity = measurements.some(({ metric }) => INTENSITIES.includes(metric));
  return throughput && hasIntensity ? [...views, { ...throughput, ...ROOFLINE, y: throughput.x }] : views;
}

const INTENSITIES = ['intensity', 'counted_intensity'];
const ROOFLINE = { name: 'roofline', title: 'Roofline', kind: 'roofline', log_x: true, log_y: true };

const viewsOfMetrics = (measurements, experiment) =>
  metricsOf(measurements, experiment.metrics).map(({ name, title }) => {
    const axes = valuesByAxis(measurements.filter(({ metric }) => metric === name));
    const [x, values] = widest(axes.filter(([, found]) => found.size > 1 && isNumeric(found))) ?? widest(axes) ?? [null, new Set()];
    const numbers = isNumeric(values) && values.size > 1 ? [...values] : null;
    return {
      name,
      title,
      kind: numbers ? 'line' : 'bars',
      metric: name,
      x,
      y: null,
      log_x: numbers !== null && Math.min(...numbers) > 0 && Math.max(...numbers) >= WIDE * Math.min(...numbers),
      log_y: false,
      slope: null,
    };
  });

/** The values of the axes that all measurements have: [[name, Set]]. */
function valuesByAxis(measurements) {
  const values = new Map(Object.keys(measurements[0].axes).map((name) => [name, new Set()]));
  for (const { axes } of measurements)
    for (const [name, found] of values) {
      if (name in axes) found.add(axes[name]);
      else values.delete(name);
    }
  return [...values];
}

const isNumeric = (values) => [...values].every((value) => typeof value === 'number');

/** The entry with the most values, the first of several; undefined if there is none. */
const widest = (entries) => entries.reduce((best, one) => (best && best[1].size >= one[1].size ? best : one), undefined);
