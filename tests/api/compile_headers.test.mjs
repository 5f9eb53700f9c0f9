// The headers of the CUDA toolkit for devices compile in little memory, as with plain NVRTC. Needs NVRTC with its
// headers, but no GPU. tests/compiler/headers.mjs tries each header alone, and shows NVRTC's verdict on those that
// fail.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { compileBehind, deviceHeaders, plainNvrtc } from '../harness/headers.mjs';
import { build } from '../harness/lab.mjs';

const found = await plainNvrtc([]);
const skip = !found && 'there is no NVRTC, or it has no headers';

for (const group of ['cub/block', 'cub/warp', 'cub/thread', 'cooperative_groups'])
  test(`all headers of ${group} compile together`, { skip }, async (t) => {
    const headers = deviceHeaders(found.folders, [group]);
    if (!headers.length) return t.skip('the toolkit has none');
    assert.equal(await compileBehind(headers), 'compiled');
  });

const features = ['cuda/atomic', 'cuda/barrier', 'cuda/pipeline', 'cuda/ptx', 'cuda/std/complex', 'cuda/std/numeric', 'cuda/std/tuple', 'curand_kernel.h', 'mma.h', 'cuda_fp8.h'];
test('headers of many kinds compile together', { skip }, async () => {
  const headers = deviceHeaders(found.folders).filter((header) => features.includes(header));
  assert.ok(headers.includes('cuda/atomic'), headers.join(' '));
  assert.equal(await compileBehind(headers), 'compiled');
});

test('a driver on the machine takes no address space from the compiler', { skip }, async () => {
  const headers = deviceHeaders(found.folders).filter((header) => features.includes(header));
  assert.equal(await compileBehind(headers, { LD_LIBRARY_PATH: join(build, 'driver') }), 'compiled');
});
