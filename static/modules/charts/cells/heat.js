// Tables over two axes whose cells are coloured by value.

import { axisValueText } from '../../text/displaynames.js';
import { h } from '../../dom.js';
import { rowAxisOf } from '../../results/matrix.js';
import { drawCellTables } from './celltables.js';

/** Returns a chart (lines/linechart.js describes the interface); `update` also takes {matrices} as returned by matricesOf. */
export function heatTables({ view, axis, metric, experiment }) {
  const rowAxis = experiment.axes.find(({ name }) => name === rowAxisOf(view));
  const element = h('div', { class: 'matrices' });
  const side = (one, values) => ({
    title: one.title,
    values: values.map((value) => {
      const text = axisValueText(one, value);
      return { value, short: text, name: null, full: text };
    }),
  });
  return {
    element,
    close() {},
    update(series, hidden, { matrices: all, cautions }) {
      drawCellTables(element, { all, sides: { rows: side(rowAxis, all.rows), columns: side(axis, all.columns) }, metric, cautions });
    },
  };
}
