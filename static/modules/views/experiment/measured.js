// The figures that are documented of an experiment, beside what this lab has measured last at the same point, on a
// device model that is chosen in the head of the table.

import * as api from '../../lab/api.js';
import { freshId, h, replaceKeepingScroll } from '../../dom.js';
import * as events from '../../lab/events.js';
import { measuredGroups } from '../../results/measured.js';
import { labelOf } from '../../results/series.js';
import { pathWithQuery } from '../../text/address.js';
import { titleFromName } from '../../text/displaynames.js';
import { plural, quantity, significant } from '../../text/format.js';
import { parametersAt } from '../../text/pointparameters.js';
import { shownUnit } from '../../text/units.js';
import { afterPause, whenChanged } from '../../throttle.js';

const PAUSE_MS = 500; // several runs may end together

/** Returns the table, which stays current; `first` is what measuredReferences (lab/api.js) has answered for this
 * experiment. */
export function measuredTable({ experiment, first, signal }) {
  const element = h('div', { class: 'measured stack' });
  let model; // that the user has chosen

  const draw = whenChanged((answer) => {
    const choice = modelChoice(answer, (chosen) => {
      model = chosen;
      reload();
    });
    const groups = measuredGroups(answer.figures, experiment.axes);
    replaceKeepingScroll(element, table(groups, choice, experiment), remarks(groups));
  });

  const reload = () => api.measuredReferences({ experiment: experiment.name, device: model }, signal).then(draw, () => {});
  const follow = afterPause(reload, PAUSE_MS);
  events.on('run.updated', (run) => run.experiment === experiment.name && follow(), signal);
  events.on('missed', follow, signal);
  draw(first);
  return element;
}

/** The device model whose values are shown: a select where there are several. */
function modelChoice({ models, model }, chosen) {
  if (!model) return 'This lab has not run the experiment yet.';
  if (models.length < 2) return `This lab: ${model}`;
  const options = models.map((one) =>
    h('option', { value: one.model, selected: one.model === model }, `${one.model}, ${plural(one.runs, 'run')}`),
  );
  return ['This lab: ', h('select', { 'aria-label': 'Measured on', on: { change: ({ target }) => chosen(target.value) } }, options)];
}

function table(groups, choice, experiment) {
  const head = h(
    'tr',
    {},
    h('th', { scope: 'col' }, 'Result'),
    h('th', { scope: 'col', class: 'figure' }, 'Documented'),
    h('th', { scope: 'col', class: 'figure' }, 'This lab'),
  );
  return h(
    'div',
    { class: 'table-scroll', role: 'region', tabindex: 0, 'aria-label': 'Documented and measured figures' },
    h('table', { class: 'figures' }, h('caption', {}, choice), h('thead', {}, head), groups.map((group) => groupBody(group, experiment))),
  );
}

/** The parameters of references that are not axes: "kernels 32 · time of a block 0.0001 s". */
function parametersText(parameters, schema) {
  const rows = Object.keys(parameters).map((name) => {
    const { title = titleFromName(name), 'x-unit': unit = null } = schema.properties[name] ?? {};
    return { name, title, unit };
  });
  return labelOf({ axes: parameters }, rows, '');
}

function groupBody({ system, source, parameters, common, varying, rows }, experiment) {
  const head = h(
    'th',
    { colspan: 3, scope: 'rowgroup' },
    [system, labelOf(rows[0], common, ''), parametersText(parameters, experiment.parameters)].filter(Boolean).join(' · '),
    h('span', { class: 'aside source' }, source),
  );
  return h(
    'tbody',
    {},
    h('tr', { class: 'series-row' }, head),
    rows.map((row) => figureRow(row, varying, experiment)),
  );
}

function figureRow(row, axes, experiment) {
  const { metric, value, unit, measured, ratio } = row;
  const title = (experiment.metrics.find(({ name }) => name === metric)?.title ?? titleFromName(metric)).toLowerCase();
  const where = labelOf(row, axes, '');
  const shown = shownUnit(metric, unit);
  const here = measured
    ? [h('a', { href: `/runs/${measured.run}` }, quantity(measured.value, shown)), h('span', { class: 'aside' }, ` ${significant(ratio, 3)}×`)]
    : h('a', { class: 'aside', href: formAddress(row, experiment) }, 'not measured here yet');
  return h(
    'tr',
    {},
    h('th', { scope: 'row', class: 'row-title' }, where, h('span', { class: 'aside' }, where ? ` ${title}` : title)),
    h('td', { class: 'figure' }, quantity(value, shown)),
    h('td', { class: 'figure here' }, here),
  );
}

/** The form, filled in for a run that measures at the axes of a reference, with its parameters. */
const formAddress = ({ axes, parameters }, experiment) => {
  const asked = parametersAt({ ...axes, ...parameters }, experiment.parameters);
  return `${pathWithQuery(`/experiments/${experiment.name}`, { parameters: JSON.stringify(asked) })}#run`;
};

/** What the references say of single figures. */
function remarks(groups) {
  const all = groups.filter((group) => group.remarks.length);
  if (!all.length) return null;
  const list = h('dl', {}, all.map((group) => h('div', {}, h('dt', {}, group.system), group.remarks.map((text) => h('dd', {}, text)))));
  return h('details', { class: 'remarks', id: freshId('remarks') }, h('summary', {}, 'Remarks on the documented figures'), list);
}
