// The arguments of a kernel from nothing, of the draft (ownkernel.js) and of a request (API.md).
//
// An argument of a draft has texts: {name, kind}, and as its kind needs them type, count, content, direction, value,
// expected, tolerance, expected_data (a saved output in Base64), save (a boolean), values (of a variable, one for each
// element), align (of a structure) and `fields`: [{name, type, value}]; of textures and surfaces extent, channels,
// layers and the members of TEXTURE_CHOICES and OTHER_ADDRESSES, of a table of buffers their number `buffers`. `data`
// (Base64) is the content 'data', which requests bring.

export const ARGUMENT_KINDS = ['buffer', 'scalar', 'struct', 'variable', 'texture', 'surface', 'table'];
/** What a texture may be, by member; the first value is the default. */
export const TEXTURE_CHOICES = {
  memory: ['array', 'linear'],
  filter: ['point', 'linear'],
  address: ['clamp', 'border', 'wrap', 'mirror'],
  coordinates: ['elements', 'normalized'],
  read: ['element', 'normalized-float'],
};
/** The address mode in y and z, where it is not that in x. */
export const OTHER_ADDRESSES = ['address_y', 'address_z'];
export const CHANNELS = ['1', '2', '4'];
export const ARGUMENT_TYPES = ['fp16', 'bf16', 'fp32', 'fp64', 'i8', 'i16', 'i32', 'i64', 'u8', 'u16', 'u32', 'u64'];
export const CONTENTS = ['random', 'zero', 'ramp', 'value'];
export const DIRECTIONS = ['in', 'out', 'inout'];

const ELEMENTS = {
  ...{ char: 'i8', uchar: 'u8', short: 'i16', ushort: 'u16', int: 'i32', uint: 'u32', longlong: 'i64', ulonglong: 'u64' },
  ...{ half: 'fp16', __nv_bfloat16: 'bf16', float: 'fp32', double: 'fp64' },
};
const COORDINATES = ['x', 'y', 'z', 'w'];
const ALIGNMENT_MAX = 16; // bytes

/** The vector types of CUDA, by name: {type, count}. */
const VECTORS = Object.fromEntries(
  Object.entries(ELEMENTS).flatMap(([name, type]) =>
    (['fp16', 'bf16'].includes(type) ? [2] : [2, 3, 4]).map((count) => [`${name}${count}`, { type, count }]),
  ),
);
export const VECTOR_NAMES = Object.keys(VECTORS);

export const vectorOf = (name) => VECTORS[name] ?? null;

/** The members `fields` and `align` of a vector type, whose alignment is that of all its elements, or of one where they
 * are three. */
export function vectorLayout(name, value = '1') {
  const { type, count } = VECTORS[name];
  const bytes = Number(/\d+$/.exec(type)[0]) / 8;
  return {
    fields: COORDINATES.slice(0, count).map((coordinate) => ({ name: coordinate, type, value })),
    align: String(count === 3 ? bytes : Math.min(ALIGNMENT_MAX, count * bytes)),
  };
}

/** The vector type that a structure of a draft is; '' for another. */
export const vectorName = ({ fields = [], align }) =>
  VECTOR_NAMES.find((name) => {
    const layout = vectorLayout(name);
    return layout.align === textOf(align) && layout.fields.length === fields.length && layout.fields.every((field, at) => field.name === fields[at].name && field.type === fields[at].type);
  }) ?? '';

/** A buffer to begin with. */
export const newArgument = (name) => ({ name, kind: 'buffer', type: 'fp32', count: 'n', content: 'random', direction: 'in', value: '' });
export const newField = (name) => ({ name, type: 'fp32', value: '1' });

/** Whether the arguments have elements in an array of textures and surfaces. */
export const isImage = ({ kind }) => kind === 'texture' || kind === 'surface';
/** The members of a texture; a texture in linear memory has neither a filter nor a mode for addresses outside. */
export const textureMembers = ({ memory }) => (memory === 'linear' ? ['memory', 'read'] : Object.keys(TEXTURE_CHOICES));
/** Whether the values of a variable are listed; otherwise it has a content as a buffer has. */
export const hasValues = ({ kind, values }) => kind === 'variable' && Boolean(textOf(values).trim());

/** A member as the text of a field. */
export const textOf = (value) => [value ?? []].flat().join(', ');

/** The parts of a text between commas that are in no parentheses: "ceil_div(n, 32), 1" has two. */
function split(text) {
  const parts = [''];
  let depth = 0;
  for (const letter of text) {
    depth += { '(': 1, ')': -1 }[letter] ?? 0;
    if (letter === ',' && depth === 0) parts.push('');
    else parts[parts.length - 1] += letter;
  }
  return parts.map((part) => part.trim()).filter(Boolean);
}

/** An integer as a number where one has its digits, anything else as the text of an expression. */
export const expression = (text) => (/^-?\d+$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : text);

/** The sizes of a grid or a block: "32, 8" is [32, 8]; [] for an empty text. */
export const sizesOf = (text) => split(text).map(expression);

/** The members whose text is not empty. */
export const given = (texts) =>
  Object.fromEntries(
    Object.entries(texts)
      .map(([name, value]) => [name, textOf(value).trim()])
      .filter(([, text]) => text)
      .map(([name, text]) => [name, expression(text)]),
  );

