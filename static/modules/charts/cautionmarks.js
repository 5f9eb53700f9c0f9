// The mark of cautions (cautions.js) on a value: an amber sign before it, drawn by the style sheet, and words on hover.

import { h } from '../dom.js';

/** The properties (dom.js) of an element with a value: its class, `name` and that of the mark, and the words. */
export const cautioned = (name, cautions) =>
  cautions.length ? { class: `${name} cautioned`, title: cautions.map(({ text }) => text).join('\n') } : { class: name };

/** The cautions of a value in words, as tags for a table. */
export const cautionTags = (cautions) =>
  cautions.map(({ name, text }) => h('span', { class: 'tag warn', title: text }, name));
