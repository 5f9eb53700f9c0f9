// Lines that differ between two texts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { besideRows, changedLines, changeText, diffLines, withoutLongSame } from '../../../static/modules/text/linediff.js';

const changed = (before, after) => changedLines(before.join('\n'), after.join('\n'));
const rows = (before, after) => diffLines(before.join('\n'), after.join('\n')).map((row) => [row.kind, row.text, row.before, row.after]);

test('lines that are new or changed are marked, removed ones leave no mark', () => {
  assert.deepEqual(changed(['a', 'b', 'c'], ['a', 'b', 'c']), [false, false, false]);
  assert.deepEqual(changed(['a', 'b', 'c'], ['a', 'x', 'c']), [false, true, false]);
  assert.deepEqual(changed(['a', 'b', 'c'], ['a', 'c']), [false, false]);
  assert.deepEqual(changed(['a', 'c'], ['a', 'b', 'c', 'd']), [false, true, false, true]);
  assert.deepEqual(changed(['a'], ['b']), [true]);
});

test('a repeated line is common only as often as it occurs in order', () => {
  assert.deepEqual(changed(['{', 'a', '}'], ['{', '}', '{', 'a', '}']), [false, true, true, false, false]);
  assert.deepEqual(changed(['x', 'y'], ['y', 'x']).filter(Boolean).length, 1);
});

test('rows have the line numbers of both texts, removed lines before added ones', () => {
  assert.deepEqual(rows(['a', 'b', 'c'], ['a', 'x', 'y', 'c']), [
    ['same', 'a', 1, 1], ['removed', 'b', 2, null], ['added', 'x', null, 2], ['added', 'y', null, 3], ['same', 'c', 3, 4],
  ]);
  assert.deepEqual(rows(['a', 'a'], ['a']), [['same', 'a', 1, 1], ['removed', 'a', 2, null]]);
  assert.deepEqual(rows(['', 'p', 'q', 'r', 'z'], ['', 'q', 'r', 's', 'z']), [
    ['same', '', 1, 1], ['removed', 'p', 2, null], ['same', 'q', 3, 2], ['same', 'r', 4, 3], ['added', 's', null, 4], ['same', 'z', 5, 5],
  ]);
});

test('both texts can be read off the rows, whatever changes', () => {
  let state = 1;
  const random = (n) => (state = (state * 48271) % 2147483647) % n;
  for (let round = 0; round < 200; round++) {
    const [before, after] = [0, 1].map(() => Array.from({ length: random(9) + 1 }, () => 'abc'[random(3)]).join('\n'));
    const found = diffLines(before, after);
    const side = (name) => found.filter((row) => row[name] !== null);
    assert.equal(side('before').map(({ text }) => text).join('\n'), before);
    assert.equal(side('after').map(({ text }) => text).join('\n'), after);
    for (const name of ['before', 'after']) assert.deepEqual(side(name).map((row) => row[name]), side(name).map((_, at) => at + 1));
  }
});

test('changes are counted', () => {
  assert.equal(changeText('a\nb', 'a\nx\ny'), '+2 −1');
  assert.equal(changeText('a', 'a'), 'no change');
});

test('long unchanged parts are left out, three lines around a change are kept', () => {
  const lines = Array.from({ length: 20 }, (_, at) => `line ${at + 1}`);
  const shown = withoutLongSame(diffLines(lines.join('\n'), lines.map((line) => (line === 'line 10' ? 'x' : line)).join('\n')));
  assert.deepEqual(shown.map(({ kind, count }) => (kind === 'skipped' ? count : kind)),
    [6, 'same', 'same', 'same', 'removed', 'added', 'same', 'same', 'same', 7]);
});

test('texts with too many different lines to compare them are removed and added as a whole', () => {
  const text = (letter) => ['same', ...Array.from({ length: 5000 }, (_, at) => `${letter}${at}`), 'end'].join('\n');
  assert.equal(changeText(text('a'), text('b')), '+5000 −5000');
  const found = diffLines(text('a'), text('b'));
  assert.deepEqual(found[1], { kind: 'removed', text: 'a0', before: 2, after: null });
  assert.deepEqual(found[5001], { kind: 'added', text: 'b0', before: null, after: 2 });
  assert.deepEqual(found.at(-1), { kind: 'same', text: 'end', before: 5002, after: 5002 });
});

test('rows stand beside each other: what is removed beside what is added', () => {
  const pairs = besideRows(withoutLongSame(diffLines('a\nb\nc\nd', 'a\nB\nd\ne\nf')));
  assert.deepEqual(pairs.map(({ kind, before, after }) => [kind, before?.text ?? null, after?.text ?? null]), [
    ['same', 'a', 'a'], ['changed', 'b', 'B'], ['changed', 'c', null], ['same', 'd', 'd'], ['changed', null, 'e'], ['changed', null, 'f'],
  ]);
  const same = Array.from({ length: 20 }, (_, at) => String(at)).join('\n');
  assert.deepEqual(besideRows(withoutLongSame(diffLines(same, `${same}\nx`))).map(({ kind, count }) => [kind, count]).slice(0, 2), [['skipped', 17], ['same', undefined]]);
});
