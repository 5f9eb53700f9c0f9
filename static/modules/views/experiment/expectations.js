// What to expect of an experiment on a device: the device's peaks, documented figures at the points of its headlines,
// and the formulas of the metrics, among them the predicted ones.

import { h, replace } from '../../dom.js';
import { headlineStrip } from '../../parts/devicecard.js';
import { withCode } from '../../parts/prose.js';
import { expectedFigures } from '../../results/measured.js';
import { labelOf } from '../../results/series.js';
import { quantity } from '../../text/format.js';
import { shownUnit } from '../../text/units.js';

const FIGURES_MAX = 4;

/** Returns {element, show(device)}; `figures` are those of measuredReferences (lab/api.js), `device` has the name and
 * the properties of one, and is null in a lab without devices. */
export function expectations({ experiment, figures }) {
  const element = h('div', { class: 'panel expectations stack loose' });
  let shown; // the device
  return {
    element,
    show(device) {
      if (device === shown) return; // what the user has opened stays open
      shown = device;
      replace(
        element,
        device && h('div', {}, h('h3', {}, device.name), headlineStrip(device)),
        documented(expectedFigures(figures, experiment.headlines, device?.name).slice(0, FIGURES_MAX), experiment),
        h('details', { open: true }, h('summary', {}, 'What is measured'), formulas(experiment.metrics ?? [])),
      );
    },
  };
}

/** The formulas of the metrics; those called predicted_NAME are computed, not measured. */
const formulas = (metrics) =>
  h(
    'dl',
    { class: 'formulas stack' },
    metrics.map(({ title, unit, formula }) =>
      h(
        'div',
        {},
        h('dt', {}, title, unit && unit !== '1' ? h('span', { class: 'unit' }, ` in ${unit}`) : null),
        h('dd', {}, withCode(formula)),
      ),
    ),
  );

/** Documented figures, with the system and the size of each; null without any. */
function documented(expected, { headlines, axes }) {
  if (!expected.length) return null;
  const sizeOf = ({ title, reference }) => {
    const { largest } = headlines.find((one) => one.title === title);
    return labelOf(reference, axes.filter(({ name }) => largest.includes(name) && name in reference.axes), '');
  };
  return h(
    'div',
    {},
    h('h3', {}, 'Documented'),
    h(
      'dl',
      { class: 'headline' },
      expected.map(({ title, reference }) => {
        const [value, unit] = quantity(reference.value, shownUnit(reference.metric, reference.unit)).split('\u00a0');
        return h(
          'div',
          {},
          h('dt', { class: 'aside' }, title),
          h(
            'dd',
            {},
            h('span', { class: 'headline-value' }, value),
            unit ? h('span', { class: 'headline-unit' }, `\u00a0${unit}`) : null,
            h('span', { class: 'headline-note aside' }, [reference.system, sizeOf({ title, reference })].filter(Boolean).join(' · ')),
          ),
        );
      }),
    ),
  );
}
