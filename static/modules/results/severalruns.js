// Several runs of an experiment as one: the run is an axis of their measurements, so that all charts and tables can
// show them together.

import { cautionsOf } from './cautions.js';
import { headlineFigures } from './headline.js';

export const RUN_AXIS = 'run';

/** The names of runs in a chart: what `textOf(run)` says where that tells them apart, otherwise with `shortId(id)`. */
export function runNames(runs, textOf, shortId) {
  const texts = runs.map(textOf);
  const isAlone = (text) => texts.filter((other) => other === text).length === 1;
  return runs.map(({ id }, at) => (isAlone(texts[at]) ? texts[at] : `${texts[at]} · ${shortId(id)}`));
}

/** The experiment with the run as its last axis, which no chart leaves out for having too many series. */
export const withRunAxis = (experiment) => ({
  ...experiment,
  axes: [...(experiment.axes ?? []), { name: RUN_AXIS, title: 'Run', unit: null, compared: true }],
});

/** The measurements of all runs, [{run, name, measurements}], without those of the base of a run that compares; each
 * has the cautions of its run. */
export const joinedMeasurements = (sides) =>
  sides.flatMap(({ run, name, measurements }) =>
    measurements
      .filter(({ side }) => side !== 'base')
      .map((one) => ({ ...one, axes: { ...one.axes, [RUN_AXIS]: name }, cautions: cautionsOf(one, run) })),
  );

/** The headline figures of several runs beside each other: {titles, rows: [{run, cells: [{text, ratio}]}]}; `ratio` is
 * to the figure of the first run at the same point, null where it has none or another. A cell is null where the run
 * lacks the figure. */
export function figureTable(runs) {
  const keyOf = ({ title, metric }) => `${title}\n${metric}`;
  const titles = new Map(runs.flatMap((run) => headlineFigures(run).map((figure) => [keyOf(figure), figure.title])));
  const valuesOf = ({ headline }) => new Map((headline ?? []).map((one) => [keyOf(one), one]));
  const samePoint = (a, b) => JSON.stringify(Object.entries(a.axes ?? {}).sort()) === JSON.stringify(Object.entries(b.axes ?? {}).sort());
  const [first] = runs.map(valuesOf);
  const rows = runs.map((run, at) => {
    const [values, figures] = [valuesOf(run), new Map(headlineFigures(run).map((one) => [keyOf(one), one]))];
    const cells = [...titles.keys()].map((key) => {
      const [own, base] = [values.get(key), first.get(key)];
      if (!own) return null;
      const isComparable = at > 0 && base?.value > 0 && Number.isFinite(own.value) && samePoint(own, base);
      return { text: figures.get(key).text, ratio: isComparable ? own.value / base.value : null };
    });
    return { run, cells };
  });
  return { titles: [...titles.values()], rows };
}
