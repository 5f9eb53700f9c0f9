// The answer of a button to a press, in the place of its label.

import { announce } from './announce.js';

const SHOWN_MS = 1800;

/** Returns a function that shows and announces a text; `caption` is the element with the label, which then returns. */
export function answerIn(caption) {
  const label = caption.textContent;
  let timer = null;
  return (text) => {
    caption.textContent = text;
    announce(text);
    clearTimeout(timer);
    timer = setTimeout(() => {
      caption.textContent = label;
    }, SHOWN_MS);
  };
}
