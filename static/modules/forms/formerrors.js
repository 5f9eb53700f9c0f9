// The errors of a form: a list above it with links to the fields, and the errors of each field beside it.

import { freshId, h, replace } from '../dom.js';

/** Returns {element, mark(found), show(found, other), clear()}. `controls()` is the Map of the form's controls by name.
 * `found` maps names of fields to their errors, `other` are the errors of no field. `mark` shows only those of fields,
 * beside them; `show` also lists all, and moves the focus to the first field with an error, otherwise to the list. */
export function formErrors(controls) {
  const element = h('div', { class: 'form-errors', role: 'alert' });

  function mark(found) {
    for (const [name, one] of controls()) one.mark(found.get(name) ?? []);
  }

  function show(found, other) {
    mark(found);
    replace(element);
    if (!found.size && !other.length) return;
    const heading = freshId('errors');
    const links = [...found].map(([name, details]) => link(controls().get(name), details));
    replace(
      element,
      h(
        'div',
        { class: 'notice bad', role: 'group', tabindex: -1, 'aria-labelledby': heading },
        h('h3', { class: 'notice-title', id: heading }, 'Nothing was started'),
        h('ul', {}, other.map((detail) => h('li', {}, detail)), links),
      ),
    );
    if (found.size) reveal(controls().get([...found.keys()][0]));
    else element.firstElementChild.focus();
  }

  return { element, mark, show, clear: () => replace(element) };
}

function link(one, details) {
  const text = `${one.title}: ${details.join(' ')}`;
  return h('li', {}, h('button', { type: 'button', class: 'link', on: { click: () => reveal(one) } }, text));
}

/** Opens the collapsed sections around a field, scrolls to it and focuses it. */
function reveal(one) {
  for (let fold = one.element.closest('details'); fold; fold = fold.parentElement.closest('details')) fold.open = true;
  one.focus();
  one.element.scrollIntoView({ block: 'center' });
}
