// The reasons of throttling: what a reason means is in its row, so no other source decides by its name.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { root, trackedFiles } from './files.mjs';

const table = 'kernels/core/throttle_reasons.h';
const text = (path) => readFileSync(join(root, path), 'utf8');

test('the name of a reason is in its row, and on the page where it has another name to show', () => {
  const names = [...text(table).matchAll(/\bROW\(0x\w+, "([\w-]+)"/g)].map(([, name]) => name);
  assert.ok(names.length > 5, names.join());
  const sources = trackedFiles('kernels', 'db', 'server', 'static').filter((path) => /\.(c|h|cu|cuh|js|sql)$/.test(path) && path !== table);
  const named = sources.filter((path) => names.some((name) => new RegExp(`(["'])${name}\\1`).test(text(path))));
  assert.deepEqual(named, ['static/modules/text/displaynames.js']);
});
