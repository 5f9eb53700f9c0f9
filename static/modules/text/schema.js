// Turns an experiment's parameter schema into form fields, and input back into values. Nothing here uses the DOM;
// parts/fields.js draws the fields.

import { bytes, parseSize, plain, sizeText } from './format.js';
import { displayName, titleFromName } from './displaynames.js';

/** The fields of a schema, in its order: {name, title, help, unit, type, list, choices, minimum, maximum, longest,
 * defaultValue, advanced, zero, input}, `longest` in characters of a text. `zero` are the words for the number 0 where
 * it has a meaning of its own, such as "all", else null. `input` names the kind of control: choices, choice, flags,
 * flag, sizes, size, numbers, number, texts, text, and lines for a text that may have several and is taken as it is. */
export function fieldsOf(schema) {
  const properties = schema?.properties ?? {};
  return Object.entries(properties).map(([name, property]) => {
    const list = Array.isArray(property.anyOf);
    const item = list ? { ...property, ...property.anyOf[0] } : property;
    const [type] = [item.type].flat(); // an integer may also be sent as the text of a size
    const field = {
      name,
      title: property.title ?? titleFromName(name),
      help: helpText(name, property.description ?? '', properties),
      unit: property['x-unit'] ?? null,
      type,
      list,
      choices: item.enum ?? null,
      minimum: item.minimum ?? null,
      maximum: item.maximum ?? null,
      longest: item.maxLength ?? null,
      defaultValue: property.default,
      advanced: property['x-advanced'] === true,
      zero: isNumeric(type) ? zeroWords(property.description) : null,
    };
    return { ...field, input: inputOf(field) };
  });
}

/** The fields of members that may be absent, as the OpenAPI document describes them: a field without a value of its own
 * has an empty one, which no request contains (`changed` below). */
export function optionalFieldsOf({ properties }) {
  const optional = ({ items, ...rest }) => {
    if (items) return { ...rest, anyOf: [items], default: [] };
    if ('default' in rest) return rest;
    if (rest.type === 'boolean') return { ...rest, default: false };
    return { ...rest, default: '', ...(rest.enum && { enum: ['', ...rest.enum] }) };
  };
  return fieldsOf({ properties: Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, optional(one)])) });
}

/** A description in the words of the form: flags by the names of their buttons, other parameters by their titles. */
function helpText(name, description, properties) {
  const flag = (value) => displayName(name, value) ?? { true: 'yes', false: 'no' }[value];
  return description
    .replace(/\b(true|false):/g, (_, value) => `${flag(value)}:`)
    .replace(/\b[a-z]+(?:_[a-z]+)+\b/g, (word) => (properties[word]?.title ? `“${properties[word].title}”` : word));
}

const isNumeric = (type) => type === 'integer' || type === 'number';

/** The words that a description defines for 0, up to the first comma: "0: all." gives "all". */
const zeroWords = (description) => /(?:^|[.;] )0: ([^,.;]+)/.exec(description ?? '')?.[1].trim() ?? null;

const LINE_MAX = 4096; // characters; a text that may be longer has lines

function inputOf({ type, list, choices, unit, longest }) {
  let kind = longest > LINE_MAX ? 'lines' : 'text';
  if (type === 'boolean') kind = 'flag';
  else if (choices) kind = 'choice';
  else if (isNumeric(type)) kind = unit === 'B' ? 'size' : 'number';
  return list ? `${kind}s` : kind;
}

/** A value or bound of a field as text. */
export function fieldValueText(field, value) {
  if (Array.isArray(value)) return value.map((item) => fieldValueText(field, item)).join(', ');
  if (typeof value === 'number') {
    if (value === 0 && field.zero) return field.zero;
    if (field.unit === 'B') return bytes(value);
    return field.unit && field.unit !== '1' ? `${plain(value, 9)} ${field.unit}` : plain(value, 9);
  }
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return String(value).replaceAll('-', ' ');
}

/** The field for several values of `field`, one for each run of a sweep. */
export const sweptField = (field) => {
  const swept = { ...field, list: true, defaultValue: undefined, advanced: false };
  return { ...swept, input: inputOf(swept) };
};

/** "1 B to 64 GiB", "at least 1", or "" without bounds; a 0 that stands for words is left out. */
export function boundsText(field) {
  const low = field.zero && field.minimum === 0 ? (field.type === 'integer' ? 1 : null) : field.minimum;
  const high = field.maximum;
  if (low !== null && high !== null) return `${fieldValueText(field, low)} to ${fieldValueText(field, high)}`;
  if (low !== null) return `at least ${fieldValueText(field, low)}`;
  return high !== null ? `at most ${fieldValueText(field, high)}` : '';
}

// --- state of a control
// ------------------------------------------------------------------------------------------------ The state is a text
// for a text field, an array of choices for check boxes, one choice for radio buttons or a list to choose from, and a
// boolean for a single check box.

