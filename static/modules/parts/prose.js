// Explanations: plain text with paragraphs and lists.

import { h } from '../dom.js';

/** Paragraphs are parted by blank lines; one whose lines all begin with "- " is a list. */
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
            lines.map((line) => h('li', {}, line.replace(/^\s*- /, ''))),
          )
        : h('p', {}, lines.join(' '));
    });
}
