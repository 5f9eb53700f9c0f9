// JSON Schemas of the OpenAPI document as texts: what a value can be, and the members of an object as rows.

const NAMES = { integer: 'integer', number: 'number', string: 'text', boolean: 'true or false', object: 'object', array: 'list' };

/** The name of a schema that a `$ref` points to, or null. */
export const referenced = (schema) => schema?.$ref?.split('/').at(-1) ?? null;

const quoted = (value) => (typeof value === 'string' ? value : JSON.stringify(value));

/** "from 0 to 60", "at least 1", "at most 64 characters". */
function bounds({ minimum, exclusiveMinimum, maximum, minLength, maxLength, minItems, maxItems }) {
  const [low, high, what] =
    maxLength !== undefined ? [minLength, maxLength, ' characters'] : maxItems !== undefined ? [minItems, maxItems, ' items'] : [minimum, maximum, ''];
  return [
    exclusiveMinimum === undefined ? null : `more than ${exclusiveMinimum}`,
    low !== undefined && high !== undefined ? `${low} to ${high}${what}` : null,
    low !== undefined && high === undefined ? `at least ${low}${what}` : null,
    low === undefined && high !== undefined ? `at most ${high}${what}` : null,
  ].filter(Boolean);
}

/** What a value can be, as parts: texts, and {schema: NAME} for a schema that has a name. */
export function typeParts(schema) {
  const name = referenced(schema);
  if (name) return [{ schema: name }];
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives) return alternatives.flatMap((each, i) => [...(i ? [' or '] : []), ...typeParts(each)]);
  if ('const' in schema) return [quoted(schema.const)];
  if (schema.type === 'null') return ['null'];
  const types = [schema.type ?? []].flat();
  const words = schema.enum?.map(quoted) ?? types.filter((type) => type !== 'null').map((type) => NAMES[type]);
  const items = types.includes('array') && schema.items && Object.keys(schema.items).length ? [' of: ', ...typeParts(schema.items)] : [];
  const nullable = types.includes('null') ? [' or null'] : [];
  const limits = [...bounds(schema), ...('default' in schema ? [`${quoted(schema.default)} by default`] : [])];
  return [words.join(', ') || 'any value', ...items, ...nullable, ...(limits.length ? [`; ${limits.join('; ')}`] : [])];
}

/** The members of an object, those of objects and lists in it among them: [{name, parts, required, text}]. */
export function memberRows(schema, prefix = '') {
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const inner = member.properties ? member : member.items?.properties ? member.items : null;
    const path = `${prefix}${name}`;
    const row = { name: path, parts: typeParts(member), required: schema.required?.includes(name) ?? false, text: member.description ?? member.title ?? '' };
    return [row, ...(inner ? memberRows(inner, `${path}${inner === member ? '' : '[]'}.`) : [])];
  });
}

/** The routes of a document by their tag: [[tag, [{method, path, …operation}]]], in its order. */
export function routesByTag({ paths }) {
  const groups = new Map();
  for (const [path, operations] of Object.entries(paths))
    for (const [method, operation] of Object.entries(operations)) {
      const tag = operation.tags[0];
      if (!groups.has(tag)) groups.set(tag, []);
      groups.get(tag).push({ method: method.toUpperCase(), path, ...operation });
    }
  return [...groups];
}
