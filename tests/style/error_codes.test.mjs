// The error codes: one table, without rows that nothing uses, and no code that is compared as text.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { errorCodes } from '../harness/error_codes.mjs';
import { root, trackedFiles } from './files.mjs';

const table = 'kernels/core/error_codes.h';
const sources = trackedFiles('kernels', 'db', 'server').filter((path) => /\.(c|h|cu|cuh)$/.test(path) && path !== table)
  .map((path) => [path, readFileSync(join(root, path), 'utf8')]);

test('the values of the enumeration are the names of the codes, each of which is there once', () => {
  const codes = errorCodes();
  assert.ok(codes.length > 100);
  assert.deepEqual(codes.map(({ value }) => value), codes.map(({ name }) => name.toUpperCase().replaceAll('-', '_')));
  assert.equal(new Set(codes.map(({ name }) => name)).size, codes.length);
});

test('every code is used', () => {
  const used = new Set(sources.flatMap(([, text]) => [...text.matchAll(/\bLAB_ERROR_(\w+)/g)].map(([, value]) => value)));
  assert.deepEqual(errorCodes().filter(({ value }) => !used.has(value)).map(({ name }) => name), []);
});

test('no code is compared as text, but where it is read', () => {
  const readers = ['kernels/core/error_codes.c', 'kernels/core/error_json.c'];
  const compared = /\bstrn?(?:case)?cmp\((?=[^;{}]*?\b(?:code|lab_error_name)\b)[^;{}]*/g;
  assert.deepEqual(sources.filter(([path]) => !readers.includes(path)).flatMap(([path, text]) => [...text.matchAll(compared)].map(([found]) => `${path}: ${found}`)), []);
});
