// The attempts at a kernel or a program: its runs, with what each has reached and how its text differs from the one
// before. No DOM.

import { quantity } from '../text/format.js';
import { changeText } from '../text/linediff.js';
import { shownUnit } from '../text/units.js';

/** For each run (with its `text`), newest first, {run, figure, share, change}: `figure` is the first headline as
 * {title, text} or null, `share` its part of the largest one of the same metric, `change` the changed lines since the
 * attempt before ("+3 −1"), or since `original` for the first. */
export function attemptRows(runs, original) {
  const headline = ({ headline: list }) => list?.[0] ?? null;
  const largest = (metric) =>
    Math.max(
      ...runs
        .map(headline)
        .filter((one) => one?.metric === metric)
        .map(({ value }) => value),
    );
  return runs.map((run, at) => {
    const best = headline(run);
    return {
      run,
      figure: best && { title: best.title, text: quantity(best.value, shownUnit(best.metric, best.unit)) },
      share: best ? best.value / largest(best.metric) : 0,
      change: changeText(runs[at + 1]?.text ?? original, run.text),
    };
  });
}
