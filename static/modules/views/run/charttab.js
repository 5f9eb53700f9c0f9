// The tab with the chart, which takes the width of the window.

import { results } from '../../charts/results.js';
import { backendOf } from '../../lab/sources.js';
import * as lab from '../../lab/lab.js';

/** Returns {element, update({run, measurements})}. */
export function chartTab({ experiment, devices, signal, choices }) {
  const chart = results({ experiment, devices, signal, choices });
  return {
    element: chart.element,
    update({ run, measurements }) {
      chart.update(measurements, run, backendOf(run, lab.device));
    },
  };
}