/** The state of the control that represents `value`. */
export function toControl(field, value) {
  const items = [value ?? []].flat();
  const numberText = field.input.startsWith('size') ? sizeText : String;
  const textOf = (item) => (item === 0 && field.zero ? field.zero : numberText(item));
  switch (field.input) {
    case 'choices':
    case 'flags':
      return items;
    case 'choice':
    case 'flag':
      return items[0];
    default:
      return items.map(textOf).join(', ');
  }
}

/** The value that a control's state represents: {value}, or {error} with a sentence. An empty text field means the
 * default. */
export function fromControl(field, state) {
  if (['flag', 'choice', 'lines'].includes(field.input)) return { value: state };
  if (Array.isArray(state))
    return state.length || field.defaultValue?.length === 0 ? { value: state } : { error: 'Choose at least one.' };
  if (state.trim() === '')
    return field.defaultValue === undefined ? { error: 'Required.' } : { value: field.defaultValue };
  if (!field.list) return fromText(field, state);
  const values = [];
  for (const part of state.split(/[,;]/).filter((text) => text.trim() !== '')) {
    const { value, error } = fromText(field, part);
    if (error) return { error };
    if (values.includes(value)) return { error: `${fieldValueText(field, value)} occurs twice.` };
    values.push(value);
  }
  return values.length ? { value: values } : { error: 'Required.' };
}

function fromText(field, text) {
  if (field.input.startsWith('text')) return { value: text.trim() };
  if (field.zero && text.trim().toLowerCase() === field.zero.toLowerCase()) return { value: 0 };
  const value = field.type === 'integer' ? parseSize(text) : parseNumber(text);
  const refused = (what) => ({ error: `“${text.trim()}” is ${what}.` });
  if (value === null)
    return refused(field.unit === 'B' ? 'not a size; examples: 4096, 64 KiB, 1.5 GiB' : 'not a number');
  if (field.type === 'integer' && !Number.isInteger(value)) return refused('not a whole number');
  const outside =
    (field.minimum !== null && value < field.minimum) || (field.maximum !== null && value > field.maximum);
  return outside ? refused(`out of range; allowed: ${allowedText(field)}`) : { value };
}

/** The bounds, and the words that are allowed beside them: "swept, or 1 to 64". */
function allowedText(field) {
  const words = field.zero && field.minimum === 0 ? [field.zero] : [];
  return [...words, boundsText(field)].filter(Boolean).join(', or ');
}

function parseNumber(text) {
  const bare = text.trim().replace(/(?<=[0-9])[ _](?=[0-9])/g, '');
  return /^[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[-+]?[0-9]+)?$/i.test(bare) && Number.isFinite(Number(bare))
    ? Number(bare)
    : null;
}

const sameSet = (a, b) => a.length === b.length && a.every((item) => b.includes(item));

/** Whether two values of a field are equal; the order of list items does not matter. */
export function sameValue(a, b) {
  if (Array.isArray(a) || Array.isArray(b)) return sameSet([a ?? []].flat(), [b ?? []].flat());
  return a === b;
}

/** The `values` that differ from those of `preset`, or else from their defaults. A request contains only these
 * parameters. */
export function changed(fields, values, preset = {}) {
  return Object.fromEntries(
    fields
      .filter(({ name, defaultValue }) => name in values && !sameValue(values[name], preset[name] ?? defaultValue))
      .map(({ name }) => [name, values[name]]),
  );
}

/** The names of the fields whose values differ between two sets of values. */
export const differing = (fields, a, b) =>
  fields.filter(({ name }) => name in b && !sameValue(a[name], b[name])).map(({ name }) => name);

function nameOf([first, second, third]) {
  if (first === 'compare_with') return baseName(second === 'parameters' ? third : second);
  if (first === 'program') return second === 'options' ? third : second;
  return first === 'parameters' ? second : first;
}

/** The name under which errorsByField lists a parameter of `compare_with`, or its devices. */
export const baseName = (name) => `compare_with/${name}`;

/** Groups the errors of a problem document by field: {fields: Map(name -> [detail]), other: [detail]}.
 * "/parameters/memory/0" belongs to the field "memory", "/devices/0" to "devices", "/program/stdin" to "stdin",
 * "/program/options/std" to "std", and "/compare_with/parameters/memory" to the one called baseName("memory"). */
export function errorsByField(errors, names) {
  const fields = new Map();
  const other = [];
  for (const { pointer = '', detail } of errors ?? []) {
    const parts = pointer
      .split('/')
      .slice(1)
      .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
    const name = nameOf(parts);
    if (name && names.includes(name)) fields.set(name, [...(fields.get(name) ?? []), detail]);
    else other.push(pointer ? `${detail} (${pointer})` : detail);
  }
  return { fields, other };
}
