// Messages of the compiler as marks of lines and as texts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { messageCounts, messagesByLine, placeText } from '../../../static/modules/text/compilermessages.js';

const messages = [
  { severity: 'warning', line: 4, column: 9, text: 'variable "i" was declared but never referenced' },
  { severity: 'error', line: 4, column: 12, text: 'expected a ";"' },
  { severity: 'error', line: 7, column: 1, text: 'identifier "x" is undefined' },
  { severity: 'warning', file: 'cuda_fp16.h', line: 4, column: 1, text: 'of a header' },
  { severity: 'note', text: 'compilation stopped' },
];

test('a line is marked by its most severe message', () => {
  assert.deepEqual([...messagesByLine(messages)], [
    [4, { severity: 'error', text: 'expected a ";" (and 1 more)' }],
    [7, { severity: 'error', text: 'identifier "x" is undefined' }],
  ]);
});

test('messages are counted by severity', () => {
  assert.equal(messageCounts(messages), '2 errors, 2 warnings, 1 note');
  assert.equal(messageCounts([]), '');
});

test('a place has a column where there is one', () => {
  assert.equal(placeText(messages[0]), 'Line 4, column 9');
  assert.equal(placeText({ line: 3 }), 'Line 3');
  assert.equal(placeText(messages[3]), '');
  assert.equal(placeText(messages[4]), '');
});

test('the lines of one of several files are marked', () => {
  const ofFiles = [
    { severity: 'error', file: 'src/a.h', line: 3, text: 'x' },
    { severity: 'error', file: 'main.cu', line: 3, text: 'y' },
    { severity: 'error', text: 'undefined reference' },
  ];
  assert.deepEqual([...messagesByLine(ofFiles, 'src/a.h')], [[3, { severity: 'error', text: 'x' }]]);
});
