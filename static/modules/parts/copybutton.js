// A button that copies a text to the clipboard.

import { h } from '../dom.js';
import { announce } from './announce.js';

/** `text()` returns the text to copy when the button is pressed. */
export function copyButton(label, text, properties = {}) {
  const caption = h('span', {}, label);
  const button = h('button', { type: 'button', class: 'small', ...properties, on: { click: press } }, caption);
  let resetTimer = null;

  async function press() {
    const done = await copy(text());
    caption.textContent = done ? 'Copied' : 'Copying failed';
    announce(caption.textContent);
    clearTimeout(resetTimer);
    resetTimer = setTimeout(() => {
      caption.textContent = label;
    }, 1800);
  }
  return button;
}

/** Uses execCommand where the clipboard API is missing or refused: browsers offer the API only on secure origins, and a
 * lab on a local network is plain HTTP. */
async function copy(text) {
  if (navigator.clipboard && window.isSecureContext) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      // not permitted: fall through to execCommand
    }
  }
  const area = h('textarea', { class: 'visually-hidden', readonly: true, 'aria-hidden': 'true' });
  area.value = text;
  document.body.append(area);
  area.select();
  const done = document.execCommand('copy');
  area.remove();
  return done;
}
