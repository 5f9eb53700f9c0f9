// Form controls, one for each kind of field that schema.js defines. Each is {title, element, read(), write(value),
// mark(errors), focus()}; `read` returns {value} or {error}. The element contains label, help text, bounds and errors,
// linked for screen readers.

import { afterPointerRelease, freshId, h, replace } from '../dom.js';
import { plain } from '../text/format.js';
import { boundsText, fromControl, sameValue, toControl, fieldValueText } from '../text/schema.js';
import { valueText } from '../text/displaynames.js';
import { withCode } from '../parts/prose.js';

/** By kind of field, the function (field, ids) that creates the inputs: {group, element, inputs(), state(),
 * show(state), tidy(state), after(value, error)}. `group` is true if the inputs form a group with a legend instead of a
 * label. inputs() returns the input elements, state() their state (schema.js), show() sets it. The last two are
 * optional: tidy() rewrites a valid text when the field loses the focus, after() is called after each change. */
const INPUTS = {
  choices: choiceBoxes,
  flags: choiceBoxes,
  choice: (field, ids) => (field.choices.length > 5 ? dropDown(field, ids) : choiceBoxes(field, ids)),
  flag: checkBox,
  size: (field, ids) => textInput(field, ids, steppers),
  sizes: textInput,
  number: textInput,
  numbers: textInput,
  text: textInput,
  texts: textInput,
  lines: textArea,
};

/** Creates the control for `field`; `changed()` is called whenever the user changes it. A `resettable` control has a
 * button that restores the default, shown while the value is another. */
export function control(field, changed, { resettable = true } = {}) {
  const ids = { input: freshId(field.name), help: freshId('help'), error: freshId('error') };
  const inner = INPUTS[field.input](field, ids);
  const error = h('p', { class: 'field-error', id: ids.error });
  const hint = h(
    'p',
    { class: 'field-help aside', id: ids.help },
    withCode(field.help),
    ' ',
    h('span', { class: 'field-bounds' }, hintText(field)),
  );
  const head = inner.group
    ? h('legend', {}, field.title)
    : h('label', { for: ids.input }, field.title, unitText(field));
  const resetText = `Reset to ${shownValue(field, field.defaultValue)}`;
  const reset = h(
    'button',
    { type: 'button', class: 'link reset', hidden: true, 'aria-label': `${resetText}: ${field.title}`, on: { click: restore } },
    resetText,
  );
  const element = h(
    inner.group ? 'fieldset' : 'div',
    {
      class: `field ${field.input}`,
      dataset: { field: field.name },
      'aria-describedby': inner.group ? ids.help : null,
    },
    head,
    inner.element,
    resettable && reset,
    error,
    hint,
  );

  function restore() {
    created.write(field.defaultValue);
    created.focus();
    changed();
  }

  const read = () => fromControl(field, inner.state());
  const created = {
    field,
    title: field.title,
    element,
    read,
    write(value) {
      inner.show(toControl(field, value));
      created.mark([]);
      updateState();
    },
    /** Shows errors at the field; [] removes them. */
    mark(errors) {
      replace(error, errors.join(' '));
      element.classList.toggle('invalid', errors.length > 0);
      for (const input of inner.inputs()) {
        if (errors.length) input.setAttribute('aria-invalid', 'true');
        else input.removeAttribute('aria-invalid');
      }
    },
    focus: () => inner.inputs()[0]?.focus(),
  };
  /** Marks the field as changed if its value is not the default. */
  const updateState = () => {
    const { value, error: wrong } = read();
    const other = !wrong && resettable && !sameValue(value, field.defaultValue);
    element.classList.toggle('changed', other);
    reset.hidden = !other;
    inner.after?.(value, wrong);
  };
  element.addEventListener('input', () => {
    created.mark([]);
    updateState();
    changed();
  });
  element.addEventListener('focusout', () =>
    afterPointerRelease(() => {
      const { error: wrong, value } = read();
      if (wrong) created.mark([wrong]);
      else if (inner.tidy) inner.tidy(toControl(field, value));
    }),
  );
  created.write(field.defaultValue);
  return created;
}

/** A value as the control shows it. */
export const shownValue = (field, value) =>
  field.choices || field.type === 'boolean'
    ? [value ?? []].flat().map((item) => valueText(field.name, item, field.unit)).join(', ')
    : fieldValueText(field, value ?? '');

function unitText({ unit }) {
  return unit && unit !== '1' && unit !== 'B' ? h('span', { class: 'unit' }, ` in ${unit}`) : null;
}

