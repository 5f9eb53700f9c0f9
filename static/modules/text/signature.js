// Reads the parameters of a kernel in its source: what a person would type into the form for them. A small part of C++
// suffices, because the compiler checks the text: declarations are read by words and parentheses, and a type that is
// not known is a buffer or a scalar of floats.

import { newArgument, vectorLayout, vectorOf } from './kernelarguments.js';
import { tokenize } from './tokenizer.js';

const TYPES = {
  ...{ float: 'fp32', double: 'fp64', half: 'fp16', __half: 'fp16', __nv_bfloat16: 'bf16', nv_bfloat16: 'bf16' },
  ...{ bool: 'u8', char: 'i8', 'signed char': 'i8', 'unsigned char': 'u8', int8_t: 'i8', uint8_t: 'u8' },
  ...{ short: 'i16', 'unsigned short': 'u16', int16_t: 'i16', uint16_t: 'u16' },
  ...{ int: 'i32', signed: 'i32', unsigned: 'u32', uint: 'u32', 'unsigned int': 'u32', int32_t: 'i32', uint32_t: 'u32' },
  ...{ long: 'i64', 'unsigned long': 'u64', 'long long': 'i64', 'unsigned long long': 'u64', int64_t: 'i64', uint64_t: 'u64' },
  ...{ size_t: 'u64', ptrdiff_t: 'i64' },
};
const VECTOR_ALIASES = { __half2: 'half2', nv_bfloat162: '__nv_bfloat162' };
const NOT_TYPES = /\b(?:const|volatile|struct|class|enum|typename|__restrict__|__restrict|restrict|__grid_constant__|register|static|extern|std::|cuda::|::)\b|std::/g;
const ATTRIBUTES = ['__launch_bounds__', '__cluster_dims__', '__maxnreg__', '__block_size__', '__align__', 'alignas', '__attribute__'];
const MANY = '1048576'; // elements, where a kernel has a number of elements
const SIDE = '1024'; // of a kernel with two or more

/** The text without comments and what strings contain. */
const plainCode = (source) =>
  tokenize(source)
    .map(({ kind, text }) => (kind === 'comment' ? ' ' : kind === 'string' && text.startsWith('"') ? '""' : text))
    .join('');

/** The position after the parenthesis that closes the one at `at`. */
function closing(code, at) {
  let depth = 0;
  for (let i = at; i < code.length; i++) {
    if ('([{<'.includes(code[i])) depth++;
    else if (')]}>'.includes(code[i]) && --depth === 0) return i + 1;
  }
  return code.length;
}

/** The parts between commas outside of all brackets. */
function parts(text) {
  const list = [''];
  let depth = 0;
  for (const letter of text) {
    if ('([{<'.includes(letter)) depth++;
    if (')]}>'.includes(letter)) depth--;
    if (letter === ',' && depth === 0) list.push('');
    else list[list.length - 1] += letter;
  }
  return list.map((part) => part.trim()).filter(Boolean);
}

/** The kernels of a text: [{name, parameters, attributes, template, body}], parts of its code. */
function kernelsOf(code) {
  const found = [];
  for (const { index } of code.matchAll(/\b__global__\b/g)) {
    let at = index + '__global__'.length;
    const attributes = {};
    for (;;) {
      const [, name] = /([A-Za-z_]\w*)?\s*$/.exec(code.slice(at, code.indexOf('(', at))) ?? [];
      const open = code.indexOf('(', at);
      if (open < 0 || !name) break;
      const end = closing(code, open);
      const inside = code.slice(open + 1, end - 1);
      at = end;
      if (ATTRIBUTES.includes(name)) {
        attributes[name] = inside;
        continue;
      }
      const start = code.slice(end).search(/\S/) + end;
      const body = code[start] === '{' ? code.slice(start, closing(code.replace(/[<>]/g, ' '), start)) : '';
      const [, template] = /template\s*<([^;{}]*)>\s*(?:extern\s*""\s*)?(?:static\s+|inline\s+)*$/.exec(code.slice(0, index)) ?? [];
      if (body) found.push({ name, parameters: parts(inside), attributes, template: template ?? '', body });
      break;
    }
  }
  return found;
}

/** What names stand for: macros without parameters, `using`, `typedef`, and the parameters of the template, of the
 * instance `entry` or by default. */