/** The value of a scalar: a list where there are several, which is swept. */
function scalarValue(text) {
  const values = sizesOf(textOf(text));
  return values.length === 1 ? values[0] : values;
}

const numberOrText = (text) => (text.trim() && Number.isFinite(Number(text)) ? Number(text) : text.trim());
/** A number where the text is one; what is none is refused by the lab, with the place. */
const givenNumber = (name, value) => (textOf(value).trim() ? { [name]: numberOrText(textOf(value)) } : {});

function structOf({ name, kind, fields = [], align }) {
  const members = fields.map((field) => ({ name: field.name, type: field.type, value: expression(textOf(field.value).trim()) }));
  return { name, kind, fields: members, ...givenNumber('align', align) };
}

/** What a buffer or a variable holds. */
const contentOf = ({ direction, content, value, data }) =>
  direction === 'out' ? {} : { content, ...(content === 'value' && given({ value })), ...(content === 'data' && { data }) };

/** How many dimensions a texture of a draft has. */
export const dimensionsOf = ({ extent }) => sizesOf(textOf(extent)).length;

/** The address modes, where they differ: one for each dimension. */
function addressesOf(argument) {
  const others = OTHER_ADDRESSES.slice(0, dimensionsOf(argument) - 1).map((member) => argument[member] || argument.address);
  const differ = textureMembers(argument).includes('address') && others.some((mode) => mode !== argument.address);
  return differ ? { address: [argument.address, ...others] } : {};
}

function imageOf({ extent, channels, layers, direction, ...argument }) {
  const { name, kind, type } = argument;
  const size = { extent: sizesOf(textOf(extent)), ...given({ channels, layers }) };
  if (kind === 'surface') return { name, kind, type, ...size, direction, ...contentOf({ ...argument, direction }) };
  const chosen = Object.fromEntries(textureMembers(argument).map((member) => [member, argument[member]]));
  return { name, kind, type, ...size, ...given(chosen), ...addressesOf(argument), ...contentOf(argument) };
}

function variableOf(argument) {
  const { name, kind, type, count, direction, values } = argument;
  if (hasValues(argument)) return { name, kind, type, direction, values: split(textOf(values)).map(numberOrText) };
  return { name, kind, type, ...given({ count }), direction, ...contentOf(argument) };
}

/** An argument of a draft as that of a request. */
export function argumentOf(argument) {
  const { name, kind, type, count, buffers, direction, value, expected, expected_data: saved, tolerance, save } = argument;
  if (kind === 'struct') return structOf(argument);
  if (kind === 'variable') return variableOf(argument);
  if (kind === 'scalar') return { name, kind, type, value: scalarValue(value) };
  if (kind === 'texture') return imageOf(argument);
  const isExpected = direction !== 'in' && Boolean(expected?.trim() || saved);
  return {
    ...(kind === 'surface'
      ? imageOf(argument)
      : { name, kind, type, ...(kind === 'table' && given({ buffers })), ...given({ count }), direction, ...contentOf(argument) }),
    ...(isExpected && (expected?.trim() ? { expected: expected.trim() } : { expected_data: saved })),
    ...(isExpected && givenNumber('tolerance', tolerance)),
    ...(direction !== 'in' && save && { save }),
  };
}

/** An argument of a request as that of a draft. */
export function argumentDraftOf(argument) {
  const { kind, fields = [], align, count, value, values, tolerance, address, ...others } = argument;
  const [inX, ...inOthers] = [address ?? []].flat();
  if (kind === 'struct')
    return { ...others, kind, fields: fields.map((field) => ({ ...field, value: textOf(field.value) })), align: textOf(align) };
  return {
    ...newArgument(others.name),
    ...{ ...others, kind, count: textOf(count), value: textOf(value) },
    ...(inX && { address: inX, ...Object.fromEntries(inOthers.map((mode, at) => [OTHER_ADDRESSES[at], mode])) }),
    ...(values && { values: textOf(values) }),
    ...(tolerance !== undefined && { tolerance: textOf(tolerance) }),
  };
}

const isText = (value) => ['string', 'number'].includes(typeof value);
const isTextOrNone = (value) => value === undefined || isText(value) || (Array.isArray(value) && value.every(isText));

/** Whether a value, of a link or from the browser's storage, is an argument of a draft. */
export const isArgument = (one) =>
  ARGUMENT_KINDS.includes(one?.kind) &&
  ['name', 'type', 'content', 'direction', 'expected', 'expected_data', 'data', ...Object.keys(TEXTURE_CHOICES), ...OTHER_ADDRESSES].every((name) => one[name] === undefined || typeof one[name] === 'string') &&
  typeof one.name === 'string' &&
  [undefined, true, false].includes(one.save) &&
  ['count', 'value', 'values', 'align', 'tolerance', 'extent', 'channels', 'layers', 'buffers'].every((name) => isTextOrNone(one[name])) &&
  (one.kind !== 'struct' || (Array.isArray(one.fields) && one.fields.every((field) => ['name', 'type'].every((name) => typeof field?.[name] === 'string') && isTextOrNone(field.value))));
