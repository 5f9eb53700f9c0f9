// The lab's names in words: values of axes and parameters, run states, reasons to stop. A name that is not listed is
// shown as it is, hyphens as spaces, so that a new experiment needs nothing here.

import { bytes, plain } from './format.js';

const VALUES = {
  direction: { h2d: 'host → device', d2h: 'device → host', d2d: 'within the device', both: 'both directions' },
  memory: { 'write-combined': 'write-combined', device: 'device memory' },
  engine: { copy: 'copy engine', sm: 'kernel' },
  pattern: { contiguous: 'one piece', pieces: 'many pieces', pitched: 'rows in one call', rows: 'a call a row' },
  opposing: { true: 'other direction busy too', false: 'other direction idle' },
  peer_access: { true: 'peer access', false: 'no peer access' },
  in_place: { true: 'in place', false: 'out of place' },
  variant: { 'breadth-first-events': 'breadth first, with events' },
  kernel: { waves: 'sine and cosine', average: 'average of two inputs', increment: 'increment' },
  replay: { stream: 'call by call', graph: 'as a graph' },
  weight: { 0: 'balanced' },
  phase: { up: 'copy up', down: 'copy down' },
};

/** The words of a value that has some of its own, else undefined. */
export const ownWords = (name, value) => VALUES[name]?.[String(value)];

/** One value of an axis or a parameter in words. `unit` decides about numbers. */
export function valueWords(name, value, unit) {
  const own = ownWords(name, value);
  if (own) return own;
  if (value === null || value === undefined) return '–';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') {
    if (unit === 'B') return bytes(value);
    return unit && unit !== '1' ? `${plain(value, 6)}\u00a0${unit}` : plain(value, 6);
  }
  return String(value).replaceAll('-', ' ');
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