function namesOf(code, { template }, entry) {
  const names = {};
  for (const [, name, text] of code.matchAll(/^[ \t]*#[ \t]*define[ \t]+([A-Za-z_]\w*)[ \t]+([^\n\\]+)$/gm)) names[name] = text.trim();
  for (const [, name, text] of code.matchAll(/\busing\s+([A-Za-z_]\w*)\s*=\s*([^;]+);/g)) names[name] = text.trim();
  for (const [, text, name] of code.matchAll(/\btypedef\s+([^;{}]+?)\s+([A-Za-z_]\w*)\s*;/g)) names[name] = text.trim();
  const values = parts(/<(.*)>\s*$/.exec(entry)?.[1] ?? '');
  parts(template).forEach((parameter, at) => {
    const [, name, fallback] = /([A-Za-z_]\w*)\s*(?:=\s*(.*))?$/.exec(parameter) ?? [];
    if (name) names[name] = values[at] ?? fallback ?? (/^(?:typename|class)\b/.test(parameter) ? 'float' : name);
  });
  return names;
}

const NAMES_MAX = 8; // of names that stand for others

/** A type without its qualifiers, by its last name. */
function typeOf(text, names) {
  let type = text.replace(NOT_TYPES, ' ').trim().replace(/\s+/g, ' ');
  for (let i = 0; i < NAMES_MAX && names[type] && names[type] !== type; i++) type = names[type].replace(NOT_TYPES, ' ').trim().replace(/\s+/g, ' ');
  return type.replace(/^(unsigned |signed )?(long|short|long long) int$/, (_, sign = '', size) => sign + size);
}

/** The fields of a member of a structure, `name`, `name = 2` or `name[3]`, of a type of numbers; null for another. */
function membersOf(text, type, names) {
  const [, name, length, value] = /^([A-Za-z_]\w*)\s*(?:\[\s*(\w+)\s*\])?\s*(?:[={]\s*([-\w.+]+)\s*\}?)?$/.exec(text) ?? [];
  if (!name) return null;
  const start = { type, value: value?.replace(/[fuUlL]+$/, '') ?? '1' };
  if (length === undefined) return [{ name, ...start }];
  const count = Number(names[length] ?? length);
  return Number.isInteger(count) ? Array.from({ length: count }, (_, at) => ({ name: `${name}_${at}`, ...start })) : null;
}

/** The fields of a structure of the text: {fields, align}; null where it has others than numbers. */
function structureOf(code, type, names) {
  const found = new RegExp(`\\bstruct\\s+((?:__align__|alignas)\\s*\\(\\s*(\\d+)\\s*\\)\\s*)?${type}\\s*(?:final\\s*)?\\{([^{}]*)\\}`).exec(code);
  if (!found) return null;
  const fields = [];
  for (const declaration of found[3].split(';').map((one) => one.trim()).filter(Boolean)) {
    const [first, ...others] = parts(declaration);
    const [, own, item] = /^((?:[\w:]+\s+)+)([A-Za-z_][^]*)$/.exec(first) ?? [];
    const type = TYPES[typeOf(own ?? '', names)];
    const members = type ? [item, ...others].map((one) => membersOf(one, type, names)) : [null];
    if (members.includes(null)) return null;
    fields.push(...members.flat());
  }
  return { fields, align: found[2] ?? '' };
}

/** Where code has a name that is no member of something else, as `x` of `p.x` and `p->x` is. */
const usesOf = (code, name) => [...code.matchAll(new RegExp(`(?<!\\.\\s*|->\\s*)\\b${name}\\b`, 'g'))];

/** Whether the body only assigns to elements of a buffer or a table, and reads none. */
function onlyWrites(body, name) {
  const uses = usesOf(body, name);
  return uses.length > 0 && uses.every(({ index }) => {
    const after = (at) => at + /^\s*/.exec(body.slice(at))[0].length;
    const first = after(index + name.length);
    let at = first;
    while (body[at] === '[') at = after(closing(body, at));
    return at > first && /^=(?!=)/.test(body.slice(at));
  });
}

/** A texture or surface, with what the functions say that access it: tex2D<float4>(name, x, y), surf2Dwrite(value,
 * name, x, y). */
function imageFor(start, kind, { body, names }) {
  const calls = [...body.matchAll(/\b(tex|surf)([123])D(fetch|Layered)?(read|write)?\s*(?:<\s*([^<>]+?)\s*>)?\s*\(/g)]
    .map((call) => ({ call, inside: parts(body.slice(call.index + call[0].length, closing(body, call.index + call[0].length - 1) - 1)) }))
    .filter(({ inside }) => inside.includes(start.name))
    .map(({ call: [, , dimensions, how, access, element] }) => ({ dimensions: Number(dimensions), how, access, element }));
  const element = typeOf(calls.find((one) => one.element)?.element ?? '', names);
  const vector = vectorOf(VECTOR_ALIASES[element] ?? element);
  const accesses = new Set(calls.map(({ access }) => access));
  return {
    ...{ name: start.name, kind, type: vector?.type ?? TYPES[element] ?? 'fp32', channels: String(vector?.count ?? 1), content: start.content },
    ...(kind === 'surface' && { direction: !accesses.has('write') ? 'in' : accesses.has('read') ? 'inout' : 'out' }),
    ...(kind === 'texture' && calls.some(({ how }) => how === 'fetch') && { memory: 'linear' }),
    ...(calls.some(({ how }) => how === 'Layered') && { layers: '1' }),
    dimensions: calls[0]?.dimensions ?? 2,
  };
}
const IMAGES = { cudaTextureObject_t: 'texture', cudaSurfaceObject_t: 'surface' };

function argumentFor(parameter, { code, body, names }) {
  const bare = parameter.replace(/=[^]*$/, '').trim();
  const [, before, name, array] = /^([^]*?)([A-Za-z_]\w*)\s*((?:\[[^\]]*\])*)$/.exec(bare) ?? [];
  if (!before?.trim()) return null;
  const aliased = names[before.replace(NOT_TYPES, ' ').trim()] ?? '';
  const isPointer = before.includes('*') || Boolean(array) || aliased.includes('*');
  const type = typeOf(before.replace(/[*&]/g, ' '), names);
  const vector = VECTOR_ALIASES[type] ?? type;
  const start = newArgument(name);
  if (!isPointer) {
    if (IMAGES[type]) return imageFor(start, IMAGES[type], { body, names });
    if (vectorOf(vector)) return { name, kind: 'struct', ...vectorLayout(vector) };
    const structure = TYPES[type] ? null : structureOf(code, type, names);
    return structure ? { name, kind: 'struct', ...structure } : { ...start, kind: 'scalar', type: TYPES[type] ?? 'fp32', count: '', value: '1' };
  }
  const isRead = /\bconst\b/.test(before.slice(0, before.indexOf('*') < 0 ? undefined : before.indexOf('*')));
  const direction = isRead ? 'in' : onlyWrites(body, name) ? 'out' : 'inout';
  const kind = /\*[^]*\*/.test(before) ? 'table' : 'buffer';
  return { ...start, kind, type: vectorOf(vector)?.type ?? TYPES[type] ?? 'fp32', direction, lanes: vectorOf(vector)?.count ?? 1 };
}

const isInteger = ({ kind, type }) => kind === 'scalar' && /^[iu](?:32|64)$/.test(type);

/** The scalars that say how many elements buffers have: one that is called so, or else the first two integers. */
function sizesAmong(list) {
  const integers = list.filter(isInteger);
  const named = integers.find(({ name }) => /^(?:n|N|size|count|len|length|total|num(?:_?\w+)?|n_?(?:elements|items))$/.test(name));
  return named ? [named] : integers.slice(0, 2);
}

const IS_WIDTH = /^(?:w|width|x|nx|dim_?x|size_?x|cols?|columns?)$/i;
const TILE = 16; // threads of a block in each of two dimensions
const ROW_OF_THREADS = '256';

/** What a launch has by the sizes: a thread for each element, of a matrix where the kernel has two dimensions. Sets the
 * values of the scalars that are sizes and the elements of the buffers. Returns {arguments, grid, block}. */
function sized(list, body) {
  const isPlane = /\b(?:blockIdx|threadIdx)\.y\b/.test(body);
  const sizes = sizesAmong(list);
  const isMatrix = sizes.length > 1 || (isPlane && sizes.length > 0);
  for (const one of sizes) one.value = isMatrix ? SIDE : MANY;
  const [first, second = first] = sizes.map(({ name }) => name);
  const count = isMatrix ? `${first} * ${second}` : (first ?? MANY);
  const times = (lanes) => (lanes > 1 ? `${lanes} * ${count}` : count);
  const [width = MANY, height = width] = IS_WIDTH.test(second) && !IS_WIDTH.test(first) ? [second, first] : [first, second];
  const others = list.filter((one) => isInteger(one) && !sizes.includes(one));
  function withSizes({ lanes, dimensions, ...one }) {
    if (dimensions) return { ...one, extent: [width, height, height].slice(0, dimensions).join(', ') };
    if (one.kind === 'table') return { ...one, buffers: others[0]?.name ?? '1', count: times(lanes) };
    return one.kind === 'buffer' ? { ...one, count: times(lanes) } : one;
  }
  return {
    arguments: list.map(withSizes),
    grid: isPlane && isMatrix ? `ceil_div(${width}, ${TILE}), ceil_div(${height}, ${TILE})` : '',
    block: isPlane ? `${TILE}, ${TILE}` : ROW_OF_THREADS,
  };
}

const inParentheses = (text) => (/^\w+$/.test(text) ? text : `(${text})`);

/** The number of elements of a variable, whose dimensions may have names. */
const elementsOf = (array, names) =>
  [...array.matchAll(/\[([^\]]*)\]/g)]
    .map(([, size]) => size.trim().replace(/[A-Za-z_]\w*/g, (word) => inParentheses(names[word] ?? word)))
    .map((size, _, all) => (all.length > 1 ? inParentheses(size) : size))
    .join(' * ') || '1';

const VARIABLES = /(__constant__|__device__)\s+((?:[\w:]+\s+)+?)([A-Za-z_]\w*\s*(?:\[[^\]]*\]\s*)*(?:,\s*[A-Za-z_]\w*\s*(?:\[[^\]]*\]\s*)*)*);/g;

