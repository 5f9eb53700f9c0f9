// The headline figures of a run, each with the point that it was measured at, its cautions, and where it stands: among
// the earlier runs on that device model, and against published figures.

import { cautionTags } from '../../parts/cautiontags.js';
import { trendAddress } from '../../parts/trendlink.js';
import { headlineFigures, shownIn } from '../../results/headline.js';
import { axesOf } from '../../results/measurementrows.js';
import { labelOf } from '../../results/series.js';
import { standingOf } from '../../results/standing.js';
import { h, replace } from '../../dom.js';

/** Returns {element, update(run, measurements, normal)}; `normal` is the answer of GET /runs/{id}/normal, or null. The
 * element is empty while there are no figures. */
export function headlines({ experiment }) {
  const element = h('dl', { class: 'headlines', 'aria-label': 'Headline figures' });
  return {
    element,
    update(run, measurements, normal) {
      const figures = headlineFigures(run);
      element.classList.toggle('many', figures.length > 3);
      replace(
        element,
        figures.map((figure, at) => {
          const shown = shownIn(figure, measurements, experiment);
          const tags = (source) => (source ? cautionTags(source, run) : null);
          return h(
            'div',
            { class: 'run-figure' },
            h('dt', {}, figure.title, h('span', { class: 'figure-where aside' }, whereText(figure, measurements, experiment))),
            h(
              'dd',
              { class: 'figure-value' },
              valueParts(figure.text),
              tags(shown.value),
              figure.share ? h('span', { class: 'figure-share aside' }, figure.share, ' ', tags(shown.share)) : null,
            ),
            standing(
              normal?.headlines[at],
              run.headline[at],
              normal?.model,
              trendAddress({ ...figure, experiment: run.experiment, device: normal?.model }),
            ),
          );
        }),
      );
    },
  };
}

/** The number, and its unit in a quieter colour. */
function valueParts(text) {
  const [number, ...unit] = text.split('\u00a0');
  return [h('span', {}, number), unit.length ? h('span', { class: 'unit' }, unit.join('\u00a0')) : null];
}

/** The point of a figure, by the axes that vary in the run and that its title does not name. Of axes that are always
 * equal, such as m, n and k of square matrices, the first is named. */
function whereText({ title, metric, axes }, measurements, { axes: known, headlines: declared }) {
  const own = measurements.filter((one) => one.metric === metric && !one.skipped);
  const named = declared?.find((one) => one.title === title && one.metric === metric)?.at ?? {};
  const { varying } = axesOf(own, known);
  const repeats = ({ name }, other) => own.every((one) => typeof one.axes[name] === 'number' && one.axes[name] === one.axes[other.name]);
  const naming = varying.filter(
    (axis, at) => !(axis.name in named) && !varying.slice(0, at).some((before) => repeats(axis, before)),
  );
  return labelOf({ axes }, naming, '');
}

/** Where a figure stands, with a link to its trend, the address `trend`; null: without. */
function standing(normal, headline, model, trend) {
  if (!normal || normal.metric !== headline.metric) return null;
  const { tone, history, range, published } = standingOf(normal, headline.lowest, model);
  return [
    history
      ? h(
          'dd',
          { class: `figure-standing ${tone}`.trim() },
          trend ? h('a', { href: trend }, history) : history,
          range ? h('span', { class: 'aside' }, ` · ${range}`) : null,
        )
      : null,
    published ? h('dd', { class: 'figure-standing' }, published) : null,
  ];
}
