// The arguments of a program as one line.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { joinArguments, splitArguments } from '../../../static/modules/text/commandline.js';

test('blanks separate arguments, quotes and backslashes keep blanks', () => {
  for (const [line, list] of [
    ['', []], ['  ', []], ['4096', ['4096']], [' a  b\tc\n', ['a', 'b', 'c']], [`'two words' "and more"`, ['two words', 'and more']], [`--name='a b'`, ['--name=a b']],
    [`a'b'"c"d`, ['abcd']], [`''`, ['']], [`a "" b`, ['a', '', 'b']], ['a\\ b', ['a b']], [`"say \\"x\\" \\n"`, ['say "x" \\n']], [`'\\'`, ['\\']], ['größer 🙂', ['größer', '🙂']],
  ]) assert.deepEqual(splitArguments(line), { value: list }, line);
});

test('what is not closed is an error', () => {
  assert.deepEqual(splitArguments(`a 'b`), { error: "The quote ' is not closed." });
  assert.deepEqual(splitArguments('"'), { error: 'The quote " is not closed.' });
  assert.deepEqual(splitArguments('"a\\"'), { error: 'The quote " is not closed.' });
  assert.deepEqual(splitArguments('a\\'), { error: 'A backslash is at the end.' });
});

test('joined arguments are split into the same ones', () => {
  const lists = [[], ['4096'], ['two words', ''], ["it's", '"', '\\', "'"], ['a\nb', '\t', '--x=1,2']];
  for (const list of lists) assert.deepEqual(splitArguments(joinArguments(list)).value, list);
  assert.equal(joinArguments(['4096', 'two words']), "4096 'two words'");
});
