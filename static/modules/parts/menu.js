// A button that opens a list of further actions.

import { h } from '../dom.js';

/** The element; `items` are buttons and links. It closes when an item is used that has no `data-stays`, with Escape,
 * and when the focus or the pointer goes elsewhere. `kind` is a class of the button. */
export function menu(label, items, signal, kind = '') {
  const summary = h('summary', { class: `button ${kind}`.trim() }, label);
  const element = h('details', { class: 'menu' }, summary, h('div', { class: 'menu-items' }, items));
  const close = () => {
    element.open = false;
  };
  element.addEventListener('click', (event) => event.target.closest('.menu-items > :not([data-stays])') && close());
  element.addEventListener('focusout', ({ relatedTarget }) => relatedTarget && !element.contains(relatedTarget) && close());
  element.addEventListener('keydown', ({ key }) => {
    if (key !== 'Escape' || !element.open) return;
    close();
    summary.focus();
  });
  document.addEventListener('pointerdown', ({ target }) => element.contains(target) || close(), { signal });
  return element;
}
