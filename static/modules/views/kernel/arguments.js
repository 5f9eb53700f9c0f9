// The arguments of a kernel from nothing: a row of fields for each.

import { h, replace } from '../../dom.js';
import { bytes } from '../../text/format.js';
import { ARGUMENT_KINDS, ARGUMENT_TYPES, CHANNELS, CONTENTS, dimensionsOf, DIRECTIONS, hasValues, isImage, newArgument, OTHER_ADDRESSES, TEXTURE_CHOICES, textOf, textureMembers } from '../../text/kernelarguments.js';
import { elementsOf } from '../../text/npy.js';
import { differsFrom, mergedArguments } from '../../text/signature.js';
import { structureFields } from './structure.js';

const SAVED_MAX = 512 * 1024; // bytes of a saved output (API.md)

const isKind = (...kinds) => ({ kind }) => kinds.includes(kind);
const isVariable = isKind('variable');
const hasElements = (argument) => isKind('buffer', 'table')(argument) || (isVariable(argument) && !hasValues(argument));
const hasContent = (argument) => (hasElements(argument) || isImage(argument)) && argument.direction !== 'out'; // outputs begin with random data
const isOutput = (argument) => isKind('buffer', 'surface', 'table')(argument) && argument.direction !== 'in';
const isVerified = (argument) => isOutput(argument) && Boolean(argument.expected || argument.expected_data);
const isFloat = ({ type }) => /^(?:fp|bf)/.test(type);

const TEXTURE_TITLES = { memory: 'Memory', filter: 'Filter', address: 'Outside', coordinates: 'Coordinates', read: 'Read as' };

/** The fields of an argument: {name, title, choices (a list, or that of an argument), placeholder,
 * exists(argument)}. */
const FIELDS = [
  { name: 'name', title: 'Name' },
  { name: 'kind', title: 'Kind', choices: ARGUMENT_KINDS },
  { name: 'type', title: 'Type', choices: ARGUMENT_TYPES, exists: (argument) => argument.kind !== 'struct' },
  { name: 'channels', title: 'Channels', choices: CHANNELS, exists: isImage },
  { name: 'extent', title: 'Extent', placeholder: 'Width, height', exists: isImage },
  { name: 'layers', title: 'Layers', placeholder: 'None', exists: isImage },
  ...Object.entries(TEXTURE_CHOICES).map(([name, choices]) => ({
    ...{ name, title: TEXTURE_TITLES[name], choices },
    exists: (argument) => argument.kind === 'texture' && textureMembers(argument).includes(name),
  })),
  ...OTHER_ADDRESSES.map((name, at) => ({
    ...{ name, title: `Outside in ${'yz'[at]}`, choices: ['', ...TEXTURE_CHOICES.address] },
    exists: (argument) => argument.kind === 'texture' && textureMembers(argument).includes('address') && dimensionsOf(argument) > at + 1,
  })),
  { name: 'values', title: 'Values', placeholder: 'As below, or 0.25, 0.5, 0.25', exists: isVariable },
  { name: 'buffers', title: 'Buffers', exists: isKind('table') },
  { name: 'count', title: 'Elements', exists: hasElements },
  { name: 'direction', title: 'Direction', choices: DIRECTIONS, exists: isKind('buffer', 'variable', 'surface', 'table') },
  { name: 'content', title: 'Content', choices: ({ data }) => (data ? [...CONTENTS, 'data'] : CONTENTS), exists: hasContent },
  {
    name: 'value',
    title: 'Value',
    exists: (argument) => argument.kind === 'scalar' || (hasContent(argument) && argument.content === 'value'),
  },
  { name: 'expected', title: 'Expected element i', exists: isOutput },
  { name: 'tolerance', title: 'Tolerance', exists: (argument) => isVerified(argument) && isFloat(argument) },
];
/** Whether a change of an argument brings other fields. */
const fieldsOf = (argument) => FIELDS.filter(({ exists }) => !exists || exists(argument));
const namesOf = (argument) => fieldsOf(argument).map(({ name }) => name).join();

/** Returns {element, read(), write(list), follow(signature), take(signature), mark(errors)}: the member `arguments` of
 * a draft (text/kernelarguments.js), which is written and read as a whole. follow() is told what the source has
 * (text/signature.js), or null: arguments that the person has not changed become those of the source, of others a note
 * says that they differ. take() makes them those of the source. `taken(signature)` is called when they have become
 * them. mark() shows errors of a problem document at their arguments, and returns the others. */
