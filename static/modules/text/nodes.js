// The machines of the lab (nodes of the API) in words.

import { plural } from './format.js';

/** By transport of the API: how workers are started on a machine; `target` is the host or the partition. */
const TRANSPORTS = {
  local: () => 'this machine',
  ssh: (target) => `by ssh, host ${target}`,
  slurm: (target) => `by Slurm, partition ${target}`,
};

/** "this machine", "by ssh, host gpu1" */
export const transportText = ({ transport, target }) => TRANSPORTS[transport]?.(target) ?? `by ${transport}, ${target}`;

/** By state of the API: the tone (colour) and the word shown. */
const STATES = {
  starting: ['', 'starting'],
  idle: ['good', 'idle'],
  running: ['active', 'measuring'],
  held: ['bad', 'no worker answers'],
  paused: ['warn', 'paused'],
};

/** The state of a machine: {tone, word}. */
export function nodeState({ state }) {
  const [tone, word] = STATES[state] ?? ['', state];
  return { tone, word };
}

/** "3 runs wait", "no run waits" */
export const waitingText = ({ queued }) => (queued ? `${plural(queued, 'run')} ${queued === 1 ? 'waits' : 'wait'}` : 'no run waits');

/** The models of devices with their numbers: "8 × NVIDIA H200, Quadro RTX 8000"; '' for none. */
export function modelsText(devices) {
  const counts = new Map();
  for (const { name } of devices) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].map(([name, count]) => (count > 1 ? `${count} × ${name}` : name)).join(', ');
}

/** The machines on which a run is executed: the names of those that have its devices; of a run of an older version its
 * host. */
export function machinesOf({ devices, host }) {
  const names = new Set((devices ?? []).map(({ node }) => node).filter(Boolean));
  return names.size ? [...names] : [host].filter(Boolean);
}
