// The form below the editor: the launch of the kernel and, for a kernel from nothing, its arguments and what it is
// compared with.

import { h } from '../../dom.js';
import { control } from '../../forms/fields.js';
import { changed as changedOf, fieldsOf, optionalFieldsOf } from '../../text/schema.js';
import { signatureOf } from '../../text/signature.js';
import { argumentList } from './arguments.js';
import { includeList } from './includes.js';

const text = (title, description) => ({ title, description, type: 'string', default: '' });

const SANITIZE = {
  title: 'Check memory accesses',
  description: 'Runs under compute-sanitizer, whose report is part of the run; kernels are many times slower.',
  type: 'boolean',
  default: false,
};
const COOPERATIVE = {
  title: 'Cooperative launch',
  description: 'All blocks run at the same time, as `grid.sync()` needs.',
  type: 'boolean',
  default: false,
};

const OF_EDIT = {
  block: text(
    'Threads per block',
    'One to three sizes, such as `32, 8`. Empty: as the experiment launches the kernel.',
  ),
  grid: text('Blocks', 'One to three sizes. Empty: as many as the experiment needs with this block.'),
  sanitize: SANITIZE,
};

const OF_OWN = {
  entry: text('Entry', 'The name of the kernel that is launched. Empty: the only one of the source.'),
  grid: text(
    'Blocks',
    'One to three sizes: numbers, or expressions of scalar arguments as in C, such as `(n + 255) / 256`, also with `min` `max` `ceil_div`. Empty: a thread for each element of the first buffer.',
  ),
  block: text('Threads per block', 'One to three sizes, such as `32, 8`.'),
  shared: text('Dynamic shared memory', 'Bytes of a block, such as `48 KiB`. Empty: none.'),
  cluster: text('Blocks of a cluster', 'One to three sizes, which divide those of the grid. Empty: no clusters.'),
  cooperative: COOPERATIVE,
  bytes: text(
    'Bytes of a launch',
    'What a launch reads and writes, such as `8 * n`, for the bandwidth. Empty: not known.',
  ),
  operations: text('Operations of a launch', 'For the throughput. Empty: not known.'),
  reference: text(
    'Reference kernel',
    'Another kernel of this source with the same arguments, whose results are right. Empty: only outputs with an expected element are verified.',
  ),
  sanitize: SANITIZE,
};

const AS_THE_CHALLENGE = 'Empty: as the challenge launches its start.';
const OF_CHALLENGE = {
  grid: text('Blocks', `One to three sizes: numbers, or expressions of the sizes of the challenge, such as \`ceil_div(n, 256)\`. ${AS_THE_CHALLENGE}`),
  block: text('Threads per block', `One to three sizes, such as \`32, 8\`. ${AS_THE_CHALLENGE}`),
  shared: OF_OWN.shared,
  cluster: OF_OWN.cluster,
  entry: text('Entry', `The name of the kernel, if it is another one. ${AS_THE_CHALLENGE}`),
  cooperative: COOPERATIVE,
};

const LIKE_THE_KERNEL = 'Empty: as the kernel.';
const OF_REFERENCE = {
  reference_grid: text('Blocks of the reference', LIKE_THE_KERNEL),
  reference_block: text('Threads of a block of the reference', LIKE_THE_KERNEL),
  reference_shared: text('Dynamic shared memory of the reference', LIKE_THE_KERNEL),
  reference_cluster: text('Blocks of a cluster of the reference', 'Empty: no clusters.'),
  reference_cooperative: { ...COOPERATIVE, title: 'Cooperative launch of the reference' },
  reference_tolerance: text(
    'Tolerance of the reference',
    'Floats may differ by this, times the larger one of 1 and the reference. Empty: 1e-9 for fp64, 1e-4 for fp32, 0.01 for fp16, 0.05 for bf16.',
  ),
  check: {
    ...text(
      'Check in C',
      'A function `void check(…)` with the arguments of the kernel, which computes all outputs on the CPU, in the sandbox of programs; instead of a reference. Empty: none.',
    ),
    maxLength: 262144,
  },
  reference_source: { ...text('Source of the reference', 'Empty: it is in the source of the kernel.'), maxLength: 262144 },
};

/** What a preset says of its own kernel, which another kernel does not keep. */
const OF_PRESET = ['entry', 'grid', 'block', 'shared', 'bytes', 'operations', 'reference'];

const MACROS = text(
  'Macros',
  'As `NAME` or `NAME=VALUE`, separated by blanks. With several values, such as `TILE=8,16,32`, each is compiled and measured.',
);

