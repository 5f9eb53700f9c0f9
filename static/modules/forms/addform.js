// A form that adds something, such as a channel: its fields are those of a request, as the OpenAPI document describes
// them.

import { freshId, h, replace } from '../dom.js';
import { changed as changedOf, errorsByField, fieldsOf, optionalFieldsOf } from '../text/schema.js';
import { control } from './fields.js';

/** Returns the element. `schema` is that of the request; `hides(values)` returns the names of fields that the values of
 * the others leave no use for; `masked` are names of fields whose text is not shown; `add(body)` sends it. A refusal is
 * shown at the fields, and what belongs to none above the button. */
export function addForm({ noun, schema, hides = () => [], masked = [], add }) {
  const fields = fieldsOfRequest(schema);
  const controls = new Map(fields.map((field) => [field.name, control(field, update, { resettable: false })]));
  const error = h('p', { class: 'field-error', role: 'alert', id: freshId('error') });
  const button = h('button', { type: 'submit', class: 'primary' }, `Add the ${noun}`);

  /** {values, wrong} of the fields that are shown. */
  function read() {
    const values = {}, wrong = new Map();
    for (const [name, one] of controls) {
      if (one.element.hidden) continue;
      const result = one.read();
      if (result.error) wrong.set(name, [result.error]);
      else values[name] = result.value;
    }
    return { values, wrong };
  }

  function update() {
    const hidden = hides(read().values);
    for (const [name, one] of controls) one.element.hidden = hidden.includes(name);
  }

  /** Shows errors, and moves the focus to the first field that has one. */
  function show(byField, other) {
    for (const [name, one] of controls) one.mark(byField.get(name) ?? []);
    replace(error, other.join(' '));
    const [first] = byField.keys();
    if (first) controls.get(first).focus();
  }

  const clear = () => {
    for (const one of controls.values()) one.write(one.field.defaultValue ?? one.field.choices?.[0] ?? '');
    update();
  };

  async function submit(event) {
    event.preventDefault();
    const { values, wrong } = read();
    show(wrong, []);
    if (wrong.size) return;
    button.disabled = true;
    try {
      await add(changedOf(fields, values));
      clear();
    } catch (problem) {
      const { fields: byField, other } = errorsByField(problem.errors, [...controls.keys()]);
      show(byField, problem.errors?.length ? other : [problem.message]);
    }
    button.disabled = false;
  }

  for (const name of masked) Object.assign(controls.get(name).element.querySelector('input'), { type: 'password', autocomplete: 'new-password' });
  clear();
  return h(
    'form',
    { class: 'panel stack loose', 'aria-label': `Add a ${noun}`, novalidate: true, on: { submit } },
    h('h3', {}, `Add a ${noun}`),
    h('div', { class: 'fields' }, [...controls.values()].map((one) => one.element)),
    error,
    h('div', { class: 'actions' }, button),
  );
}

/** Members that must be present have no default, so that an empty field is an error. */
function fieldsOfRequest({ properties, required }) {
  const of = (wanted) => ({ properties: Object.fromEntries(Object.entries(properties).filter(([name]) => required.includes(name) === wanted)) });
  return [...fieldsOf(of(true)), ...optionalFieldsOf(of(false))];
}
