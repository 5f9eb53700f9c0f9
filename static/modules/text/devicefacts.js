// The properties of a device as facts for display: groups, titles and units. The suffix of a property's name gives its
// unit (_bytes, _hz, _bytes_per_s, _flops); a property that is not listed is shown under "Other".

import { bytes, flops, frequency, plain, rate, seconds, UNKNOWN } from './format.js';
import { titleFromName } from './displaynames.js';

const SPACE = '\u00a0'; // no-break space, as format.js writes between number and unit

/** The groups in order of display: [title, {name of the property: title}]. */
const GROUPS = [
  [
    'Compute',
    {
      compute_capability: 'Compute capability',
      multiprocessors: 'Multiprocessors',
      cuda_cores: 'CUDA cores',
      clock_hz: 'Maximum clock',
      fp32_peak_flops: 'Peak fp32, cores',
      fp64_peak_flops: 'Peak fp64, cores',
      tensor_fp64_peak_flops: 'Peak fp64, tensor cores',
      tensor_tf32_peak_flops: 'Peak tf32, tensor cores',
      tensor_bf16_peak_flops: 'Peak bf16, tensor cores',
      tensor_fp16_peak_flops: 'Peak fp16, tensor cores',
      tensor_fp8_peak_flops: 'Peak fp8, tensor cores',
      warp_size: 'Warp size',
      copy_engines: 'Copy engines',
      compute_mode: 'Compute mode',
    },
  ],
  [
    'Memory',
    {
      total_memory_bytes: 'Memory',
      memory_peak_bytes_per_s: 'Peak bandwidth',
      memory_clock_hz: 'Memory clock',
      memory_bus_bits: 'Bus width',
      l2_bytes: 'L2 cache',
      persisting_l2_max_bytes: 'Maximum persisting L2',
      constant_memory_bytes: 'Constant memory',
      shared_per_multiprocessor_bytes: 'Shared memory per multiprocessor',
      shared_per_block_bytes: 'Shared memory per block',
      shared_per_block_optin_bytes: 'Shared memory per block, opt-in',
      reserved_shared_per_block_bytes: 'Shared memory reserved per block',
    },
  ],
  [
    'PCIe and NUMA',
    {
      pcie_max_generation: 'PCIe generation',
      pcie_max_width: 'PCIe lanes',
      pcie_peak_bytes_per_s: 'Peak bandwidth per direction',
      pci_address: 'PCI address',
      pci_root_port: 'PCI root port',
      numa_node: 'NUMA node',
      uuid: 'UUID',
    },
  ],
  [
    'Software',
    {
      driver_release: 'Driver',
      driver_version: 'CUDA version of the driver',
      runtime_version: 'Runtime version',
    },
  ],
  [
    'Capabilities',
    {
      ecc_enabled: 'ECC',
      concurrent_kernels: 'Concurrent kernels',
      can_map_host_memory: 'Can map host memory',
      unified_addressing: 'Unified addressing',
      managed_memory: 'Managed memory',
      concurrent_managed_access: 'Concurrent managed access',
      pageable_memory_access: 'Pageable memory access',
      compute_preemption: 'Compute preemption',
      cooperative_launch: 'Cooperative launch',
      cluster_launch: 'Cluster launch',
      stream_priorities: 'Stream priorities',
      persistence_mode: 'Persistence mode',
      kernel_time_limit: 'Kernel run time limit',
      integrated: 'Integrated GPU',
    },
  ],
  [
    'Limits',
    {
      max_threads_per_multiprocessor: 'Threads per multiprocessor',
      max_threads_per_block: 'Threads per block',
      max_blocks_per_multiprocessor: 'Blocks per multiprocessor',
      max_block_dim: 'Block dimensions',
      max_grid_dim: 'Grid dimensions',
      registers_per_multiprocessor: 'Registers per multiprocessor',
      registers_per_block: 'Registers per block',
      max_pitch_bytes: 'Pitch',
      texture_alignment_bytes: 'Texture alignment',
      texture_pitch_alignment_bytes: 'Texture pitch alignment',
      surface_alignment_bytes: 'Surface alignment',
      max_texture_1d: 'Texture, 1D',
      max_texture_2d: 'Texture, 2D',
      max_texture_3d: 'Texture, 3D',
      max_texture_1d_layered: 'Texture, 1D, width × layers',
      max_texture_2d_layered: 'Texture, 2D, width × height × layers',
    },
  ],
];

/** Properties shown as yes or no; some are reported as 0 or 1. */
const BOOLEANS = new Set(Object.keys(GROUPS.find(([title]) => title === 'Capabilities')[1]));

