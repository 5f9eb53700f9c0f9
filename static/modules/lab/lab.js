// Data about the lab that all views share: its experiments (fixed while the server runs), its devices by id, and the
// state of the queue.

import * as api from './api.js';
import * as events from './events.js';
import { addReadings } from './readings.js';
import { devicesOf, deviceGroupText } from './rundevices.js';
import { allows, person } from './session.js';
import { groupBySubject } from './subjects.js';
import { machinesOf } from '../text/nodes.js';
import { afterPause } from '../throttle.js';

const POLL_MS = 20_000;

let experimentsRequest = null;
const experimentRequests = new Map(); // by name
let devicesById = new Map();

/** {subjects, experiments}. Fetched once, and again after an error or a restart of the server. */
function fetchExperiments() {
  experimentsRequest ??= api.experiments().catch((error) => {
    experimentsRequest = null;
    throw error;
  });
  return experimentsRequest;
}

/** All experiments, as lists show them: name, title, subject, summary and number of devices. */
export const experiments = async () => (await fetchExperiments()).experiments;

/** The experiments of each subject (subjects.js). */
export async function experimentsBySubject() {
  const { subjects, experiments: all } = await fetchExperiments();
  return groupBySubject(subjects, all);
}

/** The answer of a request; undefined where the lab does not have what it asks for. */
const unlessMissing = (request) =>
  request.catch((error) => {
    if (error.status !== 404) throw error;
  });

/** All about the experiment called `name`; undefined when the lab has none. */
export const experiment = (name) => unlessMissing(cached(experimentRequests, name, () => api.experiment(name)));

/** Replaces an experiment that the lab does not have, as that of an imported run: its runs are shown with the names
 * that scripts use, and without what leads to the experiment. */
export const unknownExperiment = (name) => ({ name, title: name, parameters: {}, axes: [], metrics: [], views: [], unknown: true });

/** The same for the experiment of the run `id`; `run` is a promise of its document. The first view of the page asks
 * without waiting for it, which saves a round trip; later views may know the experiment. */
export async function experimentOfRun(id, run) {
  if (experimentRequests.size) return experiment((await run).experiment);
  const found = await unlessMissing(api.runExperiment(id));
  if (found) cached(experimentRequests, found.name, async () => found);
  return found;
}

/** Returns the promise cached in `requests` under `key`; the first time, calls `sendRequest` for it. A failed request
 * is not cached. */
function cached(requests, key, sendRequest) {
  if (!requests.has(key)) {
    const answer = sendRequest();
    answer.catch(() => requests.delete(key));
    requests.set(key, answer);
  }
  return requests.get(key);
}

const referenceRequests = new Map();
const sourceRequests = new Map();

/** The reference results of an experiment: published ones and ones that gpulab measured. */
export const references = (name) => cached(referenceRequests, name, () => api.references(name));

const programRequests = new Map();
const guideRequests = new Map();

const description = () => cached(programRequests, 'description', api.description);
const runSchema = async () => (await description()).components.schemas.NewRun.properties;

/** What a request for a run can have as `program` and as `kernel`: schemas of the OpenAPI document. */
export const programSchema = async () => (await runSchema()).program;
export const kernelSchema = async () => (await runSchema()).kernel;

/** What requests for channels and watches can have: schemas of the OpenAPI document. */
export async function noticeSchemas() {
  const { paths } = await description();
  const [channel, watch] = ['channels', 'watches'].map((name) => paths[`/api/v1/${name}`].post.requestBody.content['application/json'].schema);
  return { channel, watch };
}

/** The programs to begin with (api.js); [] where the lab has none. */
export const programs = () => cached(programRequests, 'programs', async () => (await unlessMissing(api.programs())) ?? []);

/** The commands of all machines (api.js), by name, each with the `nodes` that offer it; [] for people who may not run
 * any. */
export async function commands(signal) {
  const { role } = await person();
  if (!allows(role, 'operator')) return [];
  const nodes = await api.nodes(signal);
  const offered = await Promise.all(nodes.map(({ name }) => api.commands(name, signal).catch(() => [])));
  const byName = new Map();
  nodes.forEach(({ name: node }, at) => {
    for (const one of offered[at]) byName.set(one.name, { ...one, nodes: [...(byName.get(one.name)?.nodes ?? []), node] });
  });
  return [...byName.values()];
}

