// A run's parameters and environment as groups of facts {title, facts: [{name, title, text, value}]}. The environment
// has no fixed members: every member that the lab recorded is shown, with a title made from its name; a nested object
// becomes a group.

import { factGroups, factText } from './devicefacts.js';
import { fieldValueText } from './schema.js';
import { displayName, titleFromName, valueText } from './displaynames.js';

/** All parameters as one group, in the order of `fields`, the fields of the form. Parameters that have no field, such
 * as those of an older version, follow. */
export function parameterGroup(parameters, fields, title = 'Parameters') {
  const byName = new Map(fields.map((field) => [field.name, field]));
  const names = [...byName.keys()].filter((name) => name in parameters);
  const rest = Object.keys(parameters).filter((name) => !byName.has(name));
  const facts = [...names, ...rest].map((name) => {
    const field = byName.get(name) ?? { unit: null };
    const value = parameters[name];
    const itemText = (item) =>
      typeof item === 'number' && !displayName(name, item)
        ? fieldValueText(field, item)
        : valueText(name, item, field.unit);
    return {
      name,
      title: byName.get(name)?.title ?? titleFromName(name),
      text: [value].flat().map(itemText).join(', '),
    };
  });
  return { title, facts };
}

const isObject = (value) => value !== null && typeof value === 'object' && !Array.isArray(value);
const isEmpty = (value) => value === null || value === '' || (Array.isArray(value) && !value.length);

/** The groups of an environment object, depth first; empty values are omitted. `path` has the names that lead to it. */
export function environmentGroups(environment, title = 'Environment', path = []) {
  const facts = [];
  const nested = [];
  for (const [name, value] of Object.entries(environment ?? {})) {
    const own = [...path, name];
    if (isObject(value)) nested.push(...environmentGroups(value, memberTitle(own), own));
    else if (Array.isArray(value) && value.some(isObject)) nested.push(...listGroups(name, value));
    else if (!isEmpty(value)) facts.push({ name, title: memberTitle(own), text: factText(name, value), value });
  }
  return [...(facts.length ? [{ title, facts }] : []), ...nested];
}

const isDevice = (item) => isObject(item?.properties);

/** The groups of a list of objects: one group per object. For several devices, one group with the facts that all share,
 * then one group per device with the facts that differ. */
function listGroups(name, list) {
  const title = (index) => `${memberTitle([name]).replace(/s$/, '')} ${index + 1}`;
  if (!list.every(isDevice)) return list.flatMap((item, index) => environmentGroups(item, title(index), [name]));
  const groups = list.map((device, index) => ({ title: device.name ?? title(index), facts: factsOf(device) }));
  if (list.length === 1) return groups;
  const [first] = groups;
  const shared = first.facts.filter(({ name: fact, text }) =>
    groups.every(({ facts }) => facts.some((other) => other.name === fact && other.text === text)),
  );
  const different = groups.map(({ title: deviceTitle, facts }, index) => ({
    title: `${deviceTitle} #${list[index].ordinal ?? index}`,
    facts: facts.filter(({ name: fact }) => !shared.some((other) => other.name === fact)),
  }));
  const names = [...new Set(groups.map(({ title: deviceTitle }) => deviceTitle))];
  const all = names.length === 1 ? `${list.length} × ${names[0]}` : `All devices (${list.length})`;
  return [{ title: all, facts: shared }, ...different].filter(({ facts }) => facts.length);
}

/** The properties of a device that affect results, as facts. */
function factsOf({ id, properties }) {
  const relevant = new Set(['Compute', 'Memory', 'PCIe and NUMA', 'Software']);
  const facts = factGroups(properties)
    .groups.filter((group) => relevant.has(group.title))
    .flatMap((group) => group.facts);
  return [...(id === properties.uuid ? [] : [{ name: 'id', title: 'ID', text: String(id) }]), ...facts];
}

/** The member of an environment whose names are those of environment variables. */
const VARIABLES = 'variables';

/** The title of a member of the environment, given by the names that lead to it, without the unit at the end of its
 * name. Environment variables keep their names. */
export function memberTitle(path) {
  const name = path.at(-1);
  return path.at(-2) === VARIABLES ? name : titleFromName(name.replace(/_(bytes|hz|flops|s)$/, ''));
}
