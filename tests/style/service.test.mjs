// The systemd unit allows the system calls by which gpulab-compiler and gpulab-sandbox protect the machine.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { root, trackedFiles, unit } from './files.mjs';

const text = (path) => readFileSync(join(root, path), 'utf8');

test('the unit allows seccomp and every call of Landlock that the code makes', () => {
  const sources = trackedFiles('kernels/*.c').map(text).join('');
  const made = new Set([...sources.matchAll(/syscall\(SYS_(landlock_\w+|seccomp)\b/g)].map(([, name]) => name));
  const allowed = /^SystemCallFilter=(.*)$/m.exec(unit('gpulab.service'))[1].split(' ');
  assert.equal(made.size, 4, [...made].join(', '));
  assert.deepEqual([...made].filter((name) => !allowed.includes(name)), []);
});
