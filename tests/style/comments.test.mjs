// Comments that stand on lines of their own fit in 120 columns.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { root, trackedFiles } from './files.mjs';

const COLUMNS = 120;

const isComment = (line) => /^\s*(\/\*|\*|\/\/)/.test(line);

/** Files whose first line is a command line (tests/gpu/README.md), and files of others. */
const isOther = (path) => /^tests\/gpu\/(kernels|challenges|cheats)\//.test(path) || path.includes('vendor');

/** Lines that a reader cannot wrap: marks for gpulab-pages, tables with aligned columns, and a word that is longer. */
const isFixed = (line) => /^\s*(\/\/|\/\*|\*)\s*(step|region) /.test(line) || /^\s*(\/\*|\*|\/\/)(.*\S {2,}\S| {8})/.test(line) || line.trim().split(/\s+/).length < 3;

test('comments on lines of their own fit in 120 columns', () => {
  const patterns = ['server', 'db', 'kernels', 'static', 'tests'].flatMap((folder) => ['c', 'h', 'cu', 'cuh', 'js', 'mjs'].map((suffix) => `${folder}/*.${suffix}`));
  const wide = trackedFiles(...patterns).filter((path) => !isOther(path)).flatMap((path) =>
    readFileSync(join(root, path), 'utf8').split('\n').flatMap((line, at) => (isComment(line) && !isFixed(line) && [...line].length > COLUMNS ? [`${path}:${at + 1}`] : [])));
  assert.deepEqual(wide, []);
});