/** The guide (api.js), fetched once. */
export const guide = () => cached(guideRequests, 'guide', api.guide);

/** The source text of a step of an experiment; `source` is an entry of the experiment's `sources`. */
export const sourceText = (name, source) =>
  cached(sourceRequests, [name, source.step, source.backend].join('/'), () => api.source(name, source));

/** Fetches the devices with their current state, and keeps them for the functions below. */
export async function devices(signal) {
  const list = await api.devices(signal);
  devicesById = new Map(list.map((device) => [device.id, device]));
  addReadings(list);
  return list;
}

/** The devices of the lab, as `devices` fetches them, and those that only its runs have. */
export async function knownDevices(signal) {
  const [listed, recorded] = await Promise.all([devices(signal), api.recordedDevices(signal)]);
  return [...listed, ...recorded.filter(({ id }) => !devicesById.has(id))];
}

/** Whether the lab has devices of several machines. */
export const hasSeveralMachines = () => new Set([...devicesById.values()].map(({ node }) => node)).size > 1;

/** The device with that id, as last fetched; undefined when the server does not list it. */
export const device = (id) => devicesById.get(id);

/** The devices as last fetched. */
export const listedDevices = () => [...devicesById.values()];

/** The name of a device, with its number ("NVIDIA H200 #1") if its machine has several of that name; its id if the lab
 * does not have it. */
export function deviceName(id) {
  const found = devicesById.get(id);
  if (!found) return id;
  const isAlike = ({ name, node }) => name === found.name && node === found.node;
  const alike = [...devicesById.values()].filter(isAlike);
  return alike.length > 1 ? `${found.name} #${found.ordinal}` : found.name;
}

/** The name of a device and, where the lab has several machines, that of its machine: "NVIDIA H200 #1, gpu2". */
export function deviceTitle(id) {
  const { node } = devicesById.get(id) ?? {};
  return node && hasSeveralMachines() ? `${deviceName(id)}, ${node}` : deviceName(id);
}

/** The names of a run's devices as one text. */
export function runDevicesText(run) {
  const list = devicesOf(run, device);
  return list.length === 1 && devicesById.has(list[0].id) ? deviceName(list[0].id) : deviceGroupText(list);
}

/** The names of a run's devices and, where the lab has several machines, of the run's. */
export const runPlaceText = (run) =>
  [runDevicesText(run), ...(hasSeveralMachines() ? machinesOf(run) : [])].filter(Boolean).join(', ');

// --- the queue -----------------------------------------------------------------------------------------------------

let queueState = null;
const watchers = new Set();

/** Calls `watcher(queue)` now, if the state is known, and at every change, until `signal` is aborted. `queue` is null
 * while the lab does not answer, otherwise {length, running, runs, paused, held, progress}: that of the API, and the
 * progress of the first running run (null: unknown). */
export function watchQueue(watcher, signal) {
  watchers.add(watcher);
  signal?.addEventListener('abort', () => watchers.delete(watcher));
  if (queueState) watcher(queueState);
}

function notifyWatchers(next) {
  queueState = next;
  watchers.forEach((watcher) => watcher(queueState));
}

/** Fetches the state of the queue and passes it to the watchers. */
export async function refreshQueue() {
  try {
    const queue = await api.queue();
    const sameRun = queueState && queueState.running === queue.running;
    notifyWatchers({ ...queue, progress: sameRun ? queueState.progress : null });
  } catch {
    notifyWatchers(null);
  }
}

/** Keeps the state of the queue current from now on; it is first fetched when the event stream is open, or is known not
 * to open. Called once, when the page starts. */
export function followQueue() {
  const refreshSoon = afterPause(refreshQueue, 80);
  events.on('run.updated', refreshSoon);
  events.on('queue.updated', refreshSoon);
  events.on('reset', () => {
    experimentsRequest = null;
    experimentRequests.clear();
    sourceRequests.clear();
    programRequests.clear();
    refreshSoon();
  });
  events.on('connection', refreshSoon);
  events.on('run.progress', (progress) => {
    if (queueState && queueState.running === progress.id) notifyWatchers({ ...queueState, progress });
  });
  setInterval(() => document.hidden || refreshSoon(), POLL_MS);
}
