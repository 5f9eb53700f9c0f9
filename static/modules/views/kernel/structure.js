// The fields of a structure that is passed by value: those of a vector type, of which only the values are asked, or its
// own.

import { h } from '../../dom.js';
import { ARGUMENT_TYPES, newField, textOf, VECTOR_NAMES, vectorLayout, vectorName } from '../../text/kernelarguments.js';

const OWN = '';

/** The element for a structure of a draft (text/kernelarguments.js). `changed()` is called after a change,
 * `redraw(name)` after one that brings other fields; `name` is the field that keeps the focus. */
export function structureFields(argument, { changed, redraw }) {
  argument.fields ??= [newField('x')];
  const vector = vectorName(argument);
  const isOwn = vector === OWN;

  function chooseLayout({ target: { value } }) {
    Object.assign(argument, value === OWN ? { align: '' } : vectorLayout(value));
    redraw('layout');
  }

  const layout = h(
    'label',
    {},
    h('span', {}, 'Fields'),
    h(
      'select',
      { dataset: { argumentField: 'layout' }, on: { input: chooseLayout } },
      [OWN, ...VECTOR_NAMES].map((name) => h('option', { value: name, selected: name === vector }, name || 'Its own')),
    ),
  );
  const text = (owner, name, place, title) =>
    h(
      'label',
      { class: `argument-${name}` },
      h('span', {}, title),
      h('input', {
        type: 'text',
        autocomplete: 'off',
        spellcheck: 'false',
        value: textOf(owner[name]),
        dataset: { argumentField: place },
        on: { input: ({ target }) => ((owner[name] = target.value), changed()) },
      }),
    );
  const type = (field, place) =>
    h(
      'label',
      {},
      h('span', {}, 'Type'),
      h(
        'select',
        { dataset: { argumentField: place }, on: { input: ({ target }) => ((field.type = target.value), redraw(place)) } },
        ARGUMENT_TYPES.map((name) => h('option', { value: name, selected: name === field.type }, name)),
      ),
    );

  function fieldRow(field, at) {
    const place = (name) => `fields/${at}/${name}`;
    if (!isOwn) return text(field, 'value', place('value'), field.name);
    const remove = () => {
      argument.fields.splice(at, 1);
      redraw('add');
    };
    return h(
      'div',
      { class: 'structure-field row' },
      text(field, 'name', place('name'), 'Field'),
      type(field, place('type')),
      text(field, 'value', place('value'), 'Value'),
      argument.fields.length > 1 && h('button', { type: 'button', class: 'small', 'aria-label': `Remove ${argument.name}.${field.name}`, on: { click: remove } }, 'Remove'),
    );
  }

  function add() {
    argument.fields.push(newField(`field_${argument.fields.length + 1}`));
    redraw(`fields/${argument.fields.length - 1}/name`);
  }

  return h(
    'div',
    { class: 'structure row', role: 'group', 'aria-label': `Fields of ${argument.name}` },
    layout,
    isOwn && text(argument, 'align', 'align', 'Alignment'),
    argument.fields.map(fieldRow),
    isOwn && h('button', { type: 'button', class: 'small', dataset: { argumentField: 'add' }, on: { click: add } }, 'Add a field'),
  );
}
