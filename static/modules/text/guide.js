// The guide: facts of a device in its texts, and its terms found by any of their names.

import { UNKNOWN } from './format.js';
import { factText } from './devicefacts.js';

/** The pages of the guide that are lists. */
export const GLOSSARY = {
  name: 'terms',
  title: 'Terms',
  summary: 'The words of the field, their names in Russian, Slovak and Chinese, and what old names are called today.',
};
export const CARDS = { name: 'cards', title: 'Published devices', summary: 'The devices that course texts measured on, beside one of this lab.' };

/** The pages of a guide in which one searches: {name, title, summary, text}; the terms are found one by one. */
export const pagesOf = ({ pages, cards }) => [...pages, { ...CARDS, text: cards.map(({ name, source }) => `${name} ${source}`).join(' ') }];

/** A text of the guide with the facts of `device` in place of {{NAME}}; without a device, and for what is not known, a
 * dash. */
export function withFacts(text, device) {
  const facts = { name: device?.name ?? 'a device', ...device?.properties };
  return text.replace(/\{\{(\w+)\}\}/g, (_, name) => (facts[name] === undefined ? UNKNOWN : factText(name, facts[name])));
}

/** All names of a term, its own first. */
export const namesOf = ({ term, ru, sk, zh, also }) => [term, ru, sk, zh, ...also];

/** The terms with a name that begins with `text`, then those with one that contains it: [{...term, found: the
 * name}]. */
export function findTerms(terms, text) {
  const wanted = text.trim().toLowerCase();
  if (!wanted) return [];
  const found = terms.flatMap((term) => {
    const names = namesOf(term).filter((name) => name.toLowerCase().includes(wanted));
    const begins = names.find((name) => name.toLowerCase().startsWith(wanted));
    return names.length ? [{ ...term, found: begins ?? names[0], begins: begins !== undefined }] : [];
  });
  return found.sort((a, b) => b.begins - a.begins);
}

/** The id of a term within the page of all terms. */
export const termId = ({ term }) => term.toLowerCase().replace(/[^a-z0-9]+/g, '-');
