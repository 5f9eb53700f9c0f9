// Requests to the HTTP API; events.js alone reads the event stream. A request returns a promise of the parsed body.
// The promise rejects with Problem after an HTTP error, and with Unreachable if the server does not answer.

import { credentials, placed } from '../place.js';

const BASE = '/api/v1';

/** An answer with an HTTP error; `title`, `detail` and `errors` are those of its problem document (RFC 9457).
 * `retryAfter`: the seconds after which the lab asks to try again, or null. */
export class Problem extends Error {
  constructor(status, body, retryAfter = null) {
    super(body?.detail || body?.title || `The lab answered with status ${status}.`);
    this.name = 'Problem';
    this.status = status;
    this.title = body?.title ?? `Status ${status}`;
    this.detail = body?.detail ?? '';
    this.errors = Array.isArray(body?.errors) ? body.errors : [];
    this.retryAfter = retryAfter;
  }
}

/** The server did not answer. */
export class Unreachable extends Error {
  constructor(cause) {
    super('The lab does not answer.', { cause });
    this.name = 'Unreachable';
  }
}

/** The address of `path` in the API, with the query {name: value}; empty values are omitted. */
export function address(path, query = {}) {
  const search = new URLSearchParams(
    Object.entries(query).filter(([, value]) => value !== '' && value !== null && value !== undefined),
  );
  return `${BASE}${path}${search.size ? `?${search}` : ''}`;
}

async function request(method, path, options) {
  return parse(await requestText(method, path, options));
}

/** Like request, but the promise is of the body as text. */
async function requestText(method, path, { query, body, headers, signal } = {}) {
  const changesState = method !== 'GET';
  const options = {
    method,
    signal,
    credentials,
    headers: { Accept: 'application/json', ...(changesState && { 'Content-Type': 'application/json' }), ...headers },
  };
  if (body !== undefined) options.body = JSON.stringify(body);
  let answer;
  let text;
  try {
    answer = await fetch(placed(address(path, query)), options);
    text = await answer.text();
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Unreachable(error);
  }
  if (!answer.ok) throw new Problem(answer.status, parse(text), Number(answer.headers.get('Retry-After')) || null);
  return text;
}

function parse(text) {
  try {
    return text ? JSON.parse(text) : null;
  } catch {
    return null;
  }
}

const encode = encodeURIComponent;

/** The answer, or `nothing` for a person whose role may not ask for it: what a view shows beside its subject. */
const unlessRefused = (answer, nothing) =>
  answer.catch((problem) => {
    if (problem.status === 403) return nothing;
    throw problem;
  });

export const devices = (signal) => request('GET', '/devices', { signal }).then((answer) => answer.devices);
/** The summary of a device as SVG text. */
export const deviceCard = (id, signal) => requestText('GET', `/devices/${encode(id)}/card.svg`, { headers: { Accept: 'image/svg+xml' }, signal });
/** The devices that runs had, those with the newest runs first: [{id, name, node, run, at}]. */
export const recordedDevices = (signal) => unlessRefused(request('GET', '/recorded-devices', { signal }), { devices: [] }).then((answer) => answer.devices);
/** The machines of the lab, with what each is doing. */
export const nodes = (signal) => request('GET', '/nodes', { signal }).then((answer) => answer.nodes);
export const node = (name, signal) => request('GET', `/nodes/${encode(name)}`, { signal });
/** What is found on a machine, which is examined meanwhile: {at, version, works, findings}. */
export const doctor = (node, signal) => request('GET', '/doctor', { query: { node }, signal });
/** The commands that a machine offers to whole programs: [{name, text, arguments, format, limit_s}]. For operators. */
export const commands = (name, signal) => request('GET', `/nodes/${encode(name)}/commands`, { signal }).then((answer) => answer.commands);
export const experiments = (signal) => request('GET', '/experiments', { signal });
/** The experiments that mention every word of a text, as in lists. */
export const experimentsMentioning = (text) => request('GET', '/experiments', { query: { q: text } }).then((answer) => answer.experiments);
export const experiment = (name, signal) => request('GET', `/experiments/${encode(name)}`, { signal });
export const runs = (query, signal) => request('GET', '/runs', { query, signal });
/** For each experiment, the run whose result stands for the experiment (`latest=result` in API.md) among the runs that
 * match the query. */
export const resultRuns = (query, signal) =>
  request('GET', '/runs', { query: { latest: 'result', status: 'succeeded', ...query }, signal }).then((answer) => answer.runs);
