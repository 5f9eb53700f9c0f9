// The tab with exact values: all measurements of a metric, and the skipped points.

import { skippedList } from '../../charts/table.js';
import { copyButton } from '../../parts/copybutton.js';
import { virtualTable } from '../../parts/virtualtable.js';
import { isWrong } from '../../results/cautions.js';
import { measurementRows, metricsOf } from '../../results/measurementrows.js';
import { splitAxes } from '../../results/series.js';
import { axisValueText, titledValue } from '../../text/displaynames.js';
import { plural } from '../../text/format.js';
import { measurementsTsv } from '../../text/tsv.js';
import { freshId, h, replace } from '../../dom.js';
import { valueColumns } from './columns.js';

/** Returns {element, update({run, measurements})}; the choice `metric` names the metric whose values are shown. */
export function tableTab({ experiment, choices, signal }) {
  const selectId = freshId('metric');
  const select = h('select', { id: selectId, on: { change: () => choose(select.value) } });
  const common = h('p', { class: 'formula' });
  const frame = h('div', { class: 'values' });
  const skipped = h('div', { class: 'skipped-points' });
  const element = h(
    'section',
    { class: 'panel', 'aria-label': 'Table' },
    h(
      'div',
      { class: 'result-head' },
      h('div', { class: 'pick' }, h('label', { for: selectId }, 'Metric'), select),
      copyButton('Copy table', () => measurementsTsv(state.rows, experiment.axes)),
    ),
    common,
    frame,
    skipped,
  );
  const state = { run: null, measurements: [], rows: [], drawn: '', table: null };

  function choose(name) {
    choices.set({ metric: name });
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
    state.rows = rows;
    common.textContent = commonText(rows, constant);
    const columns = [
      ...varying.map((axis) => ({
        title: axis.title,
        figure: rows.every((one) => typeof one.axes[axis.name] === 'number'),
        cell: ({ axes }) => (axis.name in axes ? axisValueText(axis, axes[axis.name]) : '–'),
      })),
      ...valueColumns(rows, state.run),
    ];
    const drawn = [metric.name, ...columns.map(({ title }) => title)].join('\n');
    if (state.drawn !== drawn) {
      state.drawn = drawn;
      state.table = virtualTable({
        caption: `${metric.title}: exact values`,
        columns,
        rowClass: (one) => (isWrong(one) ? 'wrong' : null),
        signal,
      });
      replace(frame, state.table.element);
    }
    return state.table.update(rows);
  }

  function drawSelect(metrics, metric) {
    const options = metrics.map(({ name, title, count }) => ({ name, text: `${title} (${count})` }));
    const text = options.map((option) => option.text).join();
    if (select.dataset.options !== text) {
      select.dataset.options = text;
      replace(select, options.map((option) => h('option', { value: option.name }, option.text)));
    }
    select.value = metric.name;
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

function commonText(rows, constant) {
  const facts = constant.map(({ axis, value }) => titledValue(axis, value));
  const text = facts.length ? `All: ${facts.join(', ')}.` : '';
  return `${plural(rows.length, 'measurement')}. ${text}`.trim();
}
