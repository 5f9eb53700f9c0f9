// The tab with exact values: all measurements of a metric, and the skipped points.

import { skippedList } from '../../charts/table.js';
import { copyButton } from '../../parts/copybutton.js';
import { virtualTable } from '../../parts/virtualtable.js';
import { isWrong } from '../../results/cautions.js';
import { measurementRows, metricsOf } from '../../results/measurementrows.js';
import { matchingRows, nextOrder, orderOf, sortedRows } from '../../results/rowfilter.js';
import { splitAxes } from '../../results/series.js';
import { axisValueText, titledValue } from '../../text/displaynames.js';
import { plain, plural } from '../../text/format.js';
import { measurementsTsv } from '../../text/tsv.js';
import { freshId, h, replace } from '../../dom.js';
import { valueColumns } from './columns.js';

/** Returns {element, update({run, measurements})}; the choice `metric` names the metric whose values are shown, `sort`
 * their order (results/rowfilter.js), `filter` the words that a row must have. */
export function tableTab({ experiment, choices, signal, showSamples }) {
  const selectId = freshId('metric');
  const select = h('select', { id: selectId, on: { change: () => choose({ metric: select.value }) } });
  const filter = h('input', {
    type: 'search',
    class: 'row-filter',
    'aria-label': 'Filter the rows',
    placeholder: 'Filter, such as pinned',
    value: choices.get('filter'),
    on: { input: () => choose({ filter: filter.value.trim() }) },
  });
  const pick = h('div', { class: 'pick row' }, h('label', { for: selectId }, 'Metric'), select);
  const common = h('p', { class: 'formula' });
  const frame = h('div', { class: 'values' });
  const skipped = h('div', { class: 'skipped-points' });
  const element = h(
    'section',
    { class: 'panel', 'aria-label': 'Table' },
    h(
      'div',
      { class: 'result-head row spread' },
      pick,
      filter,
      copyButton('Copy table', () => measurementsTsv(state.rows, experiment.axes)),
    ),
    common,
    frame,
    skipped,
  );
  const state = { run: null, measurements: [], rows: [], drawn: '', table: null };

  function choose(changes) {
    choices.set(changes);
    draw();
  }

  function draw() {
    const metrics = metricsOf(state.measurements.filter((one) => !one.skipped), experiment.metrics);
    if (!metrics.length) return replace(frame, h('p', { class: 'aside' }, 'There are no measurements.'));
    const wanted = choices.get('metric') || state.run.headline?.[0]?.metric;
    const metric = metrics.find(({ name }) => name === wanted) ?? metrics[0];
    drawSelect(metrics, metric);
    const { rows, varying, constant } = measurementRows(
      state.measurements.filter((one) => !one.skipped),
      metric.name,
      experiment.axes,
    );
    const columns = [...varying.map((axis) => axisColumn(axis, rows)), ...valueColumns(rows, state.run, showSamples)];
    const order = orderOf(columns, choices.get('sort'));
    state.rows = sortedRows(matchingRows(rows, columns, choices.get('filter')), order);
    const named = metrics.length < 2 ? `${metric.title}: ` : ''; // no field names it
    common.textContent = `${named}${commonText(state.rows, rows, constant)}`;
    const drawn = [metric.name, ...columns.map(({ title }) => title)].join('\n');
    if (state.drawn !== drawn) {
      state.drawn = drawn;
      state.table = virtualTable({
        caption: `${metric.title}: exact values`,
        columns,
        rowClass: (one) => (isWrong(one) ? 'wrong' : null),
        sort: (title) => choose({ sort: nextOrder(columns, choices.get('sort'), title) }),
        signal,
      });
      state.columns = columns;
      replace(frame, state.table.element);
    }
    state.table.showOrder(orderOf(state.columns, choices.get('sort')));
    return state.table.update(state.rows);
  }

  function drawSelect(metrics, metric) {
    const options = metrics.map(({ name, title, count }) => ({ name, text: `${title} (${count})` }));
    const text = options.map((option) => option.text).join();
    if (select.dataset.options !== text) {
      select.dataset.options = text;
      replace(select, options.map((option) => h('option', { value: option.name }, option.text)));
    }
    select.value = metric.name;
    pick.hidden = metrics.length < 2;
  }

  function drawSkipped() {
    const points = state.measurements.filter((one) => one.skipped);
    replace(
      skipped,
      points.length
        ? [
            h('h2', {}, `${plural(points.length, 'point')} skipped`),
            h('p', { class: 'aside' }, 'A point is skipped where this system cannot measure it, or where the time budget does not suffice. It does not fail the run.'),
            skippedList(points, splitAxes(state.measurements, experiment.axes, null).varying),
          ]
        : null,
    );
  }

  return {
    element,
    update({ run, measurements }) {
      Object.assign(state, { run, measurements });
      draw();
      drawSkipped();
    },
  };
}

/** The column with the values of an axis. */
function axisColumn(axis, rows) {
  const text = ({ axes }) => (axis.name in axes ? axisValueText(axis, axes[axis.name]) : '–');
  return { title: axis.title, kind: rows.every((one) => typeof one.axes[axis.name] === 'number') ? 'figure' : '', cell: text, text, value: ({ axes }) => axes[axis.name] };
}

/** "12 of 40 measurements. All: …" */
function commonText(shown, rows, constant) {
  const facts = constant.map(({ axis, value }) => titledValue(axis, value));
  const text = facts.length ? `All: ${facts.join(', ')}.` : '';
  const count = shown.length < rows.length ? `${plain(shown.length)} of ` : '';
  return `${count}${plural(rows.length, 'measurement')}. ${text}`.trim();
}
