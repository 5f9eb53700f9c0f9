// Names: a tag that crosses a file means one thing in the whole tree.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { root, trackedFiles } from './files.mjs';

const withoutTexts = (source) => source.replace(/\/\*[^]*?\*\/|\/\/.*|"(?:[^"\\\n]|\\.)*"/g, ' ');
const sources = trackedFiles('kernels/*', 'db/*', 'server/*', 'tests/*').filter((path) => /\.(c|h|cu|cuh)$/.test(path))
  .map((path) => [path, withoutTexts(readFileSync(join(root, path), 'utf8'))]);

/** The tags that files define: [{path, tag}]. */
const tags = sources.flatMap(([path, source]) => [...source.matchAll(/\b(?:struct|enum|union)\s+(\w+)\s*\{/g)].map(([, tag]) => ({ path, tag })));

/** Types that a header of the runtimes only names: each runtime, and each stand-in of a test, defines its own. */
const opaque = new Set(sources.filter(([path]) => path.startsWith('kernels/runtime/'))
  .flatMap(([, source]) => [...source.matchAll(/\bstruct (lab_\w+)\b/g)].map(([, tag]) => tag))
  .filter((tag) => !tags.some((one) => one.tag === tag && one.path.startsWith('kernels/runtime/'))));

test('no tag that crosses a file is defined twice', () => {
  assert.ok(tags.length > 500, `found only ${tags.length} tags: does the pattern still match?`);
  const crosses = ({ path, tag }) => tag.startsWith('lab_') || (path.endsWith('.h') && !path.startsWith('tests/'));
  const places = new Map();
  for (const { path, tag } of tags.filter(crosses)) places.set(tag, [...(places.get(tag) ?? []), path]);
  const mayDefine = /^(kernels\/(cuda|host)|tests)\//;
  const wrong = [...places].filter(([tag, paths]) => paths.length > 1 && !(opaque.has(tag) && paths.every((path) => mayDefine.test(path))));
  assert.deepEqual(wrong.map(([tag, paths]) => `${tag}: ${paths.join(', ')}`), []);
});

test('a runtime defines each of its types once', () => {
  const wrong = [...opaque].flatMap((tag) => ['kernels/cuda/', 'kernels/host/']
    .map((folder) => tags.filter((one) => one.tag === tag && one.path.startsWith(folder)).map(({ path }) => path))
    .filter((paths) => paths.length > 1).map((paths) => `${tag}: ${paths.join(', ')}`));
  assert.ok(opaque.size > 5 && opaque.has('lab_stream'), `${[...opaque]}`);
  assert.deepEqual(wrong, []);
});
