// Beside the pictures: the figures that are read as a table (an experiment's views of kind "table"), those that no
// view shows, and the points that were skipped.

import { h, replaceKept } from '../dom.js';
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

/** Calls tables after their panel and columns, each by a name of its own: a panel may have several with the same
 * columns. */
function captions() {
  const given = new Map();
  return (title, columns) => {
    const name = `${title}: ${columns}`;
    given.set(name, (given.get(name) ?? 0) + 1);
    return given.get(name) > 1 ? `${name} (${given.get(name)})` : name;
  };
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
    const called = captions();
    return h(
      'section',
      { class: 'panel' },
      h('h2', {}, title),
      byAxes(measurements).map((own) =>
        tableOf(own, measurements, present, (columnNames) => called(title, columnNames)),
      ),
      h(
        'dl',
        { class: 'formulas small-print' },
        present.map(({ metric, title: words }) =>
          h('div', {}, h('dt', {}, words), h('dd', {}, metrics.get(metric)?.formula ?? '')),
        ),
      ),
    );
  }

  /** A column for each metric; a metric by itself has one for each place on its view's axis. `own` are the measurements
   * of the table among `all` of the panel. */
  function tableOf(own, all, columns, called) {
    const present = columns.filter(({ metric }) => own.some((measurement) => measurement.metric === metric));
    const caption = called(present.map((one) => one.title.toLowerCase()).join(', '));
    const [only] = present;
    const across = present.length === 1 ? axisAcross(own, only) : null;
    const places = placesOf(own, all);
    if (!across) return pivotTable({ measurements: own, axes: places, columns: present, caption });
    const values = [...new Set(own.map((measurement) => measurement.axes[across.name]))];
    return pivotTable({
      measurements: own,
      axes: places.filter(({ name }) => name !== across.name),
      columns: values.map((value) => ({
        ...only,
        title: labelOf({ axes: { [across.name]: value } }, [across]),
        holds: (measurement) => measurement.axes[across.name] === value,
      })),
      caption,
      heading: metrics.get(only.metric)?.title ?? only.title,
    });
  }

  /** The axis whose few values can be columns: that of the metric's view, if there is another to tell the rows apart.
   * */
  function axisAcross(measurements, { metric }) {
    const { varying } = splitAxes(measurements, axes, null);
    const view = tables.find((one) => one.metric === metric);
    const axis = varying.find(({ name }) => name === view?.x);
    const count = new Set(measurements.map((measurement) => measurement.axes?.[axis?.name])).size;
    return axis && varying.length > 1 && count <= ACROSS ? axis : null;
  }

  /** The axes that tell the rows apart, or these rows from those of the same metrics in other tables; where all are
   * alike, one that says what was measured. */
  function placesOf(own, all) {
    const there = new Set(own.map(({ metric }) => metric));
    const alike = all.filter(({ metric }) => there.has(metric));
    const { varying, constant } = splitAxes(own, axes, null);
    const apart = new Set([...varying, ...splitAxes(alike, axes, null).varying].map(({ name }) => name));
    const places = [...varying, ...constant.map(({ axis }) => axis)].filter(({ name }) => apart.has(name));
    const order = axes.map(({ name }) => name);
    places.sort((a, b) => order.indexOf(a.name) - order.indexOf(b.name));
    return places.length ? places : constant.slice(0, 1).map(({ axis }) => axis);
  }

  return {
    element,
    update(measurements) {
      const done = measurements.filter(({ skipped }) => !skipped);
      const skipped = measurements.filter((measurement) => measurement.skipped);
      const other = outsideViews(done, views);
      replaceKept(
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
