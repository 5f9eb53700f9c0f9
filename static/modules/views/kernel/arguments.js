// The arguments of a kernel from nothing: a row of fields for each.

import { h, replace } from '../../dom.js';
import { ARGUMENT_KINDS, ARGUMENT_TYPES, CONTENTS, DIRECTIONS, isKept, newArgument } from '../../text/ownkernel.js';

const isBuffer = ({ kind }) => kind === 'buffer';
const hasContent = (argument) => isBuffer(argument) && argument.direction !== 'out'; // outputs begin with random data

/** The fields of an argument: {name, title, choices, exists(argument)}. */
const FIELDS = [
  { name: 'name', title: 'Name' },
  { name: 'kind', title: 'Kind', choices: ARGUMENT_KINDS },
  { name: 'type', title: 'Type', choices: ARGUMENT_TYPES },
  { name: 'count', title: 'Elements', exists: isBuffer },
  { name: 'direction', title: 'Direction', choices: DIRECTIONS, exists: isBuffer },
  { name: 'content', title: 'Content', choices: CONTENTS, exists: hasContent },
  {
    name: 'value',
    title: 'Value',
    exists: (argument) => !isBuffer(argument) || (hasContent(argument) && argument.content === 'value'),
  },
  { name: 'expected', title: 'Expected element i', exists: (argument) => isBuffer(argument) && argument.direction !== 'in' },
];

/** Returns {element, read(), write(list)}: the member `arguments` of a draft (text/ownkernel.js), which is written and read as a
 * whole. */
export function argumentList({ changed }) {
  const rows = h('ol', { class: 'arguments' });
  let list = [];
  const element = h(
    'fieldset',
    { class: 'field' },
    h('legend', {}, 'Arguments'),
    h(
      'p',
      { class: 'field-help' },
      'In the order of the kernel’s parameters. A scalar with several integers, such as ',
      h('code', {}, '1024, 1M'),
      ', is swept; expressions may use its name. What element i of an output must be is C++ over the arguments, such as ',
      h('code', {}, 'a * x[i] + y[i]'),
      ': all outputs are verified with it, instead of with a reference.',
    ),
    rows,
    h('button', { type: 'button', class: 'small', on: { click: append } }, 'Add an argument'),
  );

  function draw() {
    replace(
      rows,
      list.map((argument, at) => argumentRow(argument, at, { changed, redraw, remove })),
    );
  }

  /** Draws again after a change that brings other fields; the focus stays. */
  function redraw(at, name) {
    draw();
    rows.children[at].querySelector(`[data-argument-field="${name}"]`).focus();
    changed();
  }

  function append() {
    list.push(newArgument(`argument_${list.length + 1}`));
    redraw(list.length - 1, 'name');
  }

  function remove(at) {
    list.splice(at, 1);
    draw();
    element.querySelector(':scope > button').focus();
    changed();
  }

  return {
    element,
    read: () => structuredClone(list),
    write(next) {
      list = structuredClone(next);
      draw();
    },
  };
}

function argumentRow(argument, at, { changed, redraw, remove }) {
  const edited = (name, value) => {
    argument[name] = value;
    if (['kind', 'direction', 'content'].includes(name)) redraw(at, name);
    else changed();
  };
  return h(
    'li',
    {},
    isKept(argument)
      ? h('span', {}, `${argument.kind} `, h('code', {}, argument.name))
      : FIELDS.filter(({ exists }) => !exists || exists(argument)).map(({ name, title, choices }) =>
          h('label', { class: `argument-${name}` }, h('span', {}, title), input(argument, name, choices, edited)),
        ),
    h(
      'button',
      { type: 'button', class: 'small', 'aria-label': `Remove ${argument.name}`, on: { click: () => remove(at) } },
      'Remove',
    ),
  );
}

function input(argument, name, choices, edited) {
  const placeholder = name === 'expected' && argument.expected_data ? 'A saved output' : '';
  const properties = { dataset: { argumentField: name }, on: { input: (event) => edited(name, event.target.value) } };
  if (!choices)
    return h('input', { type: 'text', autocomplete: 'off', spellcheck: 'false', value: argument[name] ?? '', placeholder, ...properties });
  return h(
    'select',
    properties,
    choices.map((value) => h('option', { value, selected: argument[name] === value }, value)),
  );
}
