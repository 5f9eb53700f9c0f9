// Beside the pictures: the figures that are read as a table (an experiment's views of kind "table"), those that no
// view shows, and the points that were skipped.

import { h, replace } from '../dom.js';
import { plural } from '../format.js';
import { outsideViews, shows, splitAxes } from '../series.js';
import { pivotTable, skippedList } from './table.js';

/** {element, update(measurements)}. */
export function figures({ experiment }) {
  const views = experiment.views ?? [];
  const tables = views.filter(({ kind }) => kind === 'table');
  const axes = experiment.axes ?? [];
  const metrics = new Map((experiment.metrics ?? []).map((metric) => [metric.name, metric]));
  const element = h('div', { class: 'rest' });

  const column = (name, title) => ({
    metric: name,
    title: title ?? metrics.get(name)?.title ?? name,
    unit: metrics.get(name)?.unit ?? null,
  });

  function panel(title, measurements, columns) {
    if (!measurements.length) return null;
    const present = columns.filter(({ metric }) => measurements.some((measurement) => measurement.metric === metric));
    return h(
      'section',
      { class: 'panel' },
      h('h2', {}, title),
      pivotTable({ measurements, axes: placesOf(measurements), columns: present, caption: title }),
      h(
        'dl',
        { class: 'formulas small-print' },
        present.map(({ metric, title: words }) =>
          h('div', {}, h('dt', {}, words), h('dd', {}, metrics.get(metric)?.formula ?? '')),
        ),
      ),
    );
  }

  /** The axes that tell the rows apart; where all are alike, one that says what was measured. */
  function placesOf(measurements) {
    const { varying, constant } = splitAxes(measurements, axes, null);
    return varying.length ? varying : constant.slice(0, 1).map(({ axis }) => axis);
  }

  return {
    element,
    update(measurements) {
      const done = measurements.filter(({ skipped }) => !skipped);
      const skipped = measurements.filter((measurement) => measurement.skipped);
      const other = outsideViews(done, views);
      replace(
        element,
        panel(
          'Derived figures',
          done.filter((measurement) => tables.some((view) => shows(view, measurement))),
          tables.map((view) => column(view.metric, view.title)),
        ),
        panel(
          'Further figures',
          other,
          [...new Set(other.map(({ metric }) => metric))].map((name) => column(name)),
        ),
        skipped.length
          ? h(
              'section',
              { class: 'panel' },
              h('h2', {}, `${plural(skipped.length, 'point')} skipped`),
              h('p', { class: 'aside' }, 'They cannot be measured here; the run does not fail for them.'),
              skippedList(skipped, splitAxes(measurements, axes, null).varying),
            )
          : null,
      );
    },
  };
}