/** What values that are words mean, by property. */
const MEANINGS = {
  compute_mode: {
    default: 'several processes and threads may use it',
    'exclusive-process': 'one process at a time may use it',
    prohibited: 'no process may use it',
  },
};

// The first matching suffix applies: "_bytes_per_s" has to come before "_s".
const FORMATS_BY_SUFFIX = [
  ['_bytes_per_s', rate],
  ['_bytes', bytes],
  ['_hz', frequency],
  ['_mhz', (value) => frequency(value * 1e6)],
  ['_flops', flops],
  ['_bits', (value) => `${plain(value)}${SPACE}bit`],
  ['_c', (value) => `${plain(value, 0)}${SPACE}°C`],
  ['_w', (value) => `${plain(value, 0)}${SPACE}W`],
  ['_s', (value) => seconds(value)],
];

/** All properties in the order in which they are shown: [[name, title]]. */
export const factTitles = () => GROUPS.flatMap(([, titles]) => Object.entries(titles));

/** The value of a property as text; UNKNOWN for null. Arrays of numbers are dimensions: "1,024 × 1,024 × 64". */
export function factText(name, value) {
  if (value === null || value === undefined || value === '') return UNKNOWN;
  if (BOOLEANS.has(name) || typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) {
    return value.every((item) => typeof item === 'number')
      ? value.map((item) => plain(item)).join(' × ')
      : value.join(', ');
  }
  if (typeof value !== 'number') return [value, MEANINGS[name]?.[value]].filter(Boolean).join(': ');
  if (name === 'numa_node' && value < 0) return 'none';
  const format = FORMATS_BY_SUFFIX.find(([suffix]) => name.endsWith(suffix));
  return format ? format[1](value) : plain(value);
}

/** Whether a property has a value; an array of nulls has none. */
const isKnown = (value) =>
  value !== null &&
  value !== undefined &&
  value !== '' &&
  !(Array.isArray(value) && value.every((item) => item === null));

/** Sorts the properties of a device into groups: {groups: [{title, facts: [{name, title, text, value}]}], unknown:
 * [title]}. Groups without a known property are omitted; `unknown` lists the titles of properties without a value. */
export function factGroups(properties) {
  const ungrouped = new Set(Object.keys(properties));
  const unknown = [];
  const factOf = (name, title) => {
    ungrouped.delete(name);
    if (isKnown(properties[name]))
      return { name, title, text: factText(name, properties[name]), value: properties[name] };
    if (name in properties) unknown.push(title);
    return null;
  };
  const groups = GROUPS.map(([groupTitle, titles]) => ({
    title: groupTitle,
    facts: Object.entries(titles)
      .map(([name, title]) => factOf(name, title))
      .filter(Boolean),
  }));
  groups.push({
    title: 'Other',
    facts: [...ungrouped].map((name) => factOf(name, titleFromName(name))).filter(Boolean),
  });
  return { groups: groups.filter((group) => group.facts.length), unknown };
}

const HEADLINE_COUNT = 4;

/** The main properties of a device for its card: [{title, value, unit, note}], at most HEADLINE_COUNT, in order of
 * importance. */
export function headline(device) {
  const facts = device.properties ?? {};
  const fact = (title, text, note) => {
    const [value, ...unit] = text.split(SPACE);
    return { title, value, unit: unit.join(' '), note };
  };
  const link =
    facts.pcie_max_generation && facts.pcie_max_width
      ? `PCIe gen ${facts.pcie_max_generation} ×${facts.pcie_max_width}`
      : 'per direction';
  return [
    isKnown(facts.total_memory_bytes) && fact('Memory', bytes(facts.total_memory_bytes)),
    isKnown(facts.memory_peak_bytes_per_s) && fact('Peak memory bandwidth', rate(facts.memory_peak_bytes_per_s)),
    isKnown(facts.fp32_peak_flops) && fact('Peak fp32', flops(facts.fp32_peak_flops)),
    isKnown(facts.pcie_peak_bytes_per_s) && fact('Peak PCIe bandwidth', rate(facts.pcie_peak_bytes_per_s), link),
    isKnown(facts.multiprocessors) &&
      fact(device.backend === 'host' ? 'Cores' : 'Multiprocessors', plain(facts.multiprocessors)),
    isKnown(facts.clock_hz) && fact('Maximum clock', frequency(facts.clock_hz)),
    isKnown(facts.l2_bytes) && fact(device.backend === 'host' ? 'Last-level cache' : 'L2 cache', bytes(facts.l2_bytes)),
  ]
    .filter(Boolean)
    .slice(0, HEADLINE_COUNT);
}
