// C and CUDA in colours: what is a comment, a string, a number, a keyword; and nothing is lost.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { tokens } from '../../../static/modules/tokenizer.js';

const house = resolve(dirname(fileURLToPath(import.meta.url)), '../../..');
const kinds = (text) =>
  tokens(text)
    .filter(({ kind }) => kind)
    .map(({ kind, text: words }) => [kind, words]);

test('comments to the end of the line or of the comment, whatever is in them', () => {
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

test('strings and characters with what is escaped in them', () => {
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

test('numbers in all spellings, but not those within names', () => {
  const numbers = ['0', '0xFFu', '1.5e-3f', '.5', "1'000'000", '0x1p-2', '10ull'];
  assert.deepEqual(
    kinds(numbers.join(' + ')),
    numbers.map((number) => ['number', number]),
  );
  assert.deepEqual(kinds('tile16 _1 a.b'), []);
});

test('directives begin a line; a # within one does not', () => {
  assert.deepEqual(kinds('#include <stdio.h>\n  # define A(x) #x\n/* c */ #pragma unroll'), [
    ['directive', '#include'],
    ['string', '<stdio.h>'],
    ['directive', '# define'],
    ['comment', '/* c */'],
    ['directive', '#pragma'],
  ]);
  assert.deepEqual(kinds('#if a < b > c'), [['directive', '#if']]);
});

test('the words of C and of CUDA', () => {
  assert.deepEqual(kinds('__global__ void naive(const float *a) { __shared__ double integer; }'), [
    ['keyword', '__global__'],
    ['keyword', 'void'],
    ['keyword', 'const'],
    ['keyword', 'float'],
    ['keyword', '__shared__'],
    ['keyword', 'double'],
  ]);
});

test('every source of the kernels comes out as it went in', () => {
  const folder = join(house, 'kernels');
  const files = readdirSync(folder, { recursive: true }).filter((name) => /\.(c|h|cu|cuh)$/.test(name));
  assert.ok(files.length > 50);
  for (const name of files) {
    const text = readFileSync(join(folder, name), 'utf8');
    const list = tokens(text);
    assert.equal(list.map((token) => token.text).join(''), text, name);
    assert.ok(
      list.some(({ kind }) => kind === 'comment'),
      name,
    );
    assert.ok(list.length < text.length / 3, `${name}: neighbours of one kind are one token`);
  }
});
