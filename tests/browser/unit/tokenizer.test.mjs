// Tokens of C and CUDA: comments, strings, numbers, keywords; the tokens together are the whole text.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { tokenize, tokenLines } from '../../../static/modules/text/tokenizer.js';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../../..');
const kinds = (text) =>
  tokenize(text)
    .filter(({ kind }) => kind)
    .map(({ kind, text: words }) => [kind, words]);

test('comments end at their end of line or */, independent of their content', () => {
  assert.deepEqual(kinds('a; // "b" /* c\n/* d // "e\n*/ f'), [
    ['comment', '// "b" /* c'],
    ['comment', '/* d // "e\n*/'],
  ]);
  assert.deepEqual(kinds('// goes on \\\n here\nint'), [
    ['comment', '// goes on \\\n here'],
    ['keyword', 'int'],
  ]);
  assert.deepEqual(kinds('/* never ends'), [['comment', '/* never ends']]);
});

test('strings and characters with escape sequences', () => {
  assert.deepEqual(kinds(String.raw`x = "a\"b // c" '\'' L"d" R"x(e ")" f)x" u8"g"`), [
    ['string', String.raw`"a\"b // c"`],
    ['string', String.raw`'\''`],
    ['string', 'L"d"'],
    ['string', 'R"x(e ")" f)x"'],
    ['string', 'u8"g"'],
  ]);
  assert.deepEqual(kinds('"not closed\nint'), [
    ['string', '"not closed'],
    ['keyword', 'int'],
  ]);
});

test('numbers in all notations, but not digits within names', () => {
  const numbers = ['0', '0xFFu', '1.5e-3f', '.5', "1'000'000", '0x1p-2', '10ull'];
  assert.deepEqual(
    kinds(numbers.join(' + ')),
    numbers.map((number) => ['number', number]),
  );
  assert.deepEqual(kinds('tile16 _1 a.b'), []);
});

test('directives start a line; # within a line is not a directive', () => {
  assert.deepEqual(kinds('#include <stdio.h>\n  # define A(x) #x\n/* c */ #pragma unroll'), [
    ['directive', '#include'],
    ['string', '<stdio.h>'],
    ['directive', '# define'],
    ['comment', '/* c */'],
    ['directive', '#pragma'],
  ]);
  assert.deepEqual(kinds('#if a < b > c'), [['directive', '#if']]);
});

test('keywords of C and CUDA', () => {
  assert.deepEqual(kinds('__global__ void naive(const float *a) { __shared__ double integer; }'), [
    ['keyword', '__global__'],
    ['keyword', 'void'],
    ['keyword', 'const'],
    ['keyword', 'float'],
    ['keyword', '__shared__'],
    ['keyword', 'double'],
  ]);
});

test('the tokens of every kernel source are its complete text', () => {
  const folder = join(root, 'kernels');
  const files = readdirSync(folder, { recursive: true }).filter((name) => /\.(c|h|cu|cuh)$/.test(name));
  assert.ok(files.length > 50);
  for (const name of files) {
    const text = readFileSync(join(folder, name), 'utf8');
    const list = tokenize(text);
    assert.equal(list.map((token) => token.text).join(''), text, name);
    assert.equal(
      list.some(({ kind }) => kind === 'comment'),
      /\/\*|\/\//.test(text),
      name,
    );
    assert.ok(list.length < text.length / 3, `${name}: adjacent tokens of one kind are joined`);
  }
});

test('the tokens of a line end with the line', () => {
  assert.deepEqual(tokenLines('/* a\nb */ int'), [
    [{ kind: 'comment', text: '/* a' }],
    [{ kind: 'comment', text: 'b */' }, { kind: '', text: ' ' }, { kind: 'keyword', text: 'int' }],
  ]);
  assert.deepEqual(tokenLines('a\n\n'), [[{ kind: '', text: 'a' }], [], []]);
});
