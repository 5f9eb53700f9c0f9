// From an experiment's parameter schema to the fields of a form, and from what is typed back to values. Nothing here
// touches the page: parts/fields.js draws what this describes.

import { bytes, parseSize, plain, sizeText } from './format.js';
import { titleFromName } from './displaynames.js';

/** The fields of a schema in its order: {name, title, help, unit, type, list, choices, minimum, maximum, fallback,
 * advanced, input}. `input` names the kind of control: choices, choice, flags, flag, sizes, size, numbers, number,
 * texts, text. */
export function fieldsOf(schema) {
  return Object.entries(schema?.properties ?? {}).map(([name, property]) => {
    const list = Array.isArray(property.anyOf);
    const item = list ? { ...property, ...property.anyOf[0] } : property;
    const field = {
      name,
      title: property.title ?? titleFromName(name),
      help: property.description ?? '',
      unit: property.unit ?? item.unit ?? null,
      type: item.type,
      list,
      choices: item.enum ?? null,
      minimum: item.minimum ?? null,
      maximum: item.maximum ?? null,
      fallback: property.default,
      advanced: property.advanced === true,
    };
    return { ...field, input: inputOf(field) };
  });
}

function inputOf({ type, list, choices, unit }) {
  let kind = 'text';
  if (type === 'boolean') kind = 'flag';
  else if (choices) kind = 'choice';
  else if (type === 'integer' || type === 'number') kind = unit === 'B' ? 'size' : 'number';
  return list ? `${kind}s` : kind;
}

/** A single bound or value as the field's reader expects to see it. */
export function valueText(field, value) {
  if (Array.isArray(value)) return value.map((item) => valueText(field, item)).join(', ');
  if (typeof value === 'number') {
    if (field.unit === 'B') return bytes(value);
    return field.unit && field.unit !== '1' ? `${plain(value, 9)} ${field.unit}` : plain(value, 9);
  }
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return String(value).replaceAll('-', ' ');
}

/** "1 B to 64 GiB", "at least 1", or "" without bounds. */
export function boundsText(field) {
  const [low, high] = [field.minimum, field.maximum];
  if (low !== null && high !== null) return `${valueText(field, low)} to ${valueText(field, high)}`;
  if (low !== null) return `at least ${valueText(field, low)}`;
  return high !== null ? `at most ${valueText(field, high)}` : '';
}

// --- what a control holds: text for typed fields, an array for check boxes, one choice, or a boolean ---------------

/** What the control shows for `value`. */
export function toControl(field, value) {
  const items = [value ?? []].flat();
  const typed = field.input.startsWith('size') ? sizeText : (item) => String(item);
  switch (field.input) {
    case 'choices':
    case 'flags':
      return items;
    case 'choice':
    case 'flag':
      return items[0];
    default:
      return items.map(typed).join(', ');
  }
}

/** What the control's state means: {value} or {error} (a sentence). An empty typed field means the default. */
export function fromControl(field, state) {
  if (field.input === 'flag' || field.input === 'choice') return { value: state };
  if (Array.isArray(state)) return state.length ? { value: state } : { error: 'Choose at least one.' };
  if (state.trim() === '') return field.fallback === undefined ? { error: 'Fill this in.' } : { value: field.fallback };
  if (!field.list) return fromText(field, state);
  const values = [];
  for (const part of state.split(/[,;]/).filter((text) => text.trim() !== '')) {
    const { value, error } = fromText(field, part);
    if (error) return { error };
    if (values.includes(value)) return { error: `${valueText(field, value)} is there twice.` };
    values.push(value);
  }
  return values.length ? { value: values } : { error: 'Fill this in.' };
}

function fromText(field, text) {
  if (field.input.startsWith('text')) return { value: text.trim() };
  const value = field.input.startsWith('size') ? parseSize(text) : parseNumber(text);
  if (value === null) {
    return {
      error:
        field.unit === 'B'
          ? `“${text.trim()}” is no size: write 4096, 64 KiB or 1.5 GiB.`
          : `“${text.trim()}” is no number.`,
    };
  }
  if (field.type === 'integer' && !Number.isInteger(value)) return { error: 'A whole number is needed.' };
  const outside =
    (field.minimum !== null && value < field.minimum) || (field.maximum !== null && value > field.maximum);
  return outside ? { error: `Outside ${boundsText(field)}.` } : { value };
}

function parseNumber(text) {
  const bare = text.trim().replace(/(?<=[0-9])[ _](?=[0-9])/g, '');
  return /^[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[-+]?[0-9]+)?$/i.test(bare) && Number.isFinite(Number(bare))
    ? Number(bare)
    : null;
}

const sameSet = (a, b) => a.length === b.length && a.every((item) => b.includes(item));

/** Whether two values of a field mean the same; the order of a list's items does not count. */
export function sameValue(a, b) {
  if (Array.isArray(a) || Array.isArray(b)) return sameSet([a ?? []].flat(), [b ?? []].flat());
  return a === b;
}

/** Of `values` those that differ from the defaults: what a request needs to say. */
export function changed(fields, values) {
  return Object.fromEntries(
    fields
      .filter(({ name, fallback }) => name in values && !sameValue(values[name], fallback))
      .map(({ name }) => [name, values[name]]),
  );
}

/** Sorts a problem's errors by field: {fields: Map(name -> [detail]), other: [detail]}. "/parameters/memory/0"
 * belongs to "memory", "/devices/0" to the form's own part "devices". */
export function errorsByField(errors, names) {
  const fields = new Map();
  const other = [];
  for (const { pointer = '', detail } of errors ?? []) {
    const parts = pointer
      .split('/')
      .slice(1)
      .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
    const name = parts[0] === 'parameters' ? parts[1] : parts[0];
    if (name && names.includes(name)) fields.set(name, [...(fields.get(name) ?? []), detail]);
    else other.push(pointer ? `${detail} (${pointer})` : detail);
  }
  return { fields, other };
}
