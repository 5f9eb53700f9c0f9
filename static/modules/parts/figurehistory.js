// The history of headline figures as small lines beside their titles, which lead to their trends.

import { sparkline } from '../charts/sparkline.js';
import { h } from '../dom.js';
import * as api from '../lab/api.js';
import { headlineFigures, isAtPoint } from '../results/headline.js';
import { historyLine, RUNS_MIN } from '../results/historyline.js';
import { quantity } from '../text/format.js';
import { shownUnit } from '../text/units.js';
import { painted } from '../throttle.js';
import { trendAddress } from './trendlink.js';

const RUNS_MAX = 30; // that a line shows
const POINTS_MAX = 1000; // of an experiment among which that of a figure is

/** Adds the lines to `element` (latestresult.js) of `run`, a summary, when it is seen: of its first `count` figures. A
 * run on several devices has none, nor a figure that few runs have. */
export function showHistories(element, run, { count = Infinity, signal }) {
  if (run.devices?.length !== 1 || run.kernel || run.program) return;
  const seen = new IntersectionObserver((entries) => {
    if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
    seen.disconnect();
    addLines(element, run, count, signal).catch(() => {}); // the figures are complete without them
  });
  seen.observe(element);
  signal.addEventListener('abort', () => seen.disconnect());
}

async function addLines(element, run, count, signal) {
  await painted();
  const [{ name: device }] = run.devices;
  const titles = [...element.querySelectorAll('.latest-figures dt')].slice(0, count);
  const figures = headlineFigures(run).slice(0, titles.length);
  const known = new Map(); // requests by metric: which points have how many runs
  for (const { metric } of figures)
    if (!known.has(metric)) known.set(metric, api.seriesPoints({ experiment: run.experiment, metric, device, limit: POINTS_MAX }, signal));
  await Promise.all(
    titles.map(async (title, at) => {
      const figure = figures[at];
      const { points } = await known.get(figure.metric);
      if (points.some((point) => point.runs >= RUNS_MIN && isAtPoint(point, figure))) await addLine(title, { ...figure, experiment: run.experiment, device }, signal);
    }),
  );
}

async function addLine(title, { title: name, experiment, metric, axes, device }, signal) {
  const point = { experiment, metric, axes, device };
  const { values, point: { unit } } = await api.series({ ...point, limit: RUNS_MAX }, signal);
  const history = historyLine(values);
  if (!history || signal.aborted) return;
  const line = sparkline();
  line.update([history.segment]);
  const text = (value) => quantity(value, shownUnit(metric, unit));
  const label = `${name} of the last ${history.count} runs: ${text(history.low)} to ${text(history.high)}`;
  title.append(' ', h('a', { class: 'latest-history', href: trendAddress(point), title: label, 'aria-label': label }, line.element));
}
