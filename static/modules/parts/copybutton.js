// A button that copies a text to the clipboard.

import { h } from '../dom.js';
import { answerIn } from './answer.js';

/** Returns the button, which keeps a menu (menu.js) open, so that its answer is seen; `text()` is called when it is
 * pressed and returns the text to copy, or a promise of it. */
export function copyButton(label, text, properties = {}) {
  const caption = h('span', {}, label);
  const button = h('button', { type: 'button', class: 'small', ...properties, dataset: { stays: '' }, on: { click: press } }, caption);
  const answer = answerIn(caption);

  async function press() {
    answer((await copy(await text())) ? copiedText(label) : 'Copying failed');
  }
  return button;
}

/** "Copy link to this text" -> "Link copied", "Copy" -> "Copied". */
export function copiedText(label) {
  const noun = /^Copy (?:the )?(\w+)/.exec(label)?.[1];
  return noun ? `${noun.charAt(0).toUpperCase()}${noun.slice(1)} copied` : 'Copied';
}

/** Copies a text and returns whether that succeeded. Uses execCommand where the clipboard API is missing or refused:
 * browsers offer the API only over HTTPS and on localhost, but a lab on a local network is often reached over HTTP. */
async function copy(text) {
  if (navigator.clipboard && window.isSecureContext) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      // not permitted: execCommand is tried below
    }
  }
  const area = h('textarea', { class: 'visually-hidden', readonly: true, 'aria-hidden': 'true' });
  area.value = text;
  document.body.append(area);
  area.select();
  const copied = document.execCommand('copy');
  area.remove();
  return copied;
}
