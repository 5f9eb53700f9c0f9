// Messages of the compiler as marks of lines and as texts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { messageCounts, messagesByLine, messagesIn, placeText } from '../../../static/modules/text/compilermessages.js';

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

test('messages are found in what nvcc, g++ and gcc print, those about other files are not', () => {
  const printed = [
    'main.cu(6): error: identifier "scal" is undefined',
    'main.cu(9): warning #177-D: variable "x" was declared but never referenced',
    "./src/a.h:3:12: note: 'f' declared here",
    'src/b.c:7: fatal error: none.h: No such file or directory',
    '/usr/include/stdio.h:10:3: error: x',
    'compilation terminated.',
    '  6 |   main.cu(7): error: quoted',
  ].join('\n');
  assert.deepEqual(messagesIn(printed, ['main.cu', 'src/a.h', 'src/b.c']), [
    { severity: 'error', file: 'main.cu', line: 6, text: 'identifier "scal" is undefined' },
    { severity: 'warning', file: 'main.cu', line: 9, text: 'variable "x" was declared but never referenced' },
    { severity: 'note', file: 'src/a.h', line: 3, column: 12, text: "'f' declared here" },
    { severity: 'error', file: 'src/b.c', line: 7, text: 'none.h: No such file or directory' },
  ]);
  assert.deepEqual(messagesIn('', ['main.cu']), []);
});
