// A button that copies a text.

import { h } from '../dom.js';
import { announce } from './announce.js';

/** `text` is called when the button is pressed. */
export function copyButton(label, text, properties = {}) {
  const words = h('span', {}, label);
  const button = h('button', { type: 'button', class: 'small', ...properties, on: { click: press } }, words);
  let back = null;

  async function press() {
    const done = await copy(text());
    words.textContent = done ? 'Copied' : 'Could not copy';
    announce(words.textContent);
    clearTimeout(back);
    back = setTimeout(() => {
      words.textContent = label;
    }, 1800);
  }
  return button;
}

/** The clipboard API exists only on secure origins; a lab on the local network is plain HTTP, where the old way still
 * works. */
async function copy(text) {
  if (navigator.clipboard && window.isSecureContext) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      // not allowed: try the other way
    }
  }
  const area = h('textarea', { class: 'unseen', readonly: true, 'aria-hidden': 'true' });
  area.value = text;
  document.body.append(area);
  area.select();
  const done = document.execCommand('copy');
  area.remove();
  return done;
}
