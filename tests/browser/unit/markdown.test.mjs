// Explanations and formulas that are not whole; what whole ones become is in prose.test.mjs.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formulaOf } from '../../../static/modules/text/formula.js';
import { blocksOf, piecesOf } from '../../../static/modules/text/markdown.js';

test('marks that begin nothing stay text, however many there are', () => {
  for (const part of ['*a ', '** ', '`', '[', '[a](', '[a](/', '$', '$a ', '| ', '- ', '## '])
    assert.deepEqual(piecesOf(part.repeat(5000)), [part.repeat(5000)], part);
});

test('blocks that are not closed end with the text', () => {
  assert.deepEqual(blocksOf('```\na'), [{ kind: 'code', text: 'a' }]);
  assert.deepEqual(blocksOf('$$\n\na'), [{ kind: 'paragraph', content: ['$$'] }, { kind: 'paragraph', content: ['a'] }]);
  assert.deepEqual(blocksOf('|a|\n|-|'), [{ kind: 'table', align: [''], head: [['a']], rows: [] }]);
  assert.deepEqual(blocksOf('\r\n\n'), []);
});

test('a formula is not understood where something is missing, and where it is nested without end', () => {
  for (const text of ['{', '}', 'a}', '^2', 'x^', 'x_}', 'x^2^3', '\\frac{a}', '\\sqrt', '\\text{a', '\\unknown', '\\'])
    assert.equal(formulaOf(text), null, text);
  for (const part of ['{', '\\sqrt', 'x^{', '\\frac{a}{']) assert.equal(formulaOf(part.repeat(5000)), null, part);
});

test('a name in a formula is one, whatever it is called', () => {
  assert.deepEqual(formulaOf('constructor'), { kind: 'name', text: 'constructor' });
  assert.deepEqual(formulaOf('n constructor').items.map(({ text }) => text), ['n', 'constructor']);
  assert.equal(formulaOf('\\constructor'), null);
});
