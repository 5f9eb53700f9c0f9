// Converts the explanations of experiments and steps, which are plain text, to paragraphs and lists.

import { h } from '../dom.js';

/** A text with the names between backticks as code. */
export const withCode = (text) =>
  text.split('`').map((part, index) => (index % 2 ? h('code', {}, part) : part));

/** The elements for a text. Blank lines separate paragraphs; a paragraph whose lines all start with "- " becomes a
 * list. */
export function paragraphs(text) {
  return (text ?? '')
    .split(/\n\s*\n/)
    .filter((block) => block.trim())
    .map((block) => {
      const lines = block.trim().split('\n');
      return lines.every((line) => /^\s*- /.test(line))
        ? h(
            'ul',
            {},
            lines.map((line) => h('li', {}, withCode(line.replace(/^\s*- /, '')))),
          )
        : h('p', {}, withCode(lines.join(' ')));
    });
}
