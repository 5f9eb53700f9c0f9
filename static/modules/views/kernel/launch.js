// The form below the editor: the launch of the kernel and, for a kernel from nothing, its arguments and what it is compared with.

import { h } from '../../dom.js';
import { control } from '../../forms/fields.js';
import { changed as changedOf, fieldsOf, optionalFieldsOf } from '../../text/schema.js';
import { argumentList } from './arguments.js';
import { includeList } from './includes.js';

const text = (title, description) => ({ title, description, type: 'string', default: '' });

const OF_EDIT = {
  block: text(
    'Threads per block',
    'One to three sizes, such as `32, 8`. Empty: as the experiment launches the kernel.',
  ),
  grid: text('Blocks', 'One to three sizes. Empty: as many as the experiment needs with this block.'),
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
  cooperative: {
    title: 'Cooperative launch',
    description: 'All blocks run at the same time, as `grid.sync()` needs.',
    type: 'boolean',
    default: false,
  },
  bytes: text(
    'Bytes of a launch',
    'What a launch reads and writes, such as `8 * n`, for the bandwidth. Empty: not known.',
  ),
  operations: text('Operations of a launch', 'For the throughput. Empty: not known.'),
  reference: text(
    'Reference kernel',
    'Another kernel of this source with the same arguments, whose results are right. Empty: only outputs with an expected element are verified.',
  ),
};

const MACROS = text(
  'Macros',
  'As `NAME` or `NAME=VALUE`, separated by blanks. With several values, such as `TILE=8,16,32`, each is compiled and measured.',
);

/** Returns {element, read(), write(draft), clear(name), mark(errors)}: the members of a draft (text/ownkernel.js) but its source.
 * clear() empties a field. `schema` is that of a kernel (lab.js). `errors` are those of a problem document; mark returns those that belong to no field. */
export function launchForm({ edits, schema, changed }) {
  const fields = fieldsOf({ properties: edits ? OF_EDIT : OF_OWN });
  const optionFields = optionalFieldsOf({ properties: { ...schema.properties.options.properties, defines: MACROS } });
  const controlsOf = (some) => new Map(some.map((field) => [field.name, control(field, changed, { resettable: false })]));
  const [controls, options] = [controlsOf(fields), controlsOf(optionFields)];
  const list = edits ? null : argumentList({ changed });
  const includes = edits ? null : includeList({ changed });
  let expressions; // the version of the draft, which no field shows
  const element = h(
    'div',
    { class: 'launch' },
    list?.element,
    h(
      'div',
      { class: 'fields' },
      [...controls.values()].map((one) => one.element),
    ),
  );
  const folded = h(
    'details',
    { class: 'folded' },
    h('summary', {}, 'How it is compiled'),
    h(
      'div',
      { class: 'fields' },
      [...options.values()].map((one) => one.element),
    ),
    includes?.element,
  );
  element.append(folded);
  const valuesOf = (some) => Object.fromEntries([...some].map(([name, one]) => [name, one.read().value ?? '']));
  return {
    element,
    read: () => ({
      ...valuesOf(controls),
      options: changedOf(optionFields, valuesOf(options)),
      ...(list && { arguments: list.read(), files: includes.read() }),
      ...(expressions && { expressions }),
    }),
    write(draft) {
      for (const [name, one] of controls) one.write(draft[name] ?? one.field.defaultValue);
      for (const [name, one] of options) one.write(draft.options?.[name] ?? one.field.defaultValue);
      includes?.write(draft.files ?? []);
      folded.open = Object.keys(draft.options ?? {}).length > 0 || draft.files?.length > 0;
      expressions = draft.expressions;
      list?.write(draft.arguments);
    },
    clear: (name) => controls.get(name).write(''),
    mark(errors) {
      const nameOf = ({ pointer = '' }) => /^\/kernel\/(?:reference\/|options\/)?(\w+)/.exec(pointer)?.[1];
      const all = new Map([...controls, ...options]);
      for (const [name, one] of all)
        one.mark(errors.filter((error) => nameOf(error) === name).map(({ detail }) => detail));
      if (errors.some((error) => options.has(nameOf(error)))) folded.open = true;
      return errors.filter((error) => !all.has(nameOf(error)));
    },
  };
}
