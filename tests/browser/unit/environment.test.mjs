// Parameters and environment of a run as groups of facts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { environmentGroups, parameterGroup } from '../../../static/modules/text/environment.js';
import { fieldsOf } from '../../../static/modules/text/schema.js';

const text = (value) => value.replaceAll('\u00a0', ' ');
const flat = (groups) => groups.map(({ title, facts }) => [title, facts.map((fact) => [fact.title, text(fact.text)])]);

test('parameters are in the order of the form, those without a field last', () => {
  const fields = fieldsOf({
    properties: {
      min_bytes: { title: 'Smallest size', type: 'integer', 'x-unit': 'B' },
      direction: { title: 'Direction', anyOf: [{ type: 'string', enum: ['h2d'] }] },
    },
  });
  const group = parameterGroup({ old_thing: [1, 2], direction: ['h2d', 'd2h'], min_bytes: 4096 }, fields);
  assert.deepEqual(flat([group]), [
    [
      'Parameters',
      [
        ['Smallest size', '4 KiB'],
        ['Direction', 'host → device, device → host'],
        ['Old thing', '1, 2'],
      ],
    ],
  ]);
});

test('all recorded values are shown, nested objects as groups, empty values omitted', () => {
  assert.deepEqual(environmentGroups(null), []);
  const groups = environmentGroups({
    numa_node: null,
    machine: { name: 'lab7', cpu: 'X', memory_bytes: 1024 },
    flags: '-O2',
    list: ['a', 'b'],
    none: [],
    variables: { CUDA_VISIBLE_DEVICES: '0' },
    empty: {},
  });
  assert.deepEqual(flat(groups), [
    [
      'Environment',
      [
        ['Flags', '-O2'],
        ['List', 'a, b'],
      ],
    ],
    [
      'Machine',
      [
        ['Name', 'lab7'],
        ['CPU', 'X'],
        ['Memory', '1 KiB'],
      ],
    ],
    ['Variables', [['CUDA_VISIBLE_DEVICES', '0']]],
  ]);
});

test('a device is listed under its name with the properties that affect results', () => {
  const device = {
    id: 'GPU-1',
    name: 'NVIDIA H200',
    ordinal: 0,
    properties: { multiprocessors: 132, l2_bytes: null, warp_size: 32, max_texture_1d: 5, driver_release: '580' },
  };
  assert.deepEqual(flat(environmentGroups({ devices: [device] })), [
    [
      'NVIDIA H200',
      [
        ['ID', 'GPU-1'],
        ['Multiprocessors', '132'],
        ['Warp size', '32'],
        ['Driver', '580'],
      ],
    ],
  ]);
});

test('properties shared by several devices are listed once', () => {
  const device = (ordinal, numa_node) => ({
    id: `GPU-${ordinal}`,
    name: 'NVIDIA H200',
    ordinal,
    properties: { multiprocessors: 132, pci_address: `0${ordinal}:00.0`, numa_node },
  });
  assert.deepEqual(flat(environmentGroups({ devices: [device(2, 0), device(3, 0)] })), [
    [
      '2 × NVIDIA H200',
      [
        ['Multiprocessors', '132'],
        ['NUMA node', '0'],
      ],
    ],
    [
      'NVIDIA H200 #2',
      [
        ['ID', 'GPU-2'],
        ['PCI address', '02:00.0'],
      ],
    ],
    [
      'NVIDIA H200 #3',
      [
        ['ID', 'GPU-3'],
        ['PCI address', '03:00.0'],
      ],
    ],
  ]);
  const other = { ...device(1, 1), name: 'Quadro', properties: { multiprocessors: 72 } };
  assert.deepEqual(
    environmentGroups({ devices: [device(0, 0), other] }).map(({ title, facts }) => [title, facts.length]),
    [
      ['NVIDIA H200 #0', 4],
      ['Quadro #1', 2],
    ],
  );
});
