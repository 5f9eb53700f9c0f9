// What a comparison or a sweep varies, devices or parameters: each is chosen from a list and gets a control of its own.

import { freshId, h, replace } from '../dom.js';

/** Returns {element, controls, choose(values), renew(name)}. subjects() are those to choose from: {name, title}.
 * `controlOf(name)` makes the control of one, with the value that it begins with; `controls` maps the names of the
 * chosen ones to their controls. `changed()` is called after each change by the user. `choose` adds subjects with their
 * values; `renew` removes a subject, because what it offers has changed, and reads the subjects again. */
export function variation({ subjects, title, help, controlOf, changed }) {
  const controls = new Map();
  const list = h('div', { class: 'fields' });
  const selectId = freshId('vary');
  const select = h('select', { id: selectId, on: { change: () => add(select.value) } });
  const element = h(
    'fieldset',
    { class: 'variation stack' },
    h('legend', {}, title),
    h('p', { class: 'field-help aside' }, help),
    list,
    h('div', { class: 'vary row' }, h('label', { for: selectId }, 'Add a parameter'), select),
  );

  function drawChoices() {
    const free = subjects().filter(({ name }) => !controls.has(name));
    replace(
      select,
      h('option', { value: '' }, 'Choose…'),
      free.map(({ name, title: text }) => h('option', { value: name }, text)),
    );
    select.value = '';
    select.parentElement.hidden = !free.length;
  }

  /** Adds a subject; without `value` with its initial one, and then the user continues there. */
  function add(name, value) {
    const one = controlOf(name);
    if (value !== undefined) one.write(value);
    controls.set(name, one);
    const label = `Remove ${one.title}`;
    const remove = h('button', { type: 'button', class: 'link', 'aria-label': label, on: { click: () => drop(name) } });
    replace(remove, 'Remove');
    one.element.append(remove);
    list.append(one.element);
    drawChoices();
    if (value !== undefined) return;
    one.focus();
    changed();
  }

  function renew(name) {
    controls.get(name)?.element.remove();
    controls.delete(name);
    drawChoices();
  }

  function drop(name) {
    renew(name);
    select.focus();
    changed();
  }

  drawChoices();
  return {
    element,
    controls,
    renew,
    choose(values) {
      for (const [name, value] of Object.entries(values)) if (!controls.has(name)) add(name, value);
    },
  };
}