/** Returns {element, read(), write(draft, isPreset), follow(source, original), mark(errors)}: the members of a draft
 * (text/ownkernel.js) but its source. `isPreset`: the arguments follow the source. follow() is told the source after
 * each change; where that no longer has the kernel of the draft `original`, what is still as there becomes what fits
 * the kernel of the source. `schema` is that of a kernel (lab.js). `errors` are those of a problem document; mark
 * returns those that belong to no field. `challenge`: the launch of a submission to a challenge, which has no arguments
 * and no macros. */
export function launchForm({ edits, challenge = false, schema, changed }) {
  const controlsOf = (fields) => new Map(fields.map((field) => [field.name, control(field, changed, { resettable: false })]));
  const isWhole = !edits && !challenge;
  const { defines: _, ...withoutMacros } = schema.properties.options.properties;
  const optionFields = optionalFieldsOf({ properties: challenge ? withoutMacros : { ...withoutMacros, defines: MACROS } });
  const controls = controlsOf(fieldsOf({ properties: challenge ? OF_CHALLENGE : edits ? OF_EDIT : OF_OWN }));
  const reference = controlsOf(fieldsOf({ properties: isWhole ? OF_REFERENCE : {} }));
  const options = controlsOf(optionFields);
  const list = isWhole ? argumentList({ changed, taken: ({ cluster, cooperative }) => propose({ cluster, cooperative }) }) : null;
  const includes = isWhole ? includeList({ changed }) : null;
  let expressions; // the version of the draft, which no field shows
  const fieldsIn = (some) => h('div', { class: 'fields' }, [...some.values()].map((one) => one.element));
  const folded = (title, ...content) => h('details', { class: 'folded' }, h('summary', {}, title), content);
  const compiled = folded('How it is compiled', fieldsIn(options), includes?.element);
  const compared = isWhole ? folded('A check in C, or how the reference differs from the kernel', fieldsIn(reference)) : null;
  const element = h('div', { class: 'launch stack loose' }, list?.element, fieldsIn(controls), compared, compiled);
  const valuesOf = (some) => Object.fromEntries([...some].map(([name, one]) => [name, one.read().value ?? '']));
  const isEmpty = (name) => !controls.get(name).read().value;

  /** Sets fields that are empty. */
  function propose(values) {
    for (const [name, value] of Object.entries(values)) if (value && isEmpty(name)) controls.get(name).write(value);
  }

  return {
    element,
    read: () => ({
      ...valuesOf(controls),
      ...valuesOf(reference),
      options: changedOf(optionFields, valuesOf(options)),
      ...(list && { arguments: list.read(), files: includes.read() }),
      ...(expressions && { expressions }),
    }),
    write(draft, isPreset = false) {
      const others = [...controls, ...reference];
      for (const [name, one] of others) one.write(draft[name] ?? one.field.defaultValue);
      for (const [name, one] of options) one.write(draft.options?.[name] ?? one.field.defaultValue);
      includes?.write(draft.files ?? []);
      compiled.open = Object.keys(draft.options ?? {}).length > 0 || draft.files?.length > 0;
      if (compared) compared.open = [...reference.keys()].some((name) => draft[name]);
      expressions = draft.expressions;
      list?.write(draft.arguments, !isPreset);
    },
    follow(source, original) {
      if (!list) return;
      const other = Boolean(original.entry) && !source.includes(original.entry);
      if (other) for (const name of OF_PRESET) if (controls.get(name).read().value === original[name]) controls.get(name).write('');
      const signature = signatureOf(source, controls.get('entry').read().value);
      list.follow(signature);
      if (other && signature) propose({ grid: signature.grid, block: signature.block });
    },
    mark(errors) {
      const nameOf = ({ pointer = '' }) => {
        const [, ofReference, name] = /^(?:\/kernel)?\/(reference\/)?(?:options\/)?(\w+)/.exec(pointer) ?? [];
        return ofReference && name !== 'entry' ? `reference_${name}` : ofReference ? 'reference' : name;
      };
      const all = new Map([...controls, ...reference, ...options]);
      for (const [name, one] of all)
        one.mark(errors.filter((error) => nameOf(error) === name).map(({ detail }) => detail));
      if (errors.some((error) => options.has(nameOf(error)))) compiled.open = true;
      if (errors.some((error) => reference.has(nameOf(error)))) compared.open = true;
      const others = errors.filter((error) => !all.has(nameOf(error)));
      return list ? list.mark(others) : others;
    },
  };
}
