// What all views share about the lab: its experiments, which do not change while the server lives, its devices by id,
// and the state of the queue.

import * as api from './api.js';
import * as events from './events.js';
import { devicesOf, groupWords } from './rundevices.js';

const POLL_MS = 20_000;

let experimentsAsked = null;
let known = new Map();

/** All experiments; asked for once, again after a failure or when the server was restarted. */
export function experiments() {
  experimentsAsked ??= api.experiments().catch((error) => {
    experimentsAsked = null;
    throw error;
  });
  return experimentsAsked;
}

/** The experiment of that name, undefined when the lab has none. */
export async function experiment(name) {
  return (await experiments()).find((candidate) => candidate.name === name);
}

/** What is asked for once, and again after a failure. */
function once(asked, key, ask) {
  if (!asked.has(key)) {
    const answer = ask();
    answer.catch(() => asked.delete(key));
    asked.set(key, answer);
  }
  return asked.get(key);
}

const referencesAsked = new Map();
const sourcesAsked = new Map();

/** What is published about an experiment. */
export const references = (name) => once(referencesAsked, name, () => api.references(name));

/** The code behind a step of an experiment, as text; `source` is one of the experiment's `sources`. */
export const sourceText = (name, source) =>
  once(sourcesAsked, [name, source.step, source.backend].join('/'), () => api.source(name, source));

/** The devices as they are now. */
export async function devices(signal) {
  const list = await api.devices(signal);
  known = new Map(list.map((device) => [device.id, device]));
  return list;
}

/** The device of that id as it was when it was last asked for; undefined when it is not here (any more). */
export const device = (id) => known.get(id);

/** What people call a device: its name, with its number where several are alike. The id when it is not here (any
 * more). */
export function deviceName(id) {
  const device = known.get(id);
  if (!device) return id;
  const alike = [...known.values()].filter((other) => other.name === device.name).length > 1;
  return alike ? `${device.name} #${device.ordinal}` : device.name;
}

/** The devices of a run, as people call them. */
export function devicesWords(run) {
  const list = devicesOf(run, device);
  return list.length === 1 && known.has(list[0].id) ? deviceName(list[0].id) : groupWords(list);
}

// --- the queue -----------------------------------------------------------------------------------------------------

let state = null;
const watchers = new Set();

/** Calls `watcher(queue)` now, when it is known, and at every change, until `signal` is aborted. `queue` is {length,
 * running, paused, progress} or null while the lab does not answer; progress belongs to the running run. */
export function watchQueue(watcher, signal) {
  watchers.add(watcher);
  signal?.addEventListener('abort', () => watchers.delete(watcher));
  if (state) watcher(state);
}

function tell(next) {
  state = next;
  watchers.forEach((watcher) => watcher(state));
}

/** Asks for the queue again. */
export async function refreshQueue() {
  try {
    const queue = await api.queue();
    const same = state && state.running === queue.running;
    tell({ ...queue, progress: same ? state.progress : null });
  } catch {
    tell(null);
  }
}

/** Follows the queue from now on; once, when the page starts. */
export function follow() {
  let asked = null;
  const soon = () => {
    clearTimeout(asked);
    asked = setTimeout(refreshQueue, 80); // changes come in bunches
  };
  events.on('run.updated', soon);
  events.on('reset', () => {
    experimentsAsked = null;
    sourcesAsked.clear();
    soon();
  });
  events.on('connection', soon);
  events.on('run.progress', (progress) => {
    if (state && state.running === progress.id) tell({ ...state, progress });
  });
  setInterval(() => document.hidden || soon(), POLL_MS);
  soon();
}
