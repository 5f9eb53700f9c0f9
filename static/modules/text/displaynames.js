// Display names: values of axes and parameters, run statuses, stop reasons. A name that is not listed is shown as it
// is, with spaces for hyphens, so a new experiment needs no change here.

import { bytes, plain, plural } from './format.js';

/** Display names of values, by the name of the axis or parameter. The steps are shortened from their titles. */
const VALUES = {
  direction: { h2d: 'host → device', d2h: 'device → host', d2d: 'within the device', both: 'both directions' },
  memory: { 'write-combined': 'write-combined', device: 'device memory' },
  check: {
    h2d: 'host → device',
    d2h: 'device → host',
    memory: 'device memory',
    gemm: 'matrix product',
    p2p: 'device → device',
  },
  engine: { copy: 'copy engine', sm: 'kernel' },
  throttle: { 'power-cap': 'power-limited' },
  access: { read: 'reads', write: 'writes' },
  pattern: {
    contiguous: 'contiguous',
    pieces: 'many small copies',
    pitched: 'pitched rows, one 2D copy',
    rows: 'one copy per row',
    pair: 'each pair',
    'both-ways': 'both directions at once',
    'one-to-all': 'one-to-all',
    'all-to-one': 'all-to-one',
    'all-to-all': 'all-to-all',
    'host-up': 'host → all devices',
    'host-down': 'all devices → host',
  },
  schedule: { together: 'all together', steps: 'in steps' },
  opposing: { true: 'opposite direction busy', false: 'opposite direction idle' },
  peer_access: { true: 'peer access', false: 'no peer access' },
  in_place: { true: 'in place', false: 'out of place' },
  operation: {
    'all-reduce': 'all-reduce',
    'reduce-scatter': 'reduce-scatter',
    'all-gather': 'all-gather',
    'all-to-all': 'all-to-all',
  },
  variant: {
    'breadth-first-events': 'breadth first, with events',
    'one-thread-synchronous': 'one thread, blocking copies',
    'thread-per-device-synchronous': 'thread per device, blocking copies',
    'all-to-all': 'all-to-all copies only',
    local: 'local transposes only',
    synchronize: 'synchronise without work',
    event: 'wait for an event without work',
    'launch-synchronize': 'launch, synchronise',
    'launch-event': 'launch, wait for event',
    'launch-poll': 'launch, poll event',
    'every-k': 'residual every k iterations',
    exposed: 'exchange exposed',
    hidden: 'exchange hidden behind computing',
    even: 'equal blocks',
    'long-last': 'long blocks last',
    'long-first': 'long blocks first',
  },
  preset: {
    quick: 'Quick',
    source: 'As in the source',
    thorough: 'Thorough',
    thin: 'Thin products',
    deep: 'Deep products',
    'async-api': 'asyncAPI',
  },
  scaling: { strong: 'strong scaling', weak: 'weak scaling' },
  kernel: { waves: 'sine and cosine', average: 'average of two inputs', increment: 'increment' },
  replay: { stream: 'stream calls', graph: 'graph' },
  weight: { 0: 'automatic' },
  chunks: { 0: 'automatic' },
  elements: { 0: 'automatic' },
  length: { 0: 'automatic' },
  m: { 0: 'swept' },
  n: { 0: 'swept' },
  k: { 0: 'swept' },
  phase: { up: 'H2D copy', down: 'D2H copy' },
  kind: {
    'copy-up': 'H2D copy',
    'copy-down': 'D2H copy',
    'copy-device': 'D2D copy',
    'copy-peer': 'P2P copy',
    'copy-other': 'other copy',
    set: 'memset',
    call: 'CUDA call',
    wait: 'CUDA call that waits',
    range: 'NVTX range',
  },
  device_count: { 0: 'all' },
  step: {
    'tiled-8': 'tiling 8\u00a0×\u00a08',
    'tiled-16': 'tiling 16\u00a0×\u00a016',
    'tiled-32': 'tiling 32\u00a0×\u00a032',
    'register-tiles': '2D block tiling',
    vectorized: 'vectorised loads',
    'double-buffered': 'double buffering',
    'warp-tiled': 'warp tiling',
    mma: 'tensor cores (mma.sync)',
    wgmma: 'WGMMA + TMA',
    blocked: 'packing and micro-kernel',
    cublas: 'cuBLAS',
    openblas: 'OpenBLAS',
  },
  layout: { nn: 'B row-major (nn)', tn: 'B column-major (tn)' },
  backend: { cuda: 'CUDA', host: 'CPU' },
  libraries: { 'nvidia-ml': 'nvidia-ml' },
};

