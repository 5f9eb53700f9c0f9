// What keys do to the text of an editor.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { braceClosed, commentToggled, indented, lineAt, lineBroken, outdented, positionOf } from '../../../static/modules/text/editing.js';

/** Applies a key to a text in which "[" and "]" stand around the selection, "|" at the cursor; returns such a text. */
function press(key, marked) {
  const cursor = marked.indexOf('|');
  const [start, end] = cursor >= 0 ? [cursor, cursor] : [marked.indexOf('['), marked.indexOf(']') - 1];
  const text = marked.replace(/[[\]|]/g, '');
  const { from, to, text: added, ...selected } = key(text, start, end);
  const next = text.slice(0, from) + added + text.slice(to);
  const { start: first, end: last } = selected;
  if (first === last) return `${next.slice(0, first)}|${next.slice(first)}`;
  return `${next.slice(0, first)}[${next.slice(first, last)}]${next.slice(last)}`;
}

test('Tab fills up to the next multiple of four', () => {
  assert.equal(press(indented, '|a'), '    |a');
  assert.equal(press(indented, 'x\nab|c'), 'x\nab  |c');
});

test('Tab and Shift+Tab move the selected lines', () => {
  assert.equal(press(indented, 'a\n[b\n\nc]\nd'), 'a\n    [b\n\n    c]\nd');
  assert.equal(press(indented, '[a\n]b'), '    [a\n]b');
  assert.equal(press(outdented, 'a\n    [b\n  c]\nd'), 'a\n[b\nc]\nd');
  assert.equal(press(outdented, '  a|b'), 'a|b');
  assert.equal(press(outdented, ' | a'), '|a');
});

test('Enter keeps the indentation, and adds to it after a brace', () => {
  assert.equal(press(lineBroken, '  a|'), '  a\n  |');
  assert.equal(press(lineBroken, '  if (x) {|}'), '  if (x) {\n      |}');
});

test('a closing brace is where its block begins, if nothing else is before it', () => {
  assert.equal(press(braceClosed, 'if (x) {\n        |'), 'if (x) {\n    }|');
  assert.equal(press(braceClosed, '\t|'), '}|');
  assert.equal(press(braceClosed, '  |x'), '}|x');
  for (const text of ['', '    a ', 'x\n']) assert.equal(braceClosed(text, text.length, text.length), null);
});

test('lines are commented out at the column of the least indented, and back', () => {
  const toggled = (text) => press(commentToggled, text).replace(/[[\]]/g, '');
  const [code, comments] = ['    a\n\n        b\nc', '    // a\n\n    //     b\nc'];
  assert.equal(toggled(code.replace('    a', '[    a').replace('b', 'b]')), comments);
  assert.equal(toggled(comments.replace('    // a', '[    // a').replace('b', 'b]')), code);
  assert.equal(toggled('[a\n// b]'), '// a\n// // b');
  assert.equal(press(commentToggled, '|'), '// |');
  assert.equal(press(commentToggled, '//a|b'), 'a|b');
});

test('positions and lines', () => {
  const text = 'ab\ncdef\n';
  assert.equal(positionOf(text, 2, 3), 5);
  assert.equal(positionOf(text, 2, 99), 7);
  assert.equal(positionOf(text, 9, 1), 8);
  assert.equal(lineAt(text, 5), 2);
  assert.equal(lineAt(text, 0), 1);
});
