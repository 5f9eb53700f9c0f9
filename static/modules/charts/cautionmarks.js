// The mark of cautions (cautions.js) beside a value.

import { h } from '../dom.js';

/** An amber sign whose tooltip gives the cautions of a value; null if there are none. */
export function cautionMarks(cautions) {
  if (!cautions.length) return null;
  return h(
    'span',
    { class: 'caution', title: cautions.map(({ text }) => text).join('\n') },
    h('span', { 'aria-hidden': 'true' }, '▲'),
    h('span', { class: 'visually-hidden' }, `${cautions.map(({ name }) => name).join(', ')}: `),
  );
}

/** The cautions of a value in words, as tags for a table. */
export const cautionTags = (cautions) =>
  cautions.map(({ name, text }) => h('span', { class: 'tag warn', title: text }, name));
