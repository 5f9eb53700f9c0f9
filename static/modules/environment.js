// A run's parameters and the environment it was measured in, as groups of facts. The environment is an open object:
// whatever the lab records is shown, named by its key, nested objects as groups of their own.

import { factGroups, factText } from './facts.js';
import { valueText } from './schema.js';
import { ownWords, titleFromName, valueWords } from './words.js';

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
    else if (Array.isArray(value) && value.some(isObject))
      value.forEach((item, index) => inner.push(...itemGroups(name, item, index)));
    else if (!isEmpty(value)) facts.push({ name, title: titleOf(name), text: factText(name, value), value });
  }
  return [...(facts.length ? [{ title, facts }] : []), ...inner];
}

/** One of a list: a device as the lab describes it, under its name with what decides about results, or
 * anything else. */
function itemGroups(name, item, index) {
  const title = `${titleOf(name).replace(/s$/, '')} ${index + 1}`;
  if (!isObject(item?.properties)) return environmentGroups(item, title);
  const telling = new Set(['Compute', 'Memory', 'Link', 'Software']);
  const facts = factGroups(item.properties)
    .groups.filter((group) => telling.has(group.title))
    .flatMap((group) => group.facts);
  return [
    {
      title: item.name ?? title,
      facts: [
        ...(item.id === item.properties.uuid ? [] : [{ name: 'id', title: 'Id', text: String(item.id) }]),
        ...facts,
      ],
    },
  ];
}

/** Variables of the process keep their names. */
const titleOf = (name) => (/^[A-Z0-9_]+$/.test(name) ? name : titleFromName(name.replace(/_(bytes|hz|flops|s)$/, '')));
