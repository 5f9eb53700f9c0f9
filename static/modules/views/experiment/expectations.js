// What to expect of an experiment on a device: the device's peaks, and the formulas of the metrics, among them the predicted ones.

import { h, replace } from '../../dom.js';
import { headlineStrip } from '../../parts/devicecard.js';
import { withCode } from '../../parts/prose.js';

/** Returns {element, show(device)}; `device` has the name and the properties of one, and is null in a lab without devices. */
export function expectations({ experiment }) {
  const element = h('div', { class: 'panel expectations' });
  let shown; // the device
  return {
    element,
    show(device) {
      if (device === shown) return; // what the user has opened stays open
      shown = device;
      replace(
        element,
        device && h('div', {}, h('h3', {}, device.name), headlineStrip(device)),
        h('details', { open: true }, h('summary', {}, 'What is measured'), formulas(experiment.metrics ?? [])),
      );
    },
  };
}

/** The formulas of the metrics; those called predicted_NAME are computed, not measured. */
const formulas = (metrics) =>
  h(
    'dl',
    { class: 'formulas' },
    metrics.map(({ title, unit, formula }) =>
      h(
        'div',
        {},
        h('dt', {}, title, unit && unit !== '1' ? h('span', { class: 'unit' }, ` in ${unit}`) : null),
        h('dd', {}, withCode(formula)),
      ),
    ),
  );