export const run = (id, signal) => request('GET', `/runs/${encode(id)}`, { signal });
export const runExperiment = (id, signal) => request('GET', `/runs/${encode(id)}/experiment`, { signal });
/** All measurements of a run, without samples. */
export const measurements = (id, signal) => request('GET', `/runs/${encode(id)}/measurements`, { signal }).then((answer) => answer.measurements);
/** The measurement at a position in that list, with its samples. */
export const samples = (id, position, signal) =>
  request('GET', `/runs/${encode(id)}/measurements`, { query: { samples: 'true', position }, signal }).then(({ measurements }) => measurements[0]);
/** What limits the point of the measurement at a position, and what is known of it. */
export const explanation = (id, position, signal) => request('GET', `/runs/${encode(id)}/points/${position}/explanation`, { signal });
/** The spans of a run as columns, without details. */
export const timeline = (id, signal) => request('GET', `/runs/${encode(id)}/timeline/columns`, { signal });
/** The span at a position, with its details. */
export const span = (id, position, signal) =>
  request('GET', `/runs/${encode(id)}/timeline`, { query: { position }, signal }).then(({ spans }) => spans[0]);
export const fields = (id, signal) =>
  request('GET', `/runs/${encode(id)}/fields`, { signal }).then((answer) => answer.fields);
/** Two runs point by point, {base, head}, or the sides of a run, {run}; `minimum_effect` as in API.md. */
export const compare = (query, signal) => request('GET', '/compare', { query, signal });
/** A point over time: {experiment, metric, axes, device}; `axes` is an object. */
export const series = ({ axes, ...query }, signal) =>
  request('GET', '/series', { query: { ...query, axes: JSON.stringify(axes) }, signal });
/** The points of an experiment that have a series. */
export const seriesPoints = (query, signal) => unlessRefused(request('GET', '/series/points', { query, signal }), { points: [] });
/** What people have written about a run, oldest first: [{id, created_at, author, text}]. */
export const comments = (id, signal) => request('GET', `/runs/${encode(id)}/comments`, { signal }).then((answer) => answer.comments);
export const addComment = (id, body) => request('POST', `/runs/${encode(id)}/comments`, { body });
export const removeComment = (id, comment) => request('DELETE', `/runs/${encode(id)}/comments/${encode(comment)}`);
/** What happened to the machines, by time: [{id, created_at, author, text, at, node}]. */
export const marks = (signal) => request('GET', '/marks', { signal }).then((answer) => answer.marks);
export const addMark = (body) => request('POST', '/marks', { body });
export const removeMark = (id) => request('DELETE', `/marks/${encode(id)}`);
/** Whether the headlines of a run are as usual: {model, headlines}. */
export const normal = (id, signal) => request('GET', `/runs/${encode(id)}/normal`, { signal });
/** Whether the devices of a run of the experiment health are sound: {verdict, summary, findings}. */
export const health = (id, signal) => request('GET', `/runs/${encode(id)}/health`, { signal });
export const references = (experiment, signal) =>
  request('GET', '/references', { query: { experiment }, signal }).then((answer) => answer.references);
/** The references of an experiment beside what this lab has measured on `device`, a model: {models, model, figures:
 * [{reference, measured}]}. */
export const measuredReferences = (query, signal) => request('GET', '/references/measured', { query, signal });
export const source = (experiment, { step, backend }, signal) =>
  requestText('GET', `/experiments/${encode(experiment)}/sources/${encode(step)}`, {
    query: { backend },
    headers: { Accept: 'text/plain' },
    signal,
  });
/** The OpenAPI document. */
export const description = () => request('GET', '/openapi.json');
/** Programs to begin with: [{name, title, text, lessons, files: {name: text}}]; `lessons` are names of experiments. */
export const programs = () => request('GET', '/programs').then((answer) => answer.programs);
/** Pages about CUDA and the terms of the field: {pages: [{name, title, summary, text}], terms: [{term, text, see, ru,
 * sk, zh, also}]}. */
export const guide = () => request('GET', '/guide');
export const queue = (signal) => request('GET', '/queue', { signal });
export const version = (signal) => request('GET', '/version', { signal });

