// The kernel that a person edits: as texts of a form (a draft), and as the member `kernel` of a request (API.md).
//
// A draft of an edited source has {source, block, grid, options}; one of a kernel from nothing also has entry, shared,
// cluster, cooperative, sanitize, bytes, operations, reference (the kernel whose results are right) and perhaps
// reference_source, _grid, _block, _shared, _cluster, _cooperative and _tolerance where they are not those of the
// kernel, perhaps `check` (C that computes what is right), `arguments` (kernelarguments.js), `files`: [{name, text}],
// and perhaps `expressions`, the version of the rules for its expressions. `options` are those of the compiler that are
// not as by default, the macros as one text: "TILE=8,16 FAST".

import { argumentDraftOf, argumentOf, given, isArgument, sizesOf, textOf } from './kernelarguments.js';

const givenSizes = (texts) =>
  Object.fromEntries(
    Object.entries(texts)
      .map(([name, text]) => [name, sizesOf(text ?? '')])
      .filter(([, list]) => list.length),
  );

/** The reference is launched in the same way as the kernel, except for what its own fields say. */
function referenceOf(draft) {
  const own = (name) => draft[`reference_${name}`] || '';
  const [entry, source, tolerance] = [draft.reference.trim(), own('source'), own('tolerance').trim()];
  if (!entry && !source.trim()) return {};
  return {
    reference: {
      ...(source.trim() && { source }),
      ...(entry && { entry }),
      ...givenSizes({ grid: own('grid') || draft.grid, block: own('block') || draft.block, cluster: own('cluster') }),
      ...given({ shared: own('shared') || draft.shared }),
      ...(own('cooperative') && { cooperative: true }),
      ...(tolerance && { tolerance: Number.isFinite(Number(tolerance)) ? Number(tolerance) : tolerance }),
    },
  };
}

/** The fields of a draft for a reference; grid, block and shared memory only where they are not those of the kernel. */
function referenceDraftOf(kernel) {
  const { entry = '', source, cooperative, tolerance, cluster, ...launch } = kernel.reference ?? {};
  const others = Object.keys(launch).filter((name) => ['grid', 'block', 'shared'].includes(name) && textOf(launch[name]) !== textOf(kernel[name]));
  return {
    reference: entry,
    ...(source && { reference_source: source }),
    ...Object.fromEntries(others.map((name) => [`reference_${name}`, textOf(launch[name])])),
    ...(cluster && { reference_cluster: textOf(cluster) }),
    ...(cooperative && { reference_cooperative: true }),
    ...(tolerance !== undefined && { reference_tolerance: textOf(tolerance) }),
  };
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

/** How a draft is launched, as members of a request. */
const launchOf = ({ entry, grid, block, shared, cluster, cooperative }) => ({
  ...(entry.trim() && { entry: entry.trim() }),
  ...givenSizes({ grid, block, cluster }),
  ...given({ shared }),
  ...(cooperative && { cooperative }),
});

/** The body of a submission to a challenge, which has all else. */
export const submissionOf = (draft) => ({ source: draft.source, ...compiledWith(draft), ...launchOf(draft) });

/** The member `kernel` of a request. `edits` is "EXPERIMENT/STEP", or '' for a kernel from nothing. */
export function kernelOf(draft, edits) {
  const { source, grid, block, sanitize, bytes, operations, expressions, check } = draft;
  const checked = sanitize ? { sanitize } : {};
  if (edits) return { edits, source, ...optionsOf(draft), ...givenSizes({ block, grid }), ...checked };
  return {
    ...submissionOf(draft),
    ...(expressions && { expressions }),
    ...checked,
    ...given({ bytes, operations }),
    arguments: draft.arguments.map(argumentOf),
    ...referenceOf(draft),
    ...(check?.trim() && { check }),
  };
}

/** The draft for the kernel of a run. */
export function draftOf(kernel) {
  const { defines, ...others } = kernel.options ?? {};
  const options = { ...others, ...(defines && { defines: defines.join(' ') }) };
  const launch = { source: kernel.source ?? '', grid: textOf(kernel.grid), block: textOf(kernel.block), options, ...(kernel.sanitize && { sanitize: true }) };
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
    ...referenceDraftOf(kernel),
    ...(kernel.check && { check: kernel.check }),
    ...(kernel.expressions && { expressions: kernel.expressions }),
    arguments: (kernel.arguments ?? []).map(argumentDraftOf),
  };
}

/** Whether a value, of a link or from the browser's storage, is a draft. */
export function isDraft(value, edits) {
  const texts = ['source', 'grid', 'block', ...(edits ? [] : ['entry', 'shared', 'bytes', 'operations', 'reference'])];
  return (
    texts.every((name) => typeof value?.[name] === 'string') &&
    (Boolean(edits) || (Array.isArray(value.arguments) && value.arguments.every(isArgument)))
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
