// Beside the pictures: the figures that are read as a table (an experiment's views of kind "table"), those that no
// view shows, and the points that were skipped.

import { h, replace } from '../dom.js';
import { plural } from '../format.js';
import { labelOf, outsideViews, shows, splitAxes } from '../series.js';
import { pivotTable, skippedList } from './table.js';

const ACROSS = 4; // columns that one metric may be spread over

/** Measurements on the same axes, whatever their values: each such group is a table. */
function byAxes(measurements) {
  const groups = new Map();
  for (const measurement of measurements) {
    const key = Object.keys(measurement.axes ?? {})
      .sort()
      .join();
    groups.set(key, [...(groups.get(key) ?? []), measurement]);
  }
  return [...groups.values()];
}

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
      byAxes(measurements).map((own) => tableOf(title, own, present)),
      h(
        'dl',
        { class: 'formulas small-print' },
        present.map(({ metric, title: words }) =>
          h('div', {}, h('dt', {}, words), h('dd', {}, metrics.get(metric)?.formula ?? '')),
        ),
      ),
    );
  }

  /** A column for each metric; a metric by itself has one for each place on its view's axis. */
  function tableOf(title, measurements, columns) {
    const present = columns.filter(({ metric }) => measurements.some((measurement) => measurement.metric === metric));
    const [only] = present;
    const across = present.length === 1 ? axisAcross(measurements, only) : null;
    if (!across) return pivotTable({ measurements, axes: placesOf(measurements), columns: present, caption: title });
    const values = [...new Set(measurements.map((measurement) => measurement.axes[across.name]))];
    return pivotTable({
      measurements,
      axes: placesOf(measurements).filter(({ name }) => name !== across.name),
      columns: values.map((value) => ({
        ...only,
        title: labelOf({ axes: { [across.name]: value } }, [across]),
        holds: (measurement) => measurement.axes[across.name] === value,
      })),
      caption: only.title,
      heading: metrics.get(only.metric)?.title ?? only.title,
    });
  }

  /** The axis whose few values can be columns: that of the metric's view, if there is another to tell the rows apart. */
  function axisAcross(measurements, { metric }) {
    const { varying } = splitAxes(measurements, axes, null);
    const view = tables.find((one) => one.metric === metric);
    const axis = varying.find(({ name }) => name === view?.x);
    const count = new Set(measurements.map((measurement) => measurement.axes?.[axis?.name])).size;
    return axis && varying.length > 1 && count <= ACROSS ? axis : null;
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
