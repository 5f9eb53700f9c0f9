// Lines of source code with syntax colours.

import { h } from '../dom.js';
import { tokenLines } from '../text/tokenizer.js';

/** Elements and texts of a line, from its tokens. */
export const codeLine = (tokens) =>
  tokens.map(({ kind, text }) => (kind ? h('span', { class: `code-${kind}` }, text) : text));

/** The lines of a text, without line breaks: an array of elements and texts for each. */
export const codeLines = (text) => tokenLines(text).map(codeLine);
