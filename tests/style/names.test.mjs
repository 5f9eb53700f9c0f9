// Names: a tag that crosses a file means one thing in the whole tree, and verbs say how something is made and unmade.
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

/** The functions that headers declare. */
const functions = new Set(sources.filter(([path]) => /^(kernels|server|db)\/.*\.h$/.test(path))
  .flatMap(([, source]) => [...source.matchAll(/\b(lab_\w+)\s*\(/g)].map(([, name]) => name)));

test('what is made is unmade by the verb that belongs to it', () => {
  const verbs = { create: 'free', init: 'release', start: 'stop', open: 'close' };
  const objects = [...new Set([...functions].map((name) => /^(.*)_(?:create|init|start|open)$/.exec(name)?.[1]).filter(Boolean))];
  assert.ok(objects.length > 30);
  const has = (object) => (verb) => functions.has(`${object}_${verb}`);
  const wrong = objects.map((object) => {
    const belong = Object.keys(verbs).filter(has(object)).map((verb) => verbs[verb]);
    return { object, belong, found: ['free', 'release', 'stop', 'close', 'destroy'].filter(has(object)) };
  }).filter(({ belong, found }) => found.length > 0 && !found.some((verb) => belong.includes(verb)));
  assert.deepEqual(wrong, []);
  assert.deepEqual([...functions].filter((name) => name.endsWith('_destroy')), []);
});

test('the object comes before the verb', () => {
  assert.deepEqual([...functions].filter((name) => /^lab_(call|choose|delete|find|get|read)_/.test(name)), []);
});
