// The project's documents: each one that is cited exists, and every folder with source files has a README.md.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { test } from 'node:test';
import { root, trackedFiles } from './files.mjs';

const files = trackedFiles();
const documents = files.filter((path) => path.endsWith('.md'));

/** Text of a file; empty for binary files. */
function text(path) {
  const bytes = readFileSync(join(root, path));
  return bytes.includes(0) ? '' : bytes.toString('utf8');
}

/** Documents of other projects, and the placeholder for that of any experiment. */
const external = ['doc/PERFORMANCE.md', 'NAME.md']; // of nccl-tests

/** Whether a citation names a document: relative to the citing file or to the repository, or by a name that is
 * unique. */
function exists(citing, cited) {
  return external.includes(cited) || documents.includes(join(dirname(citing), cited)) || documents.includes(normalize(cited))
    || documents.filter((path) => basename(path) === cited).length === 1;
}

test('every document that is cited exists', () => {
  const wrong = files.flatMap((path) => text(path).split('\n').flatMap((line, at) =>
    [...line.replace(/https?:\/\/\S+/g, '').matchAll(/[\w./-]*\w\.md\b/g)].map(([cited]) => cited)
      .filter((cited) => !exists(path, cited))
      .map((cited) => `${path}:${at + 1}: ${cited}`)));
  assert.deepEqual(wrong, []);
});

/** What a row of a table is about, when it is a status, a route or a name in backticks; rows of figures are about
 * several cells. */
const subjectOf = (row) => /^\| *(\d{3}\b|[A-Z]+ \/\S*|`[^`]+`)/.exec(row)?.[1];

test('no table has two rows of one status, route or name', () => {
  const subjects = documents.map((path) => [path, text(path).split(/\n(?!\|)/).map((table) => table.split('\n').map(subjectOf).filter(Boolean))]);
  const wrong = subjects.flatMap(([path, tables]) => tables.flatMap((rows) => rows.filter((row, at) => rows.indexOf(row) !== at).map((row) => `${path}: ${row}`)));
  assert.ok(subjects.flatMap(([, tables]) => tables.flat()).length > 100);
  assert.deepEqual(wrong, []);
});

const source = /\.(c|h|cu|cuh|js|mjs|sh)$/;

/** Folders of the first two levels that have source files. */
const folders = [...new Set(files.filter((path) => source.test(path)).map(dirname)
  .filter((folder) => /^(kernels|db|server|static|deploy|tests)(\/[^/]+)?$/.test(folder)))];

/** Folders whose README.md also describes the folders in them. */
const parents = ['db', 'static', 'tests'];

test('every folder with source files has a README.md', () => {
  assert.ok(folders.length > 10, `only ${folders.length} folders`);
  const wrong = folders.filter((folder) => !parents.includes(dirname(folder)) && !documents.includes(join(folder, 'README.md')));
  assert.deepEqual(wrong, []);
});

for (const parent of parents) {
  test(`the README.md of ${parent} describes every folder in it`, () => {
    const readme = text(join(parent, 'README.md'));
    assert.deepEqual(folders.filter((folder) => dirname(folder) === parent && !readme.includes(`${basename(folder)}/`)), []);
  });
}
