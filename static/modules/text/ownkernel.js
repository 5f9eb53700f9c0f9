// The kernel that a person edits: as texts of a form (a draft), and as the member `kernel` of a request (API.md).
//
// A draft of an edited source has {source, block, grid, options}; one of a kernel from nothing also has entry, shared, cluster,
// cooperative, bytes, operations, reference (the kernel of the source whose results are right), `arguments`: [{name, kind, type, count,
// content, direction, value, expected, expected_data}], `files`: [{name, text}], and perhaps `expressions`, the version of the rules for its expressions.
// `options` are those of the compiler that are not as by default, the macros as one text: "TILE=8,16 FAST".

export const ARGUMENT_KINDS = ['buffer', 'scalar'];
export const ARGUMENT_TYPES = ['fp16', 'bf16', 'fp32', 'fp64', 'i8', 'i16', 'i32', 'i64', 'u8', 'u16', 'u32', 'u64'];
export const CONTENTS = ['random', 'zero', 'ramp', 'value'];
export const DIRECTIONS = ['in', 'out', 'inout'];

const KEPT_KINDS = ['struct', 'variable'];

/** Whether the form has no fields for an argument, a structure or a variable, and keeps it as the request has it. */
export const isKept = ({ kind }) => KEPT_KINDS.includes(kind);

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

/** An integer as a number, anything else as the text of an expression. */
const expression = (text) => (/^-?\d+$/.test(text) ? Number(text) : text);

/** The sizes of a grid or a block: "32, 8" is [32, 8]; [] for an empty text. */
export const sizesOf = (text) => split(text).map(expression);

/** The value of a scalar: a list where there are several, which is swept. */
function scalarValue(text) {
  const values = sizesOf(text);
  return values.length === 1 ? values[0] : values;
}

/** The members whose text is not empty. */
const given = (texts) =>
  Object.fromEntries(
    Object.entries(texts)
      .filter(([, text]) => text?.trim())
      .map(([name, text]) => [name, expression(text.trim())]),
  );
const givenSizes = (texts) =>
  Object.fromEntries(
    Object.entries(texts)
      .map(([name, text]) => [name, sizesOf(text ?? '')])
      .filter(([, list]) => list.length),
  );

function argumentOf(argument) {
  if (isKept(argument)) return argument;
  const { name, kind, type, count, content, direction, value, expected, expected_data: saved, tolerance } = argument;
  if (kind === 'scalar') return { name, kind, type, value: scalarValue(value) };
  const isExpected = direction !== 'in' && Boolean(expected?.trim() || saved);
  return {
    ...{ name, kind, type, ...given({ count }), direction },
    ...(direction !== 'out' && { content, ...(content === 'value' && given({ value })) }),
    ...(isExpected && (expected?.trim() ? { expected: expected.trim() } : { expected_data: saved })),
    ...(isExpected && tolerance !== undefined && { tolerance }),
  };
}

/** The reference is a kernel of the same source, launched in the same way. */
function referenceOf({ reference, grid, block, shared }) {
  return reference.trim()
    ? { reference: { entry: reference.trim(), ...givenSizes({ grid, block }), ...given({ shared }) } }
    : {};
}

/** The member `options`, where the draft has any. */
function optionsOf({ options: { defines, ...others } = {} }) {
  const macros = (defines ?? '').split(/\s+/).filter(Boolean);
  const options = { ...others, ...(macros.length && { defines: macros }) };
  return Object.keys(options).length ? { options } : {};
}

const filesOf = ({ files }) => (files?.length ? { files: Object.fromEntries(files.map(({ name, text }) => [name, text])) } : {});

/** What of a draft a request to compile has beside the source. */
export const compiledWith = (draft) => ({ ...optionsOf(draft), ...filesOf(draft) });

/** The member `kernel` of a request. `edits` is "EXPERIMENT/STEP", or '' for a kernel from nothing. */
export function kernelOf(draft, edits) {
  const { source, grid, block } = draft;
  if (edits) return { edits, source, ...optionsOf(draft), ...givenSizes({ block, grid }) };
  const { entry, shared, cluster, cooperative, bytes, operations, expressions } = draft;
  return {
    source,
    ...compiledWith(draft),
    ...(expressions && { expressions }),
    ...(entry.trim() && { entry: entry.trim() }),
    ...givenSizes({ grid, block, cluster }),
    ...(cooperative && { cooperative }),
    ...given({ shared, bytes, operations }),
    arguments: draft.arguments.map(argumentOf),
    ...referenceOf(draft),
  };
}

const textOf = (value) => [value ?? []].flat().join(', ');

/** The draft for the kernel of a run. */
export function draftOf(kernel) {
  const { defines, ...others } = kernel.options ?? {};
  const options = { ...others, ...(defines && { defines: defines.join(' ') }) };
  const launch = { source: kernel.source ?? '', grid: textOf(kernel.grid), block: textOf(kernel.block), options };
  if (kernel.edits) return launch;
  return {
    ...launch,
    entry: kernel.entry ?? '',
    shared: textOf(kernel.shared),
    cluster: textOf(kernel.cluster),
    cooperative: kernel.cooperative ?? false,
    files: Object.entries(kernel.files ?? {}).map(([name, text]) => ({ name, text })),
    bytes: textOf(kernel.bytes),
    operations: textOf(kernel.operations),
    reference: kernel.reference?.entry ?? '',
    ...(kernel.expressions && { expressions: kernel.expressions }),
    arguments: (kernel.arguments ?? []).map((one) =>
      isKept(one) ? one : { ...newArgument(one.name), ...one, count: textOf(one.count), value: textOf(one.value) },
    ),
  };
}

/** A buffer to begin with. */
export const newArgument = (name) => ({
  name,
  kind: 'buffer',
  type: 'fp32',
  count: 'n',
  content: 'random',
  direction: 'in',
  value: '',
});

/** Whether a value, of a link or from the browser's storage, is a draft. */
export function isDraft(value, edits) {
  const texts = ['source', 'grid', 'block', ...(edits ? [] : ['entry', 'shared', 'bytes', 'operations', 'reference'])];
  const argument = (one) =>
    (ARGUMENT_KINDS.includes(one?.kind) &&
      ['name', 'type', 'count', 'value'].every((name) => typeof one[name] === 'string')) ||
    (KEPT_KINDS.includes(one?.kind) && typeof one.name === 'string');
  return (
    texts.every((name) => typeof value?.[name] === 'string') &&
    (Boolean(edits) || (Array.isArray(value.arguments) && value.arguments.every(argument)))
  );
}

/** Whether two drafts are equal, in whatever order their members are; one that is empty is as good as none. */
export const sameDraft = (a, b) => textOfDraft(a) === textOfDraft(b);
const textOfDraft = (draft) =>
  JSON.stringify(
    Object.entries(draft)
      .filter(([, value]) => value && (typeof value !== 'object' || Object.keys(value).length))
      .sort(([one], [other]) => (one < other ? -1 : 1)),
  );
