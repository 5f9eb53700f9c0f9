// The panels with tables below the chart: the experiment's views of kind "table", metrics that no view shows, and
// skipped points.

import { h, replaceKeepingScroll } from '../dom.js';
import { plural } from '../text/format.js';
import { withShownUnit } from '../text/units.js';
import { labelOf, inNoView, shows, splitAxes } from '../results/series.js';
import { pivotTable, skippedList } from './table.js';

const SPREAD_MAX = 4; // the most values of an axis that get a column each

/** Groups measurements by the names of their axes; each group becomes a table. */
function groupByAxisNames(measurements) {
  const groups = new Map();
  for (const measurement of measurements) {
    const key = Object.keys(measurement.axes ?? {})
      .sort()
      .join();
    groups.set(key, [...(groups.get(key) ?? []), measurement]);
  }
  return [...groups.values()];
}

/** Returns a function that makes captions from the panel title and the columns. They are unique: a panel may have
 * several tables with the same columns. */
function uniqueCaptions() {
  const counts = new Map(); // caption -> how often it was used
  return (title, columns) => {
    const name = `${title}: ${columns}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
    return counts.get(name) > 1 ? `${name} (${counts.get(name)})` : name;
  };
}

/** Returns {element, update(measurements)}. */
export function tablePanels({ experiment }) {
  const views = experiment.views ?? [];
  const tables = views.filter(({ kind }) => kind === 'table');
  const axes = experiment.axes ?? [];
  const metrics = new Map((experiment.metrics ?? []).map((metric) => [metric.name, metric]));
  const element = h('div', { class: 'table-panels' });

  const column = (name, title) => ({
    metric: name,
    title: title ?? metrics.get(name)?.title ?? name,
    unit: withShownUnit(metrics.get(name) ?? { name, unit: null }).unit,
  });

  function panel(title, measurements, columns) {
    if (!measurements.length) return null;
    const present = columns.filter(({ metric }) => measurements.some((measurement) => measurement.metric === metric));
    const captionOf = uniqueCaptions();
    return h(
      'section',
      { class: 'panel' },
      h('h2', {}, title),
      groupByAxisNames(measurements).map((own) =>
        tableOf(own, measurements, present, (columnNames) => captionOf(title, columnNames)),
      ),
      h(
        'dl',
        { class: 'formulas small-print' },
        present.map(({ metric, title: columnTitle }) =>
          h('div', {}, h('dt', {}, columnTitle), h('dd', {}, metrics.get(metric)?.formula ?? '')),
        ),
      ),
    );
  }

  /** One column per metric. A table with a single metric may have one column per value of its view's axis instead.
   * `own` are the measurements of this table, `all` those of the panel. */
  function tableOf(own, all, columns, captionFor) {
    const present = columns.filter(({ metric }) => own.some((measurement) => measurement.metric === metric));
    const caption = captionFor(present.map((one) => one.title.toLowerCase()).join(', '));
    const [only] = present;
    const spreadAxis = present.length === 1 ? findSpreadAxis(own, only) : null;
    const rowAxes = rowAxesOf(own, all);
    if (!spreadAxis) return pivotTable({ measurements: own, axes: rowAxes, columns: present, caption });
    const values = [...new Set(own.map((measurement) => measurement.axes[spreadAxis.name]))];
    return pivotTable({
      measurements: own,
      axes: rowAxes.filter(({ name }) => name !== spreadAxis.name),
      columns: values.map((value) => ({
        ...only,
        title: labelOf({ axes: { [spreadAxis.name]: value } }, [spreadAxis]),
        holds: (measurement) => measurement.axes[spreadAxis.name] === value,
      })),
      caption,
      heading: metrics.get(only.metric)?.title ?? only.title,
    });
  }

  /** The axis whose values become columns: the axis `x` of the metric's view, if it has few values and another axis
   * distinguishes the rows; otherwise null. */
  function findSpreadAxis(measurements, { metric }) {
    const { varying } = splitAxes(measurements, axes, null);
    const view = tables.find((one) => one.metric === metric);
    const axis = varying.find(({ name }) => name === view?.x);
    const count = new Set(measurements.map((measurement) => measurement.axes?.[axis?.name])).size;
    return axis && varying.length > 1 && count <= SPREAD_MAX ? axis : null;
  }

  /** The axes that distinguish the rows from each other or from rows of other tables with the same metrics; if there is
   * no such axis, the first constant axis, so that the rows have a heading. */
  function rowAxesOf(own, all) {
    const metricNames = new Set(own.map(({ metric }) => metric));
    const sameMetrics = all.filter(({ metric }) => metricNames.has(metric));
    const { varying, constant } = splitAxes(own, axes, null);
    const names = new Set([...varying, ...splitAxes(sameMetrics, axes, null).varying].map(({ name }) => name));
    const rowAxes = [...varying, ...constant.map(({ axis }) => axis)].filter(({ name }) => names.has(name));
    const order = axes.map(({ name }) => name);
    rowAxes.sort((a, b) => order.indexOf(a.name) - order.indexOf(b.name));
    return rowAxes.length ? rowAxes : constant.slice(0, 1).map(({ axis }) => axis);
  }

  return {
    element,
    update(measurements) {
      const measured = measurements.filter(({ skipped }) => !skipped);
      const skipped = measurements.filter((measurement) => measurement.skipped);
      const other = inNoView(measured, views);
      replaceKeepingScroll(
        element,
        panel(
          'Derived quantities',
          measured.filter((measurement) => tables.some((view) => shows(view, measurement))),
          tables.map((view) => column(view.metric, view.title)),
        ),
        panel(
          'Other metrics',
          other,
          [...new Set(other.map(({ metric }) => metric))].map((name) => column(name)),
        ),
        skipped.length
          ? h(
              'section',
              { class: 'panel' },
              h('h2', {}, `${plural(skipped.length, 'point')} skipped`),
              h(
                'p',
                { class: 'aside' },
                'These points cannot be measured on this system. Skipped points do not fail the run.',
              ),
              skippedList(skipped, splitAxes(measurements, axes, null).varying),
            )
          : null,
      );
    },
  };
}
