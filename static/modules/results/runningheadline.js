// The headline of a run that has not ended: the best measurements so far. At its end the lab stores the headline with the run.

import { isWrong } from './cautions.js';

/** The headline as in a run's `headline`; null if no measurement counts yet. `headlines` are those of the experiment. */
export function runningHeadline(headlines, measurements) {
  const found = (headlines ?? []).flatMap((headline) => {
    const best = bestOf(headline, measurements);
    if (!best) return [];
    const { metric, unit, median: value, axes } = best;
    return [{ title: headline.title, metric, unit, value, axes, lowest: headline.best === 'lowest' }];
  });
  return found.length ? found : null;
}

function bestOf({ metric, axis, value, largest, best }, measurements) {
  const right = measurements.filter(
    (one) =>
      one.metric === metric &&
      !one.skipped &&
      !isWrong(one) &&
      Number.isFinite(one.median) &&
      (axis === null || one.axes[axis] === value),
  );
  // Bursts count only if nothing is sustained.
  const sustained = right.filter(({ axes }) => axes.load !== 'burst');
  const counting = sustained.length ? sustained : right;
  const size = Math.max(...counting.map(({ axes }) => axes[largest] ?? 0));
  const candidates = largest ? counting.filter(({ axes }) => axes[largest] === size) : counting;
  const isBetter = best === 'lowest' ? (a, b) => a.median < b.median : (a, b) => a.median > b.median;
  return candidates.reduce((found, one) => (found && !isBetter(one, found) ? found : one), null);
}