/** The allowed range and the default value; '' for fields that show all their choices. */
function hintText(field) {
  const bounds = field.choices || field.type === 'boolean' ? '' : boundsText(field);
  const defaultValue =
    [field.defaultValue ?? []].flat().join('') === '' || field.type === 'boolean' || field.choices
      ? ''
      : `default ${fieldValueText(field, field.defaultValue)}`;
  return [bounds, defaultValue].filter(Boolean).join('; ');
}

// --- check boxes and radio buttons, for few choices -----------------------------------------------------------------

function choiceBoxes(field, ids) {
  const values = field.choices ?? [false, true];
  const inputs = values.map((value) =>
    h('input', {
      type: field.list ? 'checkbox' : 'radio',
      name: ids.input,
      value: String(value),
      'aria-describedby': `${ids.help} ${ids.error}`,
    }),
  );
  const element = h(
    'div',
    { class: 'boxes row tight' },
    values.map((value, index) => h('label', { class: 'box' }, inputs[index], h('span', {}, choiceLabel(field, value)))),
  );
  return {
    group: true,
    element,
    inputs: () => inputs,
    state() {
      const chosen = values.filter((_, index) => inputs[index].checked);
      return field.list ? chosen : chosen[0];
    },
    show(state) {
      const wanted = [state].flat();
      inputs.forEach((input, index) => {
        input.checked = wanted.includes(values[index]);
      });
    },
  };
}

/** The display name and, where it differs, the name that scripts and the help text use. */
function choiceLabel(field, value) {
  const text = valueText(field.name, value, field.unit);
  return typeof value === 'string' && !text.includes(value) && text !== value.replaceAll('-', ' ')
    ? [text, h('code', {}, value)]
    : text;
}

function dropDown(field, ids) {
  const input = h(
    'select',
    { id: ids.input, 'aria-describedby': `${ids.help} ${ids.error}` },
    field.choices.map((choice) => h('option', { value: choice }, valueText(field.name, choice, field.unit))),
  );
  return {
    element: input,
    inputs: () => [input],
    state: () => input.value,
    show: (state) => {
      input.value = state;
    },
  };
}

function checkBox(field, ids) {
  const input = h('input', { type: 'checkbox', id: ids.input, 'aria-describedby': `${ids.help} ${ids.error}` });
  return {
    element: h('span', { class: 'toggle' }, input),
    inputs: () => [input],
    state: () => input.checked,
    show: (state) => {
      input.checked = state === true;
    },
  };
}

// --- text fields: sizes, numbers, lists of them ---------------------------------------------------------------------

/** `buttons(field, input)` returns buttons to show after the input. */
function textInput(field, ids, buttons = () => null) {
  const numeric = !field.input.startsWith('size') && !field.input.startsWith('text') && !field.list;
  const input = h('input', {
    type: 'text',
    id: ids.input,
    autocomplete: 'off',
    spellcheck: 'false',
    inputmode: numeric && !field.zero ? 'decimal' : null,
    'aria-describedby': `${ids.help} ${ids.error}`,
  });
  const exactBytes = h('span', { class: 'exact-bytes' });
  return {
    element: h('div', { class: 'typed row tight' }, input, buttons(field, input), exactBytes),
    inputs: () => [input],
    state: () => input.value,
    show: (state) => {
      input.value = state;
    },
    tidy: (state) => {
      input.value = state;
    },
    after(value, wrong) {
      if (field.input === 'size' && !field.zero) exactBytes.textContent = wrong || value < 1024 ? '' : `= ${plain(value)} bytes`;
    },
  };
}

function textArea(field, ids) {
  const input = h('textarea', { id: ids.input, rows: 4, spellcheck: 'false', 'aria-describedby': `${ids.help} ${ids.error}` });
  return {
    element: input,
    inputs: () => [input],
    state: () => input.value,
    show: (state) => {
      input.value = state;
    },
  };
}

/** Buttons that halve and double a size; the arrow keys do the same. */
function steppers(field, input) {
  const step = (factor) => {
    const { value, error } = fromControl(field, input.value);
    if (error) return;
    const next = Math.round(value * factor);
    input.value = toControl(field, Math.min(field.maximum ?? next, Math.max(field.minimum ?? 0, next)));
    input.dispatchEvent(new Event('input', { bubbles: true }));
  };
  input.addEventListener('keydown', (event) => {
    if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return;
    event.preventDefault();
    step(event.key === 'ArrowUp' ? 2 : 0.5);
  });
  const button = (label, sign, factor) =>
    h(
      'button',
      {
        type: 'button',
        class: 'step',
        on: { click: () => step(factor) },
      },
      h('span', { 'aria-hidden': 'true' }, sign),
      h('span', { class: 'visually-hidden' }, `${label} ${field.title.toLowerCase()}`),
    );
  return [button('Halve', '÷2', 0.5), button('Double', '×2', 2)];
}
