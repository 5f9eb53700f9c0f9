// Confirmation dialog for actions that cannot be undone.

import { freshId, h } from '../dom.js';

/** Shows the dialog; `action` is the text of the button that confirms. Returns a promise of whether the user confirmed.
 */
export function confirm({ title, text, action }) {
  return new Promise((resolve) => {
    const heading = freshId('confirm');
    const dialog = h(
      'dialog',
      { 'aria-labelledby': heading },
      h(
        'form',
        { method: 'dialog' },
        h('h2', { id: heading }, title),
        h('p', {}, text),
        h(
          'div',
          { class: 'actions' },
          h('button', { value: 'no', autofocus: true }, 'Cancel'),
          h('button', { value: 'yes', class: 'danger' }, action),
        ),
      ),
    );
    dialog.addEventListener('close', () => {
      resolve(dialog.returnValue === 'yes');
      dialog.remove();
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}
