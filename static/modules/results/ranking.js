// The ranking of a sweep over machines: for each headline figure the machines from best to worst, and those that
// deviate.

import { percent, progressText } from '../text/format.js';
import { medianOf } from './median.js';

const MAD_SCALE = 1.4826; // of normally distributed values, the median absolute deviation times this is the standard deviation
const DEVIATION_MIN = 3; // of an outlier, in scaled MADs
const RELATIVE_MIN = 0.02; // of an outlier, as a share of the median
const RELATIVE_MIN_OF_FEW = 0.05; // the same among fewer than FEW machines
const FEW = 4;

/** Whether each of the values is an outlier: it deviates from the median of all by more than three scaled MADs, and by
 * more than 2 % (5 % where there are fewer than four values). None is where the median is 0, of which there are no
 * shares. */
export function outliersOf(values) {
  const median = medianOf(values);
  const deviation = (value) => Math.abs(value - median);
  const relative = values.length < FEW ? RELATIVE_MIN_OF_FEW : RELATIVE_MIN;
  const least = Math.max(DEVIATION_MIN * MAD_SCALE * medianOf(values.map(deviation)), relative * Math.abs(median));
  return values.map((value) => median !== 0 && deviation(value) > least);
}

/** Returns {figures, unranked} of `places`: [{machine, run}], a run on each machine, null where it is missing.
 * `figures` are [{title, metric, unit, median, entries, missing}]: `entries` from best to worst, {machine, run, value,
 * share, deviation, outlier}: `share` of the largest value, `deviation` from the median as a share of it, and
 * `outlier`: "better", "worse" or null; `missing` are the machines whose runs have succeeded without this figure.
 * `unranked` are the places without figures. */
export function rankingOf(places) {
  const hasFigures = ({ run }) => run?.status === 'succeeded' && run.headline?.length > 0;
  const ranked = places.filter(hasFigures);
  return {
    figures: titlesOf(ranked).map((figure) => figureOf(figure, ranked)),
    unranked: places.filter((place) => !hasFigures(place)),
  };
}

const isSame = (one, other) => one.title === other.title && one.metric === other.metric;

/** The headlines that any of the runs has, in the order of the run with the most. */
function titlesOf(ranked) {
  const all = ranked.map(({ run }) => run.headline).sort((a, b) => b.length - a.length).flat();
  return all.filter((one, at) => all.findIndex((other) => isSame(one, other)) === at);
}

function figureOf(figure, ranked) {
  const valueOf = ({ run }) => run.headline.find((one) => isSame(one, figure))?.value;
  const measured = ranked.filter((place) => typeof valueOf(place) === 'number');
  const values = measured.map(valueOf);
  const [median, largest, outliers] = [medianOf(values), Math.max(...values), outliersOf(values)];
  const isBetter = (value) => value > median !== Boolean(figure.lowest);
  const entries = measured.map((place, at) => ({
    ...place,
    value: values[at],
    share: largest > 0 ? values[at] / largest : 0,
    deviation: median === 0 ? 0 : values[at] / median - 1,
    outlier: outliers[at] ? (isBetter(values[at]) ? 'better' : 'worse') : null,
  }));
  entries.sort((a, b) => (figure.lowest ? a.value - b.value : b.value - a.value));
  const { title, metric, unit } = figure;
  return { title, metric, unit, median, entries, missing: ranked.filter((place) => !measured.includes(place)).map(({ machine }) => machine) };
}

/** "17 % below the median of 8" */
export const deviationText = ({ deviation }, count) =>
  `${percent(Math.abs(deviation))} ${deviation < 0 ? 'below' : 'above'} the median of ${count}`;

/** Why a machine has no figures: the end of its run, or how far it is. */
export function unrankedText({ run }) {
  if (!run) return 'its run was deleted';
  if (run.error) return run.error.detail || run.error.title;
  if (run.status === 'succeeded') return 'its run has no headline figure';
  return run.status === 'running' ? progressText(run.progress) : '';
}
