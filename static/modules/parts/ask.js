// A dialog that asks for a text.

import { freshId, h } from '../dom.js';

/** Shows the dialog; `label` is the name of the field, `hint` says what is allowed, `action` is the text of the button,
 * `max` the greatest length. Returns a promise of the text without spaces at its ends; null if the user has
 * cancelled. */
export function ask({ title, label, hint, action, max }) {
  return new Promise((resolve) => {
    const [heading, id, hintId] = ['ask', 'ask-field', 'ask-hint'].map(freshId);
    const input = h('input', {
      id,
      type: 'text',
      required: true,
      pattern: '.*\\S.*',
      maxlength: max,
      autocomplete: 'off',
      autofocus: true,
      'aria-describedby': hintId,
    });
    const dialog = h(
      'dialog',
      { 'aria-labelledby': heading },
      h(
        'form',
        { method: 'dialog' },
        h('h2', { id: heading }, title),
        h('label', { for: id }, label),
        input,
        h('p', { class: 'aside', id: hintId }, hint),
        h(
          'div',
          { class: 'actions' },
          h('button', { type: 'button', on: { click: () => dialog.close('no') } }, 'Cancel'),
          h('button', { value: 'yes', class: 'primary' }, action),
        ),
      ),
    );
    dialog.addEventListener('close', () => {
      resolve(dialog.returnValue === 'yes' ? input.value.trim() : null);
      dialog.remove();
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}
