// Explanations, which are Markdown of a small subset (text/markdown.js), as elements. They are made with h(), never as
// markup, and no library reads them: the subset is small, and a library would return markup.

import { h, mathml } from '../dom.js';
import { formulaOf } from '../text/formula.js';
import { blocksOf } from '../text/markdown.js';

/** A text with the names between backticks as code. */
export const withCode = (text) =>
  text.split('`').map((part, index) => (index % 2 ? h('code', {}, part) : part));

/** The elements for an explanation. `level` is that of the headings "##", those of "###" are the next: one below the
 * heading under which it stands. */
export const prose = (text, level) => blocksOf(text ?? '').map((block) => BLOCKS[block.kind](block, level));

const BLOCKS = {
  paragraph: ({ content }) => h('p', {}, pieces(content)),
  heading: (block, level) => h(`h${level + block.level - 2}`, {}, pieces(block.content)),
  list: (list) => listElement(list),
  table: (table) => tableElement(table),
  code: ({ text }) => h('pre', { class: 'code-block', tabindex: 0 }, h('code', {}, text)),
  formula: ({ text }) => h('div', { class: 'formula', tabindex: 0 }, formula(text, '$$', 'block')),
};

function listElement({ ordered, start, items }) {
  return h(
    ordered ? 'ol' : 'ul',
    { start: ordered && start !== 1 ? start : null },
    items.map(({ content, list }) => h('li', {}, pieces(content), list && listElement(list))),
  );
}

/** Classes of the cells of a column. */
const ALIGNED = { right: 'figure', center: 'centered' };

function tableElement({ align, head, rows }) {
  const cell = (tag, content, column) => h(tag, { class: ALIGNED[align[column]], scope: tag === 'th' ? 'col' : null }, pieces(content));
  const titles = head.map((content) => h('span', {}, pieces(content)).textContent).filter(Boolean);
  return h(
    'div',
    { class: 'table-scroll', role: 'region', tabindex: 0, 'aria-label': `Table of ${titles.join(', ')}` },
    h(
      'table',
      { class: 'figures' },
      h('thead', {}, h('tr', {}, head.map((content, column) => cell('th', content, column)))),
      h('tbody', {}, rows.map((row) => h('tr', {}, row.map((content, column) => cell('td', content, column))))),
    ),
  );
}

const pieces = (content) => content.map((piece) => (typeof piece === 'string' ? piece : PIECES[piece.kind](piece)));

const PIECES = {
  code: ({ text }) => h('code', {}, text),
  emphasis: ({ content }) => h('em', {}, pieces(content)),
  strong: ({ content }) => h('strong', {}, pieces(content)),
  link: ({ href, content }) => h('a', { href, rel: href.startsWith('https:') ? 'noreferrer' : null }, pieces(content)),
  formula: ({ text }) => formula(text, '$', 'inline'),
};

/** A formula in MathML; its text between its marks where it is not understood. */
function formula(text, mark, display) {
  const tree = formulaOf(text);
  return tree ? mathml('math', { display }, mathElement(tree)) : `${mark}${text}${mark}`;
}

const MATH_LEAVES = { number: 'mn', name: 'mi', operator: 'mo', text: 'mtext' };

function mathElement({ kind, text, ...node }) {
  // Brackets stay as they are, as in TeX: without a font for formulas, browsers would stretch even those around one
  // letter.
  if (MATH_LEAVES[kind]) return mathml(MATH_LEAVES[kind], { stretchy: /^[()[\]|{}]$/.test(text) ? 'false' : null }, text);
  if (kind === 'row') return mathml('mrow', {}, node.items.map(mathElement));
  if (kind === 'root') return mathml('msqrt', {}, mathElement(node.content));
  if (kind === 'fraction') return mathml('mfrac', {}, mathElement(node.above), mathElement(node.below));
  const scripts = [node.below, node.above].filter(Boolean);
  const tag = scripts.length === 2 ? 'msubsup' : node.below ? 'msub' : 'msup';
  return mathml(tag, {}, [node.base, ...scripts].map(mathElement));
}