/** Starts a run. Sending the same `key` again returns the same run. */
export const start = (body, key) => request('POST', '/runs', { body, headers: { 'Idempotency-Key': key } });
/** What a run would take: {points, seconds, device_bytes, host_bytes}; nothing is stored. */
export const plan = (body, signal) => request('POST', '/runs', { query: { dry_run: 'true' }, body, signal });
/** Compiles {source, device or architecture, name}; a source that is rejected is an answer, no error. */
export const compile = (body, signal) => request('POST', '/compile', { body, signal });
export const sweep = (id, signal) => request('GET', `/sweeps/${encode(id)}`, { signal });
export const startSweep = (body) => request('POST', '/sweeps', { body });
/** What a sweep would take: as `plan`, and `runs`, their number. */
export const planSweep = (body, signal) => request('POST', '/sweeps', { query: { dry_run: 'true' }, body, signal });
export const cancelSweep = (id) => request('POST', `/sweeps/${encode(id)}/cancel`, { body: {} });
/** Starts a run like the run `id`; `key` as for start. */
export const repeat = (id, key) =>
  request('POST', `/runs/${encode(id)}/repeat`, { body: {}, headers: { 'Idempotency-Key': key } });
export const cancel = (id) => request('POST', `/runs/${encode(id)}/cancel`, { body: {} });
/** Changes tags, note or `pinned` of a run that has this `revision`; "*" stands for any. Returns the run. */
export const change = (id, changes, revision) =>
  request('PATCH', `/runs/${encode(id)}`, {
    body: changes,
    headers: { 'If-Match': revision === '*' ? '*' : `"${revision}"` },
  });
export const remove = (id) => request('DELETE', `/runs/${encode(id)}`);
export const pauseQueue = (paused) => request('PUT', '/queue', { body: { paused } });

/** Who uses the page: {name, role, tokens_demanded}; signing in sets a cookie that no script can read. */
export const session = () => request('GET', '/session');
export const signIn = (token) => request('POST', '/session', { body: { token } });
export const signOut = () => request('DELETE', '/session');

/** The tokens of the lab, for admins; the answer of addToken alone has the `secret`. */
export const tokens = (signal) => request('GET', '/tokens', { signal });
export const addToken = (body) => request('POST', '/tokens', { body });
export const revokeToken = (id) => request('DELETE', `/tokens/${encode(id)}`);

/** The challenges: [{name, title, score, opens_at, closes_at, open, submissions}]; `submissions` is the number of the
 * own ones. */
export const challenges = (signal) => request('GET', '/challenges', { signal }).then((answer) => answer.challenges);
/** Documents of challenges without dates, for admins to publish. */
export const readyChallenges = (signal) => request('GET', '/ready-challenges', { signal }).then((answer) => answer.challenges);
export const challenge = (name, signal) => request('GET', `/challenges/${encode(name)}`, { signal });
export const addChallenge = (body) => request('POST', '/challenges', { body });
export const changeChallenge = (name, body) => request('PATCH', `/challenges/${encode(name)}`, { body });
export const removeChallenge = (name) => request('DELETE', `/challenges/${encode(name)}`);
/** Starts a run that is a submission; `key` as for start. */
export const submit = (name, body, key) =>
  request('POST', `/challenges/${encode(name)}/submissions`, { body, headers: { 'Idempotency-Key': key } });
/** The places on a model of devices: {models, device, score, unit, places}. */
export const challengeRanking = (name, device, signal) => request('GET', `/challenges/${encode(name)}/ranking`, { query: { device }, signal });

/** The channels by which notices go out: [{id, name, kind, private, created_at, created_by}]. For operators. */
export const channels = (signal) => request('GET', '/channels', { signal }).then((answer) => answer.channels);
export const addChannel = (body) => request('POST', '/channels', { body });
export const removeChannel = (id) => request('DELETE', `/channels/${encode(id)}`);
/** Sends a test notice; what became of it is in `notices`. */
export const testChannel = (id) => request('POST', `/channels/${encode(id)}/test`, { body: {} });
/** What channels are told of: [{id, channel, kind, experiment, metric, low, high, created_at, created_by}]. */
export const watches = (signal) => request('GET', '/watches', { signal }).then((answer) => answer.watches);
export const addWatch = (body) => request('POST', '/watches', { body });
export const removeWatch = (id) => request('DELETE', `/watches/${encode(id)}`);
/** The newest notices: [{delivery, channel, created_at, kind, title, text, state, attempts, next_at, error}]. */
export const notices = (signal) => request('GET', '/notices', { signal }).then((answer) => answer.notices);

/** The addresses of a run's data, for scripts and downloads. */
export const links = (id) => ({
  run: address(`/runs/${encode(id)}`),
  json: address(`/runs/${encode(id)}/measurements`, { samples: 'true' }),
  csv: address(`/runs/${encode(id)}/measurements.csv`),
  trace: address(`/runs/${encode(id)}/timeline.trace.json`),
  field: (name) => address(`/runs/${encode(id)}/fields/${encode(name)}`),
});

/** A new random key for `start`. Not made by crypto.randomUUID: browsers offer it only over HTTPS and on localhost. */
export function freshKey() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
