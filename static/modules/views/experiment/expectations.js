// What to expect of an experiment on a device: the device's peaks, published results, and the formulas of the metrics, among
// them the predicted ones.

import { h, replace } from '../../dom.js';
import { headlineStrip } from '../../parts/devicecard.js';
import { withCode } from '../../parts/prose.js';
import { publishedFor } from '../../results/published.js';
import { labelOf } from '../../results/series.js';
import { titleFromName } from '../../text/displaynames.js';
import { plural, quantity } from '../../text/format.js';
import { shownUnit } from '../../text/units.js';

/** Returns {element, show(device)}; `device` has the name and the properties of one, and is null in a lab without devices. `references` are the experiment's. */
export function expectations({ experiment, references }) {
  const element = h('div', { class: 'panel expectations' });
  let shown; // the device
  return {
    element,
    show(device) {
      if (device === shown) return; // what the user has opened stays open
      shown = device;
      replace(element, contents({ experiment, device, references }));
    },
  };
}

function contents({ experiment, device, references }) {
  const { same, others } = publishedFor(references, device?.name ?? '');
  return [
    device && h('div', {}, h('h3', {}, device.name), headlineStrip(device)),
    same.length ? published(`Published for ${device.name}`, same, experiment) : null,
    others.length
      ? h(
          'details',
          {},
          h('summary', {}, same.length ? 'Published for other devices' : othersTitle(device, others)),
          published(null, others, experiment),
        )
      : null,
    h('details', { open: !references.length }, h('summary', {}, 'What is measured'), formulas(experiment.metrics ?? [])),
  ];
}

const othersTitle = (device, others) =>
  `${device ? `Nothing published for ${device.name}; ` : ''}${plural(others.length, 'result')} of other devices`;

/** A table of references, grouped by system. */
function published(title, references, experiment) {
  const systems = [...new Set(references.map(({ system }) => system))];
  return h(
    'div',
    { class: 'published' },
    title && h('h3', {}, title),
    systems.map((system) => systemTable(system, references.filter((one) => one.system === system), experiment)),
  );
}

function systemTable(system, references, experiment) {
  const titleOf = (name) => experiment.metrics?.find((metric) => metric.name === name)?.title ?? titleFromName(name);
  return h(
    'div',
    { class: 'table-scroll', role: 'region', tabindex: 0, 'aria-label': system },
    h(
      'table',
      { class: 'figures' },
      h('caption', {}, system, h('span', { class: 'aside' }, ` ${references[0].source}`)),
      h(
        'tbody',
        {},
        references.map((one) =>
          h(
            'tr',
            {},
            h('th', { scope: 'row' }, labelOf(one, experiment.axes, titleOf(one.metric))),
            h('td', {}, titleOf(one.metric)),
            h('td', { class: 'figure' }, quantity(one.value, shownUnit(one.metric, one.unit))),
          ),
        ),
      ),
    ),
  );
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
