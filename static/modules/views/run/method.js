// The tab that says how the run measured: its parameters, the formulas of its metrics, how sampling ended, what was
// verified, the conditions of the devices, and the code of the steps.

import { backendOf } from '../../lab/sources.js';
import * as lab from '../../lab/lab.js';
import { factGroup } from '../../parts/factlist.js';
import { sourcePanel } from '../../parts/sourcepanel.js';
import { withCode } from '../../parts/prose.js';
import { recordedGroups, stopCounts } from '../../results/recorded.js';
import { metricsOf } from '../../results/measurementrows.js';
import { parameterGroup } from '../../text/environment.js';
import { fieldsOf } from '../../text/schema.js';
import { STOP_REASONS } from '../../text/displaynames.js';
import { plural } from '../../text/format.js';
import { h, replace } from '../../dom.js';

/** Returns {element, update({run, measurements})}. */
export function methodTab({ experiment }) {
  const record = h('section', { class: 'panel record', 'aria-label': 'Method' });
  const sources = h('div', {});
  const element = h('div', { class: 'stacked stack loose' }, record, sources);
  return {
    element,
    update({ run, measurements }) {
      replace(
        record,
        h(
          'div',
          { class: 'fact-columns' },
          factGroup(parameterGroup(run.parameters ?? {}, fieldsOf(experiment.parameters))),
          recordedGroups(run, measurements).map((group) => factGroup(group)),
        ),
        stops(measurements),
        formulas(measurements, experiment),
      );
      const backend = backendOf(run, lab.device);
      if (backend && !sources.hasChildNodes()) replace(sources, sourcePanel({ experiment, backend }));
    },
  };
}

/** How many measurements ended for each reason. */
function stops(measurements) {
  const counts = stopCounts(measurements);
  if (!counts.length) return null;
  return [
    h('h2', { class: 'label' }, 'End of sampling'),
    h(
      'ul',
      { class: 'stack dense' },
      counts.map(({ reason, count }) => h('li', {}, `${plural(count, 'measurement')}: `, STOP_REASONS[reason] ?? reason)),
    ),
  ];
}

function formulas(measurements, { metrics }) {
  const present = metricsOf(measurements, metrics);
  const formula = (name) => metrics.find((metric) => metric.name === name)?.formula;
  const known = present.filter(({ name }) => formula(name));
  if (!known.length) return null;
  return [
    h('h2', { class: 'label' }, 'Metrics'),
    h(
      'dl',
      { class: 'formulas stack' },
      known.map(({ name, title }) => h('div', {}, h('dt', {}, title), h('dd', {}, withCode(formula(name))))),
    ),
  ];
}
