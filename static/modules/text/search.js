// Which experiments, devices, programs and pages a text finds.

import { rawNames } from './displaynames.js';

const TERMS_MAX = 4;

/** A text whose longer words have lost their endings, so that "throttle" is also found in "throttling". */
export const stemsOf = (text) => text.replace(/(\p{L}{5,}?)(?:e|ed|es|ing|s)(?=\s|$)/gu, '$1');

/** The texts that a search stands for: what was typed and, where it is part of a display name, what the lab calls
 * that. */
export const termsOf = (text) => [...new Set([text, ...(text.length > 2 ? rawNames(text) : [])])].slice(0, TERMS_MAX);

/** The figure of a run (headline.js) that a text asks for by the figure's title or a value of its point; otherwise the
 * first. */
export function figureFor(figures, terms) {
  const isMeant = ({ title, text, axes }) =>
    terms.some((term) => isFigure({ text }, term) || title.toLowerCase().includes(term.toLowerCase()) || Object.values(axes ?? {}).some((value) => String(value) === term.toLowerCase()));
  return figures.find(isMeant) ?? figures[0];
}

/** Whether a text is a figure as it is shown: "55.05" and "55.05 GB/s" are the beginning of one. */
export const isFigure = ({ text }, typed) => /^\d+\.\d/.test(typed) && text.replace(/\s/g, ' ').startsWith(typed.trim());

/** The pages that are no experiments, devices or runs. */
const PAGES = [
  { href: '/', title: 'Learn', text: 'experiments, lessons' },
  { href: '/guide', title: 'Guide', text: 'memory model, indices, errors, compiling, limits, environment, glossary, terms' },
  { href: '/runs', title: 'Runs', text: 'history, results' },
  { href: '/compare', title: 'Compare', text: 'two runs, ratios, verdicts' },
  { href: '/trends', title: 'Trends', text: 'results over time' },
  { href: '/machines', title: 'Machines', text: 'queue, devices, telemetry, summary of a card' },
  { href: '/program', title: 'Write a program', text: 'own program, main, files, CUDA, C++, compile, run, output' },
  { href: '/kernels', title: 'Write a kernel', text: 'own kernel, editor, PTX, compile' },
];

const wordsOf = (text) => text.toLowerCase().split(/\s+/).filter(Boolean);

/** The entries of `list` in which every word of `text` occurs, those that have it earlier in `textsOf(entry)` first: a
 * list of texts, the most important one first. */
function matching(list, text, textsOf) {
  const words = wordsOf(text);
  if (!words.length) return [];
  const found = [];
  for (const entry of list) {
    const texts = textsOf(entry).map((one) => one.toLowerCase());
    const ranks = words.map((word) => texts.findIndex((one) => one.includes(word)));
    if (!ranks.includes(-1)) found.push({ entry, rank: Math.max(...ranks) });
  }
  return found.sort((a, b) => a.rank - b.rank).map(({ entry }) => entry);
}

/** Experiments, as in lists, by title, name, summary and titles of metrics. */
export const findExperiments = (experiments, text) =>
  matching(experiments, text, ({ title, name, summary, metric_titles }) => [
    title,
    name,
    summary,
    metric_titles.join(' '),
  ]);

/** Pages by title and contents. */
export const findPages = (text) => matching(PAGES, text, ({ title, text: contents }) => [title, contents]);

/** Pages of the guide by title, summary and text. */
export const findGuidePages = (pages, text) => matching(pages, text, (page) => [page.title, page.summary, page.text]);

/** Sample programs by title, first comment and source. */
export const findPrograms = (programs, text) =>
  matching(programs, text, ({ title, text: comment, files }) => [title, comment, Object.values(files).join('\n')]);

/** Devices by name, machine and id. */
export const findDevices = (devices, text) => matching(devices, text, ({ name, node, id }) => [name, node, id]);