/** Axes whose numbers are shown as a phrase such as "2 devices". */
const NUMBER_PHRASES = {
  device_count: (count) => plural(count, 'device'),
  device: (position) => `device ${position}`,
};

/** The display name listed for a value; undefined when none is listed. */
export const displayName = (name, value) => VALUES[name]?.[String(value)];

const NAME_LENGTH_MIN = 3; // shorter names are parts of many words

/** What the lab calls the values whose display names contain `text`: the value itself or, of a number or a boolean, the
 * name of its axis or parameter. */
export function rawNames(text) {
  const wanted = text.toLowerCase();
  const found = Object.entries(VALUES).flatMap(([name, values]) =>
    Object.entries(values)
      .filter(([, shown]) => shown.toLowerCase().includes(wanted))
      .map(([value]) => (/^(\d+|true|false)$/.test(value) ? name : value)),
  );
  return [...new Set(found)].filter((name) => name.length >= NAME_LENGTH_MIN);
}

/** A value of an axis or a parameter as text; numbers are formatted by `unit`. */
export function valueText(name, value, unit) {
  const listed = displayName(name, value);
  if (listed) return listed;
  if (typeof value === 'number' && NUMBER_PHRASES[name]) return NUMBER_PHRASES[name](value);
  if (value === null || value === undefined) return '–';
  if (value === '') return 'default'; // of a choice that may be left out
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') {
    if (unit === 'B') return bytes(value);
    return unit && unit !== '1' ? `${plain(value, 6)}\u00a0${unit}` : plain(value, 6);
  }
  return String(value).replaceAll('-', ' ');
}

/** A value of an axis as text. `axis.values` may name the values (rundevices.js does so for device ids). */
export const axisValueText = (axis, value) => axis.values?.get(value) ?? valueText(axis.name, value, axis.unit);

/** Whether the values of an axis are understood without its title. */
export const needsNoTitle = ({ name }) => name in NUMBER_PHRASES;

/** Whether a value is such a phrase; the short name of a device, "#0", is none. */
const isPhrase = (axis, text) => needsNoTitle(axis) && !text.startsWith('#');

/** A value with the title of its axis where the value alone would be unclear: "chunks 4", "from #0", "2 devices". */
export function labelledValue(axis, value) {
  const text = axisValueText(axis, value);
  const isUnclear = typeof value === 'number' || axis.values?.has(value) || text === 'yes' || text === 'no';
  return isUnclear && !isPhrase(axis, text) ? `${axis.title.toLowerCase()} ${text}` : text;
}

/** A value in a list of facts: "host memory: pinned", "2 devices", "no peer access". */
export function titledValue(axis, value) {
  const text = axisValueText(axis, value);
  const isClear = isPhrase(axis, text) || (typeof value === 'boolean' && displayName(axis.name, value));
  return isClear ? text : `${axis.title.toLowerCase()}: ${text}`;
}

/** Words that titleFromName writes in capitals. */
const ABBREVIATIONS = new Set([
  'id',
  'cpu',
  'gpu',
  'uuid',
  'pci',
  'pcie',
  'ecc',
  'numa',
  'cuda',
  'sm',
  'l2',
  'nvml',
  'nccl',
  'cupti',
  'mig',
]);

/** "min_bytes" -> "Min bytes", "numa_node" -> "NUMA node": the title for a name to which no title is given. */
export function titleFromName(name) {
  const text = name
    .split(/[_-]/)
    .map((word) => (ABBREVIATIONS.has(word) ? word.toUpperCase().replace('PCIE', 'PCIe') : word))
    .join(' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Run statuses: the word shown and the tone that selects its colour. */
export const STATUSES = {
  queued: { word: 'queued', tone: 'waiting' },
  running: { word: 'running', tone: 'active' },
  succeeded: { word: 'succeeded', tone: 'good' },
  failed: { word: 'failed', tone: 'bad' },
  cancelled: { word: 'cancelled', tone: 'quiet' },
  interrupted: { word: 'interrupted', tone: 'warn' },
};

export const isLive = (status) => status === 'queued' || status === 'running';

/** Explanations of a measurement's stop_reason: why no more samples were taken. */
export const STOP_REASONS = {
  converged: 'the noise fell to the requested limit',
  'noise-stable': 'more samples no longer reduced the noise',
  'sample-limit': 'the maximum number of samples was taken',
  drifting: 'the samples still became faster or slower when the time budget or the maximum number of samples was reached',
  budget: 'the time budget was used up',
  cancelled: 'the run was cancelled',
};
