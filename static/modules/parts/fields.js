// The controls of a form, one for each kind of parameter that schema.js names. Each is {element, read(),
// write(value), mark(errors), focus()}: read gives {value} or {error}; the element carries label, help, bounds and
// errors for eyes and ears.

import { afterPress, freshId, h, replace } from '../dom.js';
import { plain } from '../format.js';
import { boundsText, fromControl, sameValue, toControl, valueText } from '../schema.js';
import { valueWords } from '../displaynames.js';

const KINDS = {
  choices: boxes,
  flags: boxes,
  choice: (field, ids) => (field.choices.length > 5 ? drop(field, ids) : boxes(field, ids)),
  flag: toggle,
  size: (field, ids) => typed(field, ids, steppers),
  sizes: typed,
  number: typed,
  numbers: typed,
  text: typed,
  texts: typed,
};

/** The control for `field`; `changed()` is called whenever the person changes it. */
export function control(field, changed) {
  const ids = { input: freshId(field.name), help: freshId('help'), error: freshId('error') };
  const inner = KINDS[field.input](field, ids);
  const error = h('p', { class: 'field-error', id: ids.error });
  const hint = h(
    'p',
    { class: 'field-help', id: ids.help },
    field.help,
    ' ',
    h('span', { class: 'field-bounds' }, hintText(field)),
  );
  const head = inner.group
    ? h('legend', {}, field.title)
    : h('label', { for: ids.input }, field.title, unitText(field));
  const element = h(
    inner.group ? 'fieldset' : 'div',
    {
      class: `field ${field.input}`,
      dataset: { field: field.name },
      'aria-describedby': inner.group ? ids.help : null,
    },
    head,
    inner.element,
    error,
    hint,
  );

  const read = () => fromControl(field, inner.state());
  const self = {
    field,
    element,
    read,
    write(value) {
      inner.show(toControl(field, value));
      self.mark([]);
      tellChanged();
    },
    /** Shows errors at the field; [] clears them. */
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
  const tellChanged = () => {
    const { value, error: wrong } = read();
    element.classList.toggle('changed', !wrong && !sameValue(value, field.fallback));
    inner.after?.(value, wrong);
  };
  element.addEventListener('input', () => {
    self.mark([]);
    tellChanged();
    changed();
  });
  element.addEventListener('focusout', () =>
    afterPress(() => {
      const { error: wrong, value } = read();
      if (wrong) self.mark([wrong]);
      else if (inner.tidy) inner.tidy(toControl(field, value));
    }),
  );
  self.write(field.fallback);
  return self;
}

function unitText({ unit }) {
  return unit && unit !== '1' && unit !== 'B' ? h('span', { class: 'unit' }, ` in ${unit}`) : null;
}

function hintText(field) {
  const bounds = field.choices || field.type === 'boolean' ? '' : boundsText(field);
  const fallback =
    field.fallback === undefined || field.fallback === '' || field.type === 'boolean' || field.choices
      ? ''
      : `default ${valueText(field, field.fallback)}`;
  return [bounds, fallback].filter(Boolean).join('; ');
}

// --- check boxes and radio buttons: several of a few, or one of a few ----------------------------------------------

function boxes(field, ids) {
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
    { class: 'boxes' },
    values.map((value, index) => h('label', { class: 'box' }, inputs[index], h('span', {}, choiceWords(field, value)))),
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

/** In words; beside them the name that scripts use and the help speaks of, where it is another. */
function choiceWords(field, value) {
  const words = valueWords(field.name, value, field.unit);
  return typeof value === 'string' && !words.includes(value) && words !== value.replaceAll('-', ' ')
    ? [words, h('code', {}, value)]
    : words;
}

function drop(field, ids) {
  const input = h(
    'select',
    { id: ids.input, 'aria-describedby': `${ids.help} ${ids.error}` },
    field.choices.map((choice) => h('option', { value: choice }, valueWords(field.name, choice, field.unit))),
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

function toggle(field, ids) {
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

// --- typed: sizes, numbers, lists of them --------------------------------------------------------------------------

function typed(field, ids, extra = () => null) {
  const numeric = !field.input.startsWith('size') && !field.input.startsWith('text') && !field.list;
  const input = h('input', {
    type: 'text',
    id: ids.input,
    autocomplete: 'off',
    spellcheck: 'false',
    inputmode: numeric ? 'decimal' : null,
    'aria-describedby': `${ids.help} ${ids.error}`,
  });
  const meaning = h('span', { class: 'meaning' });
  const self = {
    element: h('div', { class: 'typed' }, input, extra(field, input), meaning),
    inputs: () => [input],
    state: () => input.value,
    show: (state) => {
      input.value = state;
    },
    tidy: (state) => {
      input.value = state;
    },
    after(value, wrong) {
      if (field.input === 'size') meaning.textContent = wrong || value < 1024 ? '' : `= ${plain(value)} bytes`;
    },
  };
  return self;
}

/** Halves and doubles: sizes are mostly powers of two. The arrow keys do the same. */
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
  const button = (words, sign, factor) =>
    h(
      'button',
      {
        type: 'button',
        class: 'step',
        on: { click: () => step(factor) },
      },
      h('span', { 'aria-hidden': 'true' }, sign),
      h('span', { class: 'unseen' }, `${words} ${field.title.toLowerCase()}`),
    );
  return [button('Halve', '÷2', 0.5), button('Double', '×2', 2)];
}
