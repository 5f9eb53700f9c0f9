// Values in addresses.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pack, unpack } from '../../../static/modules/text/sharing.js';

test('a value is the same after packing and unpacking, in letters that need no escape', async () => {
  const value = { source: `// größer ≥ 1 🚀\n${'out[i] = in[i];\n'.repeat(500)}`, block: [32, 8] };
  const text = await pack(value);
  assert.match(text, /^[A-Za-z0-9_-]+$/);
  assert.ok(text.length < 400, `${text.length} letters`);
  assert.deepEqual(await unpack(text), value);
});

test('another text is refused, and one that unpacks to too much', async () => {
  await assert.rejects(unpack('not packed'));
  await assert.rejects(unpack('%%%'));
  await assert.rejects(unpack(await pack('x'.repeat(2 << 20))), /more than 1048576 bytes/);
});
