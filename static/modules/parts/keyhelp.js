// The list of the keys of the page.

import { freshId, h } from '../dom.js';

const KEYS = {
  'Everywhere': { '/': 'search', '?': 'this list', 'Esc': 'close a list or a dialog' },
  'Charts that have the focus': {
    '← →': 'the point before or after',
    '↑ ↓': 'the series above or below',
    '+ −': 'zoom in or out',
    '0': 'show everything',
    'Enter': 'the samples of the point',
  },
  'Tabs': { '← →': 'the tab before or after', 'Home End': 'the first or the last' },
};

/** Shows the list in a dialog. */
export function showKeys() {
  const heading = freshId('keys');
  const row = ([keys, text]) => h('div', {}, h('dt', {}, keys.split(' ').map((key) => [h('kbd', {}, key), ' '])), h('dd', {}, text));
  const groups = Object.entries(KEYS).map(([title, keys]) => [h('h3', {}, title), h('dl', { class: 'keys' }, Object.entries(keys).map(row))]);
  const dialog = h(
    'dialog',
    { 'aria-labelledby': heading },
    h(
      'form',
      { method: 'dialog' },
      h('h2', { id: heading }, 'Keys'),
      groups,
      h('div', { class: 'actions' }, h('button', { autofocus: true }, 'Close')),
    ),
  );
  dialog.addEventListener('close', () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
