// A run's parameters and the environment it was measured in, as groups of facts. The environment is an open object:
// whatever the lab records is shown, named by its key, nested objects as groups of their own.

import { factGroups, factText } from './devicefacts.js';
import { valueText } from './schema.js';
import { ownWords, titleFromName, valueWords } from './displaynames.js';

/** {title, facts} of all parameters, in the form's order; those the form does not know (any more) follow. */
export function parameterGroup(parameters, fields, title = 'Parameters') {
  const byName = new Map(fields.map((field) => [field.name, field]));
  const names = [...byName.keys()].filter((name) => name in parameters);
  const rest = Object.keys(parameters).filter((name) => !byName.has(name));
  const facts = [...names, ...rest].map((name) => {
    const field = byName.get(name) ?? { unit: null };
    const value = parameters[name];
    const words = (item) =>
      typeof item === 'number' && !ownWords(name, item) ? valueText(field, item) : valueWords(name, item, field.unit);
    return { name, title: byName.get(name)?.title ?? titleFromName(name), text: [value].flat().map(words).join(', ') };
  });
  return { title, facts };
}

const isObject = (value) => value !== null && typeof value === 'object' && !Array.isArray(value);
const isEmpty = (value) => value === null || value === '' || (Array.isArray(value) && !value.length);

/** The groups of an environment object, depth first; what is empty is left out. */
export function environmentGroups(environment, title = 'Environment') {
  const facts = [];
  const inner = [];
  for (const [name, value] of Object.entries(environment ?? {})) {
    if (isObject(value)) inner.push(...environmentGroups(value, titleOf(name)));
    else if (Array.isArray(value) && value.some(isObject)) inner.push(...listGroups(name, value));
    else if (!isEmpty(value)) facts.push({ name, title: titleOf(name), text: factText(name, value), value });
  }
  return [...(facts.length ? [{ title, facts }] : []), ...inner];
}

const isDevice = (item) => isObject(item?.properties);

/** A list of devices, or of anything else. Of several devices, what all share is said once, and of each what is its
 * own. */
function listGroups(name, list) {
  const title = (index) => `${titleOf(name).replace(/s$/, '')} ${index + 1}`;
  if (!list.every(isDevice)) return list.flatMap((item, index) => environmentGroups(item, title(index)));
  const each = list.map((device, index) => ({ title: device.name ?? title(index), facts: factsOf(device) }));
  if (list.length === 1) return each;
  const [first] = each;
  const shared = first.facts.filter(({ name: fact, text }) =>
    each.every(({ facts }) => facts.some((other) => other.name === fact && other.text === text)),
  );
  const own = each.map(({ title: words, facts }, index) => ({
    title: `${words} #${list[index].ordinal ?? index}`,
    facts: facts.filter(({ name: fact }) => !shared.some((other) => other.name === fact)),
  }));
  const names = [...new Set(each.map(({ title: words }) => words))];
  const all = names.length === 1 ? `${list.length} × ${names[0]}` : `All devices (${list.length})`;
  return [{ title: all, facts: shared }, ...own].filter(({ facts }) => facts.length);
}

/** What of a device decides about results. */
function factsOf({ id, properties }) {
  const telling = new Set(['Compute', 'Memory', 'Link', 'Software']);
  const facts = factGroups(properties)
    .groups.filter((group) => telling.has(group.title))
    .flatMap((group) => group.facts);
  return [...(id === properties.uuid ? [] : [{ name: 'id', title: 'Id', text: String(id) }]), ...facts];
}

/** Variables of the process keep their names. */
const titleOf = (name) => (/^[A-Z0-9_]+$/.test(name) ? name : titleFromName(name.replace(/_(bytes|hz|flops|s)$/, '')));
