// What is known of a device, put in order for people: which facts stand together, what each is called, how it is
// written. The unit is the end of a property's name (_bytes, _hz, _bytes_per_s, _flops); a property that is not
// listed still shows, under "Other".

import { bytes, flops, frequency, plain, rate, seconds, UNKNOWN } from './format.js';
import { titleFromName } from './displaynames.js';

const SPACE = '\u00a0';

const GROUPS = [
  [
    'Compute',
    {
      compute_capability: 'Compute capability',
      multiprocessors: 'Multiprocessors',
      clock_hz: 'Highest clock',
      fp32_peak_flops: 'Peak fp32',
      fp64_peak_flops: 'Peak fp64',
      tensor_fp64_peak_flops: 'Peak fp64, tensor cores',
      tensor_tf32_peak_flops: 'Peak tf32, tensor cores',
      tensor_bf16_peak_flops: 'Peak bf16, tensor cores',
      tensor_fp16_peak_flops: 'Peak fp16, tensor cores',
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
      persisting_l2_max_bytes: 'Persisting L2, at most',
      constant_memory_bytes: 'Constant memory',
      shared_per_multiprocessor_bytes: 'Shared memory per multiprocessor',
      shared_per_block_bytes: 'Shared memory per block',
      shared_per_block_optin_bytes: 'Shared memory per block, opt-in',
      reserved_shared_per_block_bytes: 'Shared memory reserved per block',
    },
  ],
  [
    'Link',
    {
      pcie_max_generation: 'PCIe generation',
      pcie_max_width: 'PCIe lanes',
      pcie_peak_bytes_per_s: 'Peak, one direction',
      pci_address: 'PCI address',
      numa_node: 'NUMA node',
      uuid: 'UUID',
    },
  ],
  [
    'Software',
    {
      driver_release: 'Driver',
      driver_version: 'CUDA of the driver',
      runtime_version: 'Runtime',
    },
  ],
  [
    'Abilities',
    {
      ecc_enabled: 'ECC',
      concurrent_kernels: 'Concurrent kernels',
      can_map_host_memory: 'Maps host memory',
      unified_addressing: 'Unified addressing',
      managed_memory: 'Managed memory',
      concurrent_managed_access: 'Concurrent managed access',
      pageable_memory_access: 'Reads pageable memory',
      compute_preemption: 'Compute preemption',
      cooperative_launch: 'Cooperative launch',
      cluster_launch: 'Cluster launch',
      stream_priorities: 'Stream priorities',
      kernel_time_limit: 'Kernel time limit',
      integrated: 'Integrated',
    },
  ],
  [
    'Limits',
    {
      max_threads_per_multiprocessor: 'Threads per multiprocessor',
      max_threads_per_block: 'Threads per block',
      max_blocks_per_multiprocessor: 'Blocks per multiprocessor',
      max_block_dim: 'Block, x × y × z',
      max_grid_dim: 'Grid, x × y × z',
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

const FLAGS = new Set(Object.keys(GROUPS.find(([title]) => title === 'Abilities')[1]));

// The first ending that fits decides; "_per_s" has to come before "_s".
const ENDINGS = [
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

/** One fact as text; UNKNOWN for null. `text` inside arrays is joined as dimensions. */
export function factText(name, value) {
  if (value === null || value === undefined || value === '') return UNKNOWN;
  if (FLAGS.has(name) || typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) {
    return value.every((item) => typeof item === 'number')
      ? value.map((item) => plain(item)).join(' × ')
      : value.join(', ');
  }
  if (typeof value !== 'number') return String(value);
  if (name === 'numa_node' && value < 0) return 'this machine has none';
  const ending = ENDINGS.find(([suffix]) => name.endsWith(suffix));
  return ending ? ending[1](value) : plain(value);
}

const isKnown = (value) =>
  value !== null &&
  value !== undefined &&
  value !== '' &&
  !(Array.isArray(value) && value.every((item) => item === null));

/** The properties of a device in their groups: {groups: [{title, facts: [{name, title, text}]}], unknown: [title]}.
 * Groups without a known fact are left out; `unknown` lists what the device does not tell. */
export function factGroups(properties) {
  const rest = new Set(Object.keys(properties));
  const unknown = [];
  const take = (name, title) => {
    rest.delete(name);
    if (isKnown(properties[name]))
      return { name, title, text: factText(name, properties[name]), value: properties[name] };
    if (name in properties) unknown.push(title);
    return null;
  };
  const groups = GROUPS.map(([title, names]) => ({
    title,
    facts: Object.entries(names)
      .map(([name, words]) => take(name, words))
      .filter(Boolean),
  }));
  groups.push({ title: 'Other', facts: [...rest].map((name) => take(name, titleFromName(name))).filter(Boolean) });
  return { groups: groups.filter((group) => group.facts.length), unknown };
}

const HEADLINES = 4;

/** The few figures that tell devices apart, largest things first: [{title, value, unit, note}]. */
export function headline(device) {
  const facts = device.properties ?? {};
  const parts = (title, text, note) => {
    const [value, ...unit] = text.split(SPACE);
    return { title, value, unit: unit.join(' '), note };
  };
  const link =
    facts.pcie_max_generation && facts.pcie_max_width
      ? `PCIe gen ${facts.pcie_max_generation} ×${facts.pcie_max_width}`
      : 'one direction';
  return [
    isKnown(facts.total_memory_bytes) && parts('Memory', bytes(facts.total_memory_bytes)),
    isKnown(facts.memory_peak_bytes_per_s) && parts('Memory peak', rate(facts.memory_peak_bytes_per_s)),
    isKnown(facts.fp32_peak_flops) && parts('fp32 peak', flops(facts.fp32_peak_flops)),
    isKnown(facts.pcie_peak_bytes_per_s) && parts('Link peak', rate(facts.pcie_peak_bytes_per_s), link),
    isKnown(facts.multiprocessors) &&
      parts(device.backend === 'host' ? 'Cores' : 'Multiprocessors', plain(facts.multiprocessors)),
    isKnown(facts.clock_hz) && parts('Highest clock', frequency(facts.clock_hz)),
    isKnown(facts.l2_bytes) &&
      parts(device.backend === 'host' ? 'Last-level cache' : 'L2 cache', bytes(facts.l2_bytes)),
  ]
    .filter(Boolean)
    .slice(0, HEADLINES);
}

/** Live figures as gauges: [{title, text, share}], share null where a bar would mean nothing. */
export function gauges(telemetry) {
  const t = telemetry ?? {};
  const share = (part, whole) =>
    part !== null && part !== undefined && whole > 0 ? Math.min(1, Math.max(0, part / whole)) : null;
  const hundredth = (value) => (isKnown(value) ? value / 100 : null);
  const of = (part, whole, write) => {
    if (!isKnown(whole)) return write(part);
    const [number, unit] = write(part).split(SPACE);
    return `${write(whole).split(SPACE)[1] === unit ? number : write(part)} of ${write(whole)}`;
  };
  const watts = (value) => `${plain(value, 0)}${SPACE}W`;
  return [
    isKnown(t.utilization_gpu) && {
      title: 'Busy',
      text: `${plain(t.utilization_gpu, 0)}${SPACE}%`,
      share: hundredth(t.utilization_gpu),
    },
    isKnown(t.memory_used_bytes) && {
      title: 'Memory in use',
      text: of(t.memory_used_bytes, t.memory_total_bytes, bytes),
      share: share(t.memory_used_bytes, t.memory_total_bytes),
    },
    isKnown(t.power_w) && {
      title: 'Power',
      text: of(t.power_w, t.power_limit_w, watts),
      share: share(t.power_w, t.power_limit_w),
    },
    isKnown(t.temperature_c) && { title: 'Temperature', text: factText('temperature_c', t.temperature_c), share: null },
    isKnown(t.sm_clock_mhz) && { title: 'SM clock', text: `${plain(t.sm_clock_mhz, 0)}${SPACE}MHz`, share: null },
    isKnown(t.memory_clock_mhz) && {
      title: 'Memory clock',
      text: `${plain(t.memory_clock_mhz, 0)}${SPACE}MHz`,
      share: null,
    },
    isKnown(t.pcie_generation) &&
      isKnown(t.pcie_width) && {
        title: 'Link now',
        text: `PCIe gen ${t.pcie_generation} ×${t.pcie_width}`,
        share: null,
      },
    isKnown(t.processes) && { title: 'Processes', text: plain(t.processes), share: null },
  ].filter(Boolean);
}
