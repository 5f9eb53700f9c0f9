// The tab with the chart, which takes the width of the window. Its values as a table can be opened below it; the tab
// Table has all measurements.

import { results } from '../../charts/results.js';
import { backendOf } from '../../lab/sources.js';
import * as lab from '../../lab/lab.js';
import { h, replace } from '../../dom.js';

/** Returns {element, update({run, measurements})}. The choice `values` is 1 while the values are open. */
export function chartTab({ experiment, devices, signal, choices, showSamples }) {
  const chart = results({ experiment, devices, signal, choices, showSamples });
  const values = h('div', {});
  const details = h('details', { class: 'chart-values', open: choices.get('values') === '1' }, h('summary', {}, 'Values of this chart as a table'), values);

  /** The table is in the document only while it is open. */
  function showValues() {
    choices.set({ values: details.open ? '1' : '' });
    replace(values, details.open ? chart.values : null);
  }
  details.addEventListener('toggle', showValues, { signal });
  if (details.open) replace(values, chart.values);

  return {
    element: h('div', { class: 'stacked stack loose' }, chart.element, details),
    update({ run, measurements }) {
      details.hidden = !measurements.length;
      chart.update(measurements, run, backendOf(run, lab.device));
    },
  };
}