/** The variables without contents whose names the text has again. */
function variablesOf(code, { names }) {
  const list = [];
  for (const [, space, text, declared] of code.matchAll(VARIABLES)) {
    const type = typeOf(text, names);
    const vector = vectorOf(VECTOR_ALIASES[type] ?? type);
    const number = vector?.type ?? TYPES[type];
    const ofSpace = space === '__constant__' ? { content: 'random', direction: 'in' } : { content: 'zero', direction: 'inout' };
    for (const item of number ? parts(declared) : []) {
      const [name] = /^\w+/.exec(item);
      if (usesOf(code, name).length < 2) continue;
      const count = elementsOf(item, names);
      list.push({ ...newArgument(name), kind: 'variable', type: number, count: vector ? `${vector.count} * ${inParentheses(count)}` : count, ...ofSpace });
    }
  }
  return list;
}

/** The first size in an attribute such as __launch_bounds__(THREADS, 2), if it is a number. */
const numberOf = (text, names) => /^\d+$/.exec(names[text?.trim()] ?? text?.trim() ?? '')?.[0] ?? '';

/** What the form has for the kernel that `entry` names, or else the first of the text: {name, arguments, grid, block,
 * cluster, cooperative}; the sizes are a proposal. null where the text has no such kernel. */
export function signatureOf(source, entry = '') {
  const code = plainCode(source);
  const wanted = entry.replace(/<.*$/, '').split('::').at(-1).trim();
  const kernel = kernelsOf(code).find(({ name }) => !wanted || name === wanted);
  if (!kernel) return null;
  const names = namesOf(code, kernel, entry);
  const context = { code, body: kernel.body, names };
  const { __launch_bounds__: bounds, __cluster_dims__: dimensions } = kernel.attributes;
  const { arguments: parameters, grid, block } = sized(kernel.parameters.map((one) => argumentFor(one, context)).filter(Boolean), kernel.body);
  return {
    name: kernel.name,
    arguments: [...parameters, ...variablesOf(code, context)],
    grid,
    block: numberOf(parts(bounds ?? '')[0], names) || block,
    cluster: parts(dimensions ?? '').map((one) => numberOf(one, names)).filter(Boolean).join(', '),
    cooperative: /\bthis_grid\s*\(/.test(kernel.body),
  };
}

const wordsOf = (text) => String(text ?? '').match(/[A-Za-z_]\w*/g) ?? [];

/** The arguments of a signature, with what `list` already says of those that have the same name and are alike; the
 * elements of a buffer only where their number does not name an argument that there is no longer. */
export function mergedArguments(list, signature) {
  const gone = list.map(({ name }) => name).filter((name) => !signature.arguments.some((one) => one.name === name));
  return signature.arguments.map((one) => {
    const own = list.find(({ name, kind, type }) => name === one.name && kind === one.kind && type === one.type);
    if (!own) return one;
    return wordsOf(own.count).some((word) => gone.includes(word)) ? { ...own, count: one.count } : own;
  });
}

/** Whether a list has other names, kinds or types than a signature, in another order. Variables may stand anywhere. */
export function differsFrom(list, signature) {
  const [own, theirs] = [list, signature.arguments].map((all) => ({
    parameters: all.filter(({ kind }) => kind !== 'variable').map(({ name, kind, type }) => `${name} ${kind} ${type ?? ''}`).join(),
    variables: all.filter(({ kind }) => kind === 'variable').map(({ name }) => name).sort().join(),
  }));
  return own.parameters !== theirs.parameters || own.variables !== theirs.variables;
}
