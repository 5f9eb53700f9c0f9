// Figures that one device gave are references in NAME.json, which the page shows beside those of the lab's own device.
// Texts about experiments have only what follows from the architecture, from arithmetic that is shown, or from a text
// that is named.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { root, trackedFiles } from './files.mjs';

const number = String.raw`\d[\d,.]*`;
const rate = new RegExp(String.raw`${number} ?(?:[kMGTP]i?B|[MGTP]?FLOP|[MGT]?op)/s|billion[\w ]* (?:a|per|in a) second`);
const share = String.raw`(?:[munp]?s|cycles|clocks|percent|%)(?![\w/])`;
const figure = new RegExp(String.raw`${number} ?${share}|${rate.source}`);
const range = new RegExp(String.raw`${number} (?:to|and) ${number} ?${share}`);
const device = /\b(?:[ABHLV]\d{2,3}|GH200|MI\d{3}|RTX \d+|\d(?:\.\d+)? GHz)\b/;
const arithmetic = /\$[^$]+\$/;
const constants = /^"?computed\b/; // a formula, which names the origin of its constants
const published = /\b(?:lecture|course texts?|book|article|guide)\b/;

/** Whether a paragraph has figures as a measurement gives them: a rate, a range, or any beside the name of a device. */
const measured = (text) => (rate.test(text) || range.test(text) || (figure.test(text) && device.test(text)))
  && ![arithmetic, constants, published].some((reason) => reason.test(text));

const read = (path) => readFileSync(join(root, path), 'utf8');
const oneLine = (text) => text.replace(/\s+/g, ' ').trim();

/** The paragraphs, items of lists and tables of a Markdown text. */
const paragraphs = (text) => text.split(/\n\s*\n|\n(?=\s*- )/);
const comments = (text) => [...text.matchAll(/\/\/ (?:region|step) .*"\n\/\*([\s\S]*?)\*\//g)].flatMap(([, comment]) => paragraphs(comment));
const strings = (text) => [...text.matchAll(/"(?:[^"\\\n]|\\.)*"(?:\s*"(?:[^"\\\n]|\\.)*")*/g)].map(([literals]) => literals.replace(/"\s*"/g, ''));

const explanations = trackedFiles('kernels/experiments', 'kernels/guide')
  .filter((path) => path.endsWith('.md') && !path.endsWith('README.md'));
const sources = trackedFiles('kernels/experiments').filter((path) => /\.(?:c|h|cu|cuh)$/.test(path));

test('what a measurement gives is told from what follows from arithmetic', () => {
  const is = ['On an H200 it takes 66 us.', 'stockham reaches 14500 GFLOP/s', 'A launch takes 5 to 10 us.', 'at 1.98 GHz 34 cycles in L1'];
  const isNot = ['Kernels take 1 ms each.', 'for $3 \\text{ TB/s} \\cdot 0.7$ us', '256 KiB on an H100', 'The lecture has 24.1 to 24.3 ms.',
    'computed: 40 us for each fault, as on an H100'];
  assert.deepEqual([...is, ...isNot].filter(measured), is);
});

test('no text about an experiment has figures that one device gave', () => {
  const texts = [
    ...explanations.flatMap((path) => paragraphs(read(path)).map((text) => [path, text])),
    ...sources.flatMap((path) => [...comments(read(path)), ...strings(read(path))].map((text) => [path, text])),
  ];
  assert.ok(explanations.length > 40 && texts.length > 4000, `${explanations.length} files, ${texts.length} texts`);
  assert.deepEqual(texts.filter(([, text]) => measured(text)).map(([path, text]) => `${path}: ${oneLine(text)}`), []);
});
