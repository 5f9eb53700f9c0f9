// The form below the editor: the launch of the kernel and, for a kernel from nothing, its arguments and what it is compared with.

import { h } from '../../dom.js';
import { control } from '../../forms/fields.js';
import { fieldsOf } from '../../text/schema.js';
import { argumentList } from './arguments.js';

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

/** Returns {element, read(), write(draft), clear(name), mark(errors)}: the members of a draft (text/ownkernel.js) but its source.
 * clear() empties a field. `errors` are those of a problem document; mark returns those that belong to no field. */
export function launchForm({ edits, changed }) {
  const fields = fieldsOf({ properties: edits ? OF_EDIT : OF_OWN });
  const controls = new Map(fields.map((field) => [field.name, control(field, changed, { resettable: false })]));
  const list = edits ? null : argumentList({ changed });
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
  return {
    element,
    read: () => ({
      ...Object.fromEntries([...controls].map(([name, one]) => [name, one.read().value ?? ''])),
      ...(list && { arguments: list.read() }),
      ...(expressions && { expressions }),
    }),
    write(draft) {
      for (const [name, one] of controls) one.write(draft[name]);
      expressions = draft.expressions;
      list?.write(draft.arguments);
    },
    clear: (name) => controls.get(name).write(''),
    mark(errors) {
      const nameOf = ({ pointer = '' }) => /^\/kernel\/(?:reference\/)?(\w+)/.exec(pointer)?.[1];
      for (const [name, one] of controls)
        one.mark(errors.filter((error) => nameOf(error) === name).map(({ detail }) => detail));
      return errors.filter((error) => !controls.has(nameOf(error)));
    },
  };
}
