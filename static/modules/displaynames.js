// The lab's names in words: values of axes and parameters, run states, reasons to stop. A name that is not listed is
// shown as it is, hyphens as spaces, so that a new experiment needs nothing here.

import { bytes, plain, plural } from './format.js';

const VALUES = {
  direction: { h2d: 'host → device', d2h: 'device → host', d2d: 'within the device', both: 'both directions' },
  memory: { 'write-combined': 'write-combined', device: 'device memory' },
  engine: { copy: 'copy engine', sm: 'kernel' },
  access: { read: 'the target reads', write: 'the source writes' },
  pattern: {
    contiguous: 'one piece',
    pieces: 'many pieces',
    pitched: 'rows in one call',
    rows: 'a call a row',
    pair: 'each pair',
    'both-ways': 'both ways at once',
    'one-to-all': 'one-to-all',
    'all-to-one': 'all-to-one',
    'all-to-all': 'all-to-all',
    'host-up': 'host → all devices',
    'host-down': 'all devices → host',
  },
  opposing: { true: 'other direction busy too', false: 'other direction idle' },
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
    'all-to-all': 'the copies alone (all-to-all)',
    local: 'the transposes alone',
  },
  scaling: { strong: 'strong scaling', weak: 'weak scaling' },
  kernel: { waves: 'sine and cosine', average: 'average of two inputs', increment: 'increment' },
  replay: { stream: 'call by call', graph: 'as a graph' },
  weight: { 0: 'chosen by the lab' },
  chunks: { 0: 'chosen by the lab' },
  m: { 0: 'swept' },
  n: { 0: 'swept' },
  k: { 0: 'swept' },
  phase: { up: 'copy up', down: 'copy down' },
  kind: { 'copy-peer': 'copy between devices' },
  device_count: { 0: 'all' },
  step: {
    'tiled-8': 'tiles of 8\u00a0×\u00a08',
    'tiled-16': 'tiles of 16\u00a0×\u00a016',
    'tiled-32': 'tiles of 32\u00a0×\u00a032',
    mma: 'tensor cores (mma)',
    wgmma: 'tensor cores (wgmma)',
    cublas: 'cuBLAS',
    openblas: 'OpenBLAS',
  },
  layout: { nn: 'B row by row (nn)', tn: 'B column by column (tn)' },
  backend: { cuda: 'CUDA', host: 'CPU' },
};

/** Numbers that say by themselves what they are numbers of. */
const PHRASES = {
  device_count: (count) => plural(count, 'device'),
  device: (place) => `device ${place}`,
};

/** The words of a value that has some of its own, else undefined. */
export const ownWords = (name, value) => VALUES[name]?.[String(value)];

/** One value of an axis or a parameter in words. `unit` decides about numbers. */
export function valueWords(name, value, unit) {
  const own = ownWords(name, value);
  if (own) return own;
  if (typeof value === 'number' && PHRASES[name]) return PHRASES[name](value);
  if (value === null || value === undefined) return '–';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') {
    if (unit === 'B') return bytes(value);
    return unit && unit !== '1' ? `${plain(value, 6)}\u00a0${unit}` : plain(value, 6);
  }
  return String(value).replaceAll('-', ' ');
}

/** The same of an axis that may name its values itself, as those of devices do (rundevices.js). */
export const axisWords = (axis, value) => axis.values?.get(value) ?? valueWords(axis.name, value, axis.unit);

/** Whether the numbers of an axis are understood without its title. */
export const saysItself = ({ name }) => name in PHRASES;

/** A value with what it is a value of, where that does not go without saying: "chunks 4", "from #0", "2 devices". */
export function placeWords(axis, value) {
  const words = axisWords(axis, value);
  const bare = typeof value === 'number' || axis.values?.has(value) || words === 'yes' || words === 'no';
  return bare && !saysItself(axis) ? `${axis.title.toLowerCase()} ${words}` : words;
}

/** The same in a list of facts: "host memory: pinned", "2 devices", "no peer access". */
export function factWords(axis, value) {
  const words = axisWords(axis, value);
  const whole = saysItself(axis) || (typeof value === 'boolean' && ownWords(axis.name, value));
  return whole ? words : `${axis.title.toLowerCase()}: ${words}`;
}

const ABBREVIATIONS = new Set([
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

/** "min_bytes" -> "Min bytes", "numa_node" -> "NUMA node": for names that come without a title. */
export function titleFromName(name) {
  const words = name
    .split(/[_-]/)
    .map((word) => (ABBREVIATIONS.has(word) ? word.toUpperCase().replace('PCIE', 'PCIe') : word))
    .join(' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Run states: the word, and the tone that colours it. */
export const STATUSES = {
  queued: { word: 'queued', tone: 'waiting' },
  running: { word: 'running', tone: 'active' },
  succeeded: { word: 'succeeded', tone: 'good' },
  failed: { word: 'failed', tone: 'bad' },
  cancelled: { word: 'cancelled', tone: 'quiet' },
  interrupted: { word: 'interrupted', tone: 'warn' },
};

export const isLive = (status) => status === 'queued' || status === 'running';

/** Why sampling of a point ended, in a sentence. */
export const STOP_REASONS = {
  converged: 'the noise fell below what was asked for',
  'noise-stable': 'more samples no longer lowered the noise',
  'sample-limit': 'the largest number of samples was taken',
  'timed-out': 'the time budget was spent',
  cancelled: 'the run was cancelled',
};
