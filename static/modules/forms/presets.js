// The presets of an experiment as buttons, and the parameters that differ from their defaults, each with a button that
// resets it.

import { h, replace } from '../dom.js';
import { displayName, titleFromName } from '../text/displaynames.js';
import { changed, sameValue } from '../text/schema.js';
import { shownValue } from './fields.js';

/** Returns {buttons, changes, update(values)}: two elements. `choose(name, label)` is called for a preset, whose name
 * is '' for the defaults, `reset(name)` for a parameter; `update` shows which preset the form has and what differs from
 * the defaults. */
export function presetBar({ experiment, fields, choose, reset }) {
  const presets = [['', 'Defaults', {}], ...Object.entries(experiment.presets).map(([name, one]) => [name, presetTitle(name), one])];
  const buttons = presets.map(([name, label, parameters]) =>
    h(
      'button',
      {
        type: 'button',
        title: changesText(fields, parameters) || null,
        on: { click: () => choose(name, label) },
      },
      label,
    ),
  );
  const changes = h('ul', { class: 'changes row tight', 'aria-label': 'Changed parameters' });
  return {
    buttons: h('div', { class: 'segments', role: 'group', 'aria-label': 'Presets' }, buttons),
    changes,
    update(values) {
      const given = changed(fields, values);
      presets.forEach(([, , parameters], at) =>
        buttons[at].setAttribute('aria-pressed', String(isPreset(fields, given, parameters))),
      );
      replace(
        changes,
        fields.filter(({ name }) => name in given).map((field) => change(field, given[field.name], reset)),
      );
    },
  };
}

const presetTitle = (name) => displayName('preset', name) ?? titleFromName(name);

/** The name of the preset that has these values; '' for that of the defaults or none. */
export const presetOf = ({ presets }, fields, values) =>
  Object.keys(presets).find((name) => isPreset(fields, changed(fields, values), presets[name])) ?? '';

function isPreset(fields, given, parameters) {
  const wanted = changed(fields, parameters);
  const names = Object.keys(wanted);
  return names.length === Object.keys(given).length && names.every((name) => sameValue(wanted[name], given[name]));
}

/** "Largest size: 16 MiB; Factor: 64" */
const changesText = (fields, parameters) =>
  fields
    .filter(({ name }) => name in parameters)
    .map((field) => `${field.title}: ${shownValue(field, parameters[field.name])}`)
    .join('; ');

function change(field, value, reset) {
  const label = `Reset ${field.title} to ${shownValue(field, field.defaultValue)}`;
  return h(
    'li',
    {},
    h('span', {}, `${field.title}: `, h('strong', {}, shownValue(field, value))),
    h('button', { type: 'button', title: label, 'aria-label': label, on: { click: () => reset(field.name) } }, '×'),
  );
}
