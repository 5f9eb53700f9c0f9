// Tables over two axes whose cells are coloured by value; the rows may be combinations of several axes. Values above a
// reference have a frame.

import { axisValueText } from '../../text/displaynames.js';
import { h } from '../../dom.js';
import { rowAxesOf, rowTitleOf } from '../../results/matrix.js';
import { fasterRows, isFaster } from '../../results/shapes.js';
import { drawCellTables } from './celltables.js';

const FASTER = 'faster than the reference';

/** Returns a chart (lines/linechart.js describes the interface); `update` also takes {matrices} as returned by
 * matricesOf. */
export function heatTables({ view, axis, metric, experiment, showSamples }) {
  const axisOf = (name) => experiment.axes.find((one) => one.name === name);
  const [rowAxis, ...others] = rowAxesOf(view).map(axisOf);
  const rowTitle = rowTitleOf(view, axisOf);
  const compares = metric.name === 'share_of_reference';
  const element = h('div', { class: 'matrices stack spaced' });
  const side = (title, values, text) => ({
    title,
    values: values.map((value) => ({ value, short: text(value), name: null, full: text(value) })),
  });
  return {
    element,
    close() {},
    update(series, hidden, { matrices: all, cautions }) {
      const rowText = others.length ? String : (value) => axisValueText(rowAxis, value);
      const sides = { rows: side(rowTitle, all.rows, rowText), columns: side(axis.title, all.columns, (value) => axisValueText(axis, value)) };
      element.classList.toggle('words', all.columns.some((value) => typeof value === 'string'));
      const found = compares ? fasterRows(all) : { faster: 0, rows: 0 };
      const notes = found.faster ? [h('p', { class: 'aside' }, `Framed: ${FASTER} in at least three quarters of the samples.`)] : [];
      const lead = found.rows ? `Faster than the reference in ${found.faster || 'none'} of ${found.rows} rows (${rowTitle}).` : '';
      drawCellTables(element, { all, sides, metric, lead, notes, cautions, showSamples, emphasis: (one) => (isFaster(one) ? FASTER : '') });
    },
  };
}
