// The head of a device's page.

import { h } from '../../dom.js';
import { copyButton } from '../../parts/copybutton.js';

/** The head of the page: name, id, `status` (an element) and `actions`. */
export function deviceHead(name, id, status, ...actions) {
  return h(
    'header',
    { class: 'view-head stack tight start' },
    h('h1', {}, name),
    status,
    h('p', { class: 'identity row' }, h('code', {}, id), copyButton('Copy ID', () => id)),
    h('div', { class: 'actions' }, actions),
  );
}
