// Properties of a device as texts, in groups.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import * as facts from '../../../static/modules/text/devicefacts.js';

const text = (value) => value.replaceAll('\u00a0', ' ');

test('the suffix of a name gives the unit', () => {
  assert.equal(text(facts.factText('total_memory_bytes', 2 ** 33)), '8 GiB');
  assert.equal(text(facts.factText('pcie_peak_bytes_per_s', 63e9)), '63 GB/s');
  assert.equal(text(facts.factText('clock_hz', 1.98e9)), '1.98 GHz');
  assert.equal(text(facts.factText('memory_bus_bits', 6144)), '6,144 bit');
  assert.equal(facts.factText('max_grid_dim', [2147483647, 65535, 65535]), '2,147,483,647 × 65,535 × 65,535');
  assert.equal(facts.factText('ecc_enabled', 1), 'yes');
  assert.equal(facts.factText('integrated', false), 'no');
  assert.equal(facts.factText('uuid', 'GPU-1'), 'GPU-1');
  assert.equal(facts.factText('l2_bytes', null), '–');
  assert.equal(facts.factText('numa_node', -1), 'none');
});

test('every property of facts.h belongs to a group', () => {
  const header = readFileSync(new URL('../../../kernels/facts/facts.h', import.meta.url), 'utf8');
  const body = /struct lab_device_facts \{(.*?)\n\};/s.exec(header)[1];
  const identity = ['id', 'ordinal', 'backend', 'name', 'peer_count', 'peers'];
  const names = [...body.matchAll(/^\s+(?:char|int64_t|double) (\w+)/gm)]
    .map((match) => match[1])
    .filter((name) => !identity.includes(name));
  assert.ok(names.length > 50);
  const { groups } = facts.factGroups(Object.fromEntries(names.map((name) => [name, 1])));
  assert.deepEqual(
    groups.filter(({ title }) => title === 'Other'),
    [],
  );
});

test('the two peaks of fp64 have different names', () => {
  const [{ facts: shown }] = facts.factGroups({ fp64_peak_flops: 33.5e12, tensor_fp64_peak_flops: 66.9e12 }).groups;
  assert.deepEqual(
    shown.map(({ title, text: words }) => [title, text(words)]),
    [
      ['Peak fp64, cores', '33.5 TFLOP/s'],
      ['Peak fp64, tensor cores', '66.9 TFLOP/s'],
    ],
  );
});

test('unknown properties are listed separately, new ones are shown', () => {
  const { groups, unknown } = facts.factGroups({
    total_memory_bytes: 1024,
    l2_bytes: null,
    compute_mode: '',
    max_block_dim: [null, null, null],
    new_property_bytes: 2048,
  });
  assert.deepEqual(
    groups.map(({ title, facts: list }) => [title, list.map((fact) => text(fact.text))]),
    [
      ['Memory', ['1 KiB']],
      ['Other', ['2 KiB']],
    ],
  );
  assert.deepEqual(unknown, ['Compute mode', 'L2 cache', 'Block dimensions']);
});
