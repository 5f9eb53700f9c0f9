// A whole program as a draft and as a request has it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { draftOfFiles, draftOfProgram, fileOfPointer, freeName, isProgramDraft, nameError, programOf, sameFiles, textOfFiles } from '../../../static/modules/text/ownprogram.js';

const program = { files: { 'main.cu': 'int main() {}\n', 'a/b.h': '' }, name: 'saxpy', arguments: ['1', 'two words'], stdin: ' x\n', format: 'google-benchmark', options: { std: 'c++17' } };

test('the draft of a program makes the same program', () => {
  const draft = draftOfProgram(program, { runs: 5 });
  assert.deepEqual(draft.parameters, { runs: 5 });
  assert.deepEqual(programOf(draft), program);
  assert.ok(isProgramDraft(JSON.parse(JSON.stringify(draft))));
});

test('a request has only what was given', () => {
  assert.deepEqual(programOf(draftOfFiles({ 'main.c': '' })), { files: { 'main.c': '' } });
});

test('a command of a machine is run without files, options and format', () => {
  const command = { command: 'nvbandwidth', arguments: ['-t', 'h2d'] };
  assert.deepEqual(programOf(draftOfProgram(command)), command);
  assert.deepEqual(programOf({ ...draftOfProgram(program), command: 'x' }), { command: 'x', name: 'saxpy', arguments: ['1', 'two words'], stdin: ' x\n' });
});

test('a run of a list, whose files have no texts, makes a draft', () => {
  assert.deepEqual(draftOfProgram({ files: { 'main.cu': null } }).files, [{ name: 'main.cu', text: '' }]);
});

test('other values than drafts are refused', () => {
  const draft = draftOfFiles({ 'main.cu': '' });
  const others = [null, undefined, 3, {}, { ...draft, files: [] }, { ...draft, files: {} }, { ...draft, files: [{ name: 'x' }] }, { ...draft, stdin: 1 }, { ...draft, options: null }];
  assert.deepEqual(others.filter(isProgramDraft), []);
});

test('drafts with the same files are equal in any order', () => {
  assert.ok(sameFiles(draftOfFiles({ a: '1', b: '2' }), draftOfFiles({ b: '2', a: '1' })));
  assert.ok(!sameFiles(draftOfFiles({ a: '1' }), draftOfFiles({ a: '2' })));
  assert.ok(!sameFiles(draftOfFiles({ a: '1' }), draftOfFiles({ b: '1' })));
});

test('names are there, and once', () => {
  const files = [{ name: 'a' }, { name: 'b' }, { name: 'a' }, { name: '' }];
  assert.deepEqual(files.map((file) => nameError(file, files)), ['Two files are called a.', '', 'Two files are called a.', 'A file needs a name.']);
  assert.equal(freeName('c', files), 'c');
  assert.equal(freeName('file.cu', [{ name: 'file.cu' }, { name: 'file-2.cu' }]), 'file-3.cu');
  assert.equal(freeName('src.d/file', [{ name: 'src.d/file' }]), 'src.d/file-2');
});

test('all files are one text with their names', () => {
  assert.equal(textOfFiles([{ name: 'b', text: 'x\n' }, { name: 'a', text: '1\n2' }]), '── a\n1\n2\n── b\nx');
});

test('the pointer of an error names its file', () => {
  assert.equal(fileOfPointer('/program/files/main.cu'), 'main.cu');
  assert.equal(fileOfPointer('/program/files/src~1a~0b.cu'), 'src/a~b.cu');
  assert.deepEqual(['/program/files', '/program/options/std', '/files/x', undefined].map((one) => fileOfPointer(one)), [undefined, undefined, undefined, undefined]);
});
