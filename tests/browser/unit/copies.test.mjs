// Copies in a trace against the speed of their link.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withCopyRates } from '../../../static/modules/results/copies.js';

const devices = [{ properties: { pcie_peak_bytes_per_s: 63e9, memory_peak_bytes_per_s: 4.8e12 } }];
const copy = (kind, label, us) => ({ kind, label, start: 0, end: us * 1000 });
const checked = (span, axes = {}, known = devices) => withCopyRates({ axes, spans: [span] }, known).spans[0];

test('a copy faster than its link is a piece of a staged copy', () => {
  const staged = checked(copy('copy-peer', 'to device 2 · chunk 1 · 64 MiB', 24.8), { peer_access: false });
  assert.deepEqual([staged.partial, staged.rate], [true, undefined]);
  assert.equal(checked(copy('copy-down', 'part of a copy through the host · 16 MiB', 21.7)).partial, true);
});

test('a copy at the speed of its link has a rate', () => {
  const direct = checked(copy('copy-peer', 'to device 2 · chunk 1 · 16 MiB', 46.3), { peer_access: true });
  assert.equal(direct.partial, undefined);
  assert.equal(Math.round(direct.rate / 1e9), 362);
  assert.equal(Math.round(checked(copy('copy-up', 'chunk 1 · 16 MiB', 306)).rate / 1e9), 55);
});

test('kernels, labels without a size and links of unknown speed are not judged', () => {
  assert.equal(checked(copy('compute', 'chunk 1 · 16 MiB', 1)).partial, undefined);
  assert.equal(checked(copy('copy-up', 'chunk 1', 1)).rate, undefined);
  assert.equal(checked(copy('copy-up', 'chunk 1 · 16 MiB', 1), {}, [{ properties: {} }]).partial, undefined);
});
