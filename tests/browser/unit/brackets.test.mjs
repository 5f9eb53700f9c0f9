// Which brackets of a source belong together.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bracketPairs, pairBeside } from '../../../static/modules/text/brackets.js';
import { tokenLines } from '../../../static/modules/text/tokenizer.js';

/** The partner of the bracket at "|" in a text, as the text with "|" before the partner; null without one. */
function partnerIn(marked) {
  const at = marked.indexOf('|');
  const text = marked.replace('|', '');
  const found = pairBeside(bracketPairs(tokenLines(text)), at);
  return found && `${text.slice(0, found[1])}|${text.slice(found[1])}`;
}

test('a bracket has its partner on any line', () => {
  assert.equal(partnerIn('a|(b[1], {\n c })'), 'a(b[1], {\n c }|)');
  assert.equal(partnerIn('a(b[1], {|\n c })'), 'a(b[1], {\n c |})');
  assert.equal(partnerIn('a(b[1|], {\n c })'), 'a(b|[1], {\n c })');
});

test('the bracket before the caret comes first', () => assert.equal(partnerIn('f()|(x)'), 'f|()(x)'));

test('brackets in comments, strings and directives are those of the source only where they are code', () => {
  assert.equal(partnerIn('f|(")", \')\', /* ) */ x)'), 'f(")", \')\', /* ) */ x|)');
  assert.equal(partnerIn('// (|\n)'), null);
  assert.equal(partnerIn('#define F(x) ((x) + 1|)'), '#define F(x) |((x) + 1)');
});

test('a bracket that is open where the one around it closes has no partner', () => {
  assert.equal(partnerIn('|{ ( }'), '{ ( |}');
  assert.equal(partnerIn('{ (| }'), null);
  assert.equal(partnerIn(')|'), null);
  assert.equal(partnerIn('x|'), null);
});