export function argumentList({ changed: told, taken }) {
  const rows = h('ol', { class: 'arguments stack' });
  const note = h('div', { class: 'row', role: 'status', hidden: true });
  let list = [];
  let isOwn = false; // whether the person has changed them
  const element = h(
    'fieldset',
    { class: 'field' },
    h('legend', {}, 'Arguments'),
    h(
      'p',
      { class: 'field-help aside' },
      'In the order of the kernel’s parameters, which they follow until you change one. A scalar with several integers, such as ',
      h('code', {}, '1024, 1M'),
      ', is swept; expressions may use its name. What element i of an output must be is C++ over the arguments, such as ',
      h('code', {}, 'a * x[i] + y[i]'),
      ': all outputs are verified with it, instead of with a reference. A struct is passed by value; a variable is one of the source, ',
      h('code', {}, '__constant__'),
      ' or ',
      h('code', {}, '__device__'),
      '; a table is an array of pointers to buffers, ',
      h('code', {}, 'float **'),
      '.',
    ),
    note,
    rows,
    h('button', { type: 'button', class: 'small', on: { click: append } }, 'Add an argument'),
  );

  function changed() {
    isOwn = true;
    told();
  }

  function take(signature) {
    list = structuredClone(mergedArguments(list, signature));
    isOwn = false;
    draw();
    note.hidden = true;
    taken(signature);
  }

  function follow(signature) {
    const differs = signature !== null && differsFrom(list, signature);
    if (differs && !isOwn) return take(signature);
    note.hidden = !differs;
    if (!differs) return;
    const names = signature.arguments.map(({ name }) => name).join(', ') || 'none';
    const text = `The arguments of ${signature.name} in the source: ${names}. `;
    if (note.textContent.startsWith(text)) return; // its button keeps the focus
    const accept = () => {
      take(signature);
      told();
      element.querySelector(':scope > button').focus();
    };
    replace(note, text, h('button', { type: 'button', class: 'small', on: { click: accept } }, 'Take them from the source'));
  }

  function draw() {
    replace(
      rows,
      list.map((argument, at) => argumentRow(argument, at, { changed, redraw, remove })),
    );
  }

  /** Draws again after a change that brings other fields; the focus stays. */
  function redraw(at, name) {
    draw();
    const input = rows.children[at].querySelector(`[data-argument-field="${name}"]`);
    input.focus();
    if (input.type === 'text') input.setSelectionRange(input.value.length, input.value.length);
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
    write(next, areOwn) {
      list = structuredClone(next);
      isOwn = areOwn;
      note.hidden = true;
      draw();
    },
    follow,
    mark(errors) {
      const placeOf = ({ pointer = '' }) => /^\/kernel\/arguments\/(\d+)(?:\/(.*))?$/.exec(pointer);
      [...rows.children].forEach((row, at) => markRow(row, errors.map((error) => [placeOf(error), error]).filter(([place]) => Number(place?.[1]) === at)));
      return errors.filter((error) => !(Number(placeOf(error)?.[1]) < list.length));
    },
  };
}

/** Shows errors, [place, error], at an argument; the place ends with the names of its members. */
function markRow(row, errors) {
  for (const input of row.querySelectorAll('[aria-invalid]')) input.removeAttribute('aria-invalid');
  for (const [[, , path = '']] of errors)
    for (const input of row.querySelectorAll(`[data-argument-field="${path}"]`)) input.setAttribute('aria-invalid', 'true');
  replace(row.querySelector(':scope > .field-error'), errors.map(([[, , path], { detail }]) => h('p', {}, path ? `${path}: ${detail}` : detail)));
}

function argumentRow(argument, at, { changed, redraw, remove }) {
  const before = { names: namesOf(argument) };
  const edited = (name, value) => {
    argument[name] = value;
    if (namesOf(argument) !== before.names || name === 'kind') redraw(at, name);
    else changed();
  };
  return h(
    'li',
    {},
    fieldsOf(argument).map((field) =>
      h('label', { class: `argument-${field.name}` }, h('span', {}, field.title), input(argument, field, edited)),
    ),
    isOutput(argument) && savedOutput(argument, (value) => edited('expected_data', value)),
    isOutput(argument) && saveBox(argument, (value) => edited('save', value)),
    h(
      'button',
      { type: 'button', class: 'small', 'aria-label': `Remove ${argument.name}`, on: { click: () => remove(at) } },
      'Remove',
    ),
    argument.kind === 'struct' && structureFields(argument, { changed, redraw: (name) => redraw(at, name) }),
    h('div', { class: 'field-error', role: 'alert' }),
  );
}

const saveBox = ({ save = false }, edited) =>
  h(
    'label',
    { class: 'argument-save' },
    h('span', {}, 'Save with the run'),
    h('input', { type: 'checkbox', checked: save, dataset: { argumentField: 'save' }, on: { change: ({ target }) => edited(target.checked) } }),
  );

/** What an output must be, from a file of NumPy or with its elements in little-endian. */
function savedOutput(argument, edited) {
  const saved = argument.expected_data;
  if (saved)
    return h(
      'button',
      { type: 'button', class: 'small', dataset: { argumentField: 'expected_data' }, on: { click: () => edited('') } },
      `Forget the saved output (${bytes((saved.length / 4) * 3 - (/=*$/.exec(saved)[0].length))})`,
    );
  const wrong = h('span', { class: 'field-error', role: 'alert' });
  const read = async ({ target }) => {
    const [file] = target.files;
    if (!file) return;
    try {
      const elements = elementsOf(new Uint8Array(await file.arrayBuffer()), argument.type);
      if (elements.length > SAVED_MAX) throw new Error(`has ${bytes(elements.length)}; ${bytes(SAVED_MAX)} are allowed.`);
      edited(await base64Of(new Blob([elements])));
    } catch (error) {
      wrong.textContent = `${file.name} ${error.message}`;
    }
  };
  return h('label', { class: 'argument-saved' }, h('span', {}, 'Or its elements, in a file'), h('input', { type: 'file', dataset: { argumentField: 'expected_data' }, on: { change: read } }), wrong);
}

/** A promise of the bytes of a blob in Base64. */
const base64Of = (file) =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('load', () => resolve(reader.result.replace(/^[^,]*,/, '')));
    reader.addEventListener('error', () => reject(reader.error));
    reader.readAsDataURL(file);
  });

function input(argument, { name, choices: offered, placeholder = '' }, edited) {
  const choices = typeof offered === 'function' ? offered(argument) : offered;
  const value = textOf(argument[name]);
  const hint = name === 'expected' && argument.expected_data ? 'A saved output' : placeholder;
  const properties = { dataset: { argumentField: name }, on: { input: (event) => edited(name, event.target.value) } };
  if (!choices) return h('input', { type: 'text', autocomplete: 'off', spellcheck: 'false', value, placeholder: hint, ...properties });
  return h(
    'select',
    properties,
    choices.map((choice) => h('option', { value: choice, selected: choice === value }, choice || 'As in x')),
  );
}
