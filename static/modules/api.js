// Asking the server. An answer is the parsed body; a refusal is a Problem (RFC 9457) with all that was wrong; no
// answer at all is Unreachable. Everyone who asks goes through here.

const BASE = '/api/v1';

/** The server refused, and says why. */
export class Problem extends Error {
  constructor(status, body) {
    super(body?.detail || body?.title || `The lab answered with status ${status}.`);
    this.name = 'Problem';
    this.status = status;
    this.title = body?.title ?? `Status ${status}`;
    this.detail = body?.detail ?? '';
    this.errors = Array.isArray(body?.errors) ? body.errors : [];
  }
}

/** The server cannot be reached. */
export class Unreachable extends Error {
  constructor(cause) {
    super('The lab does not answer.', { cause });
    this.name = 'Unreachable';
  }
}

/** The address of a path below /api/v1; empty query values are left out. */
export function address(path, query = {}) {
  const search = new URLSearchParams(
    Object.entries(query).filter(([, value]) => value !== '' && value !== null && value !== undefined),
  );
  return `${BASE}${path}${search.size ? `?${search}` : ''}`;
}

async function ask(method, path, options) {
  return parse(await askText(method, path, options));
}

/** The answer as it came. */
async function askText(method, path, { query, body, headers, signal } = {}) {
  const write = method !== 'GET';
  const options = {
    method,
    signal,
    headers: { Accept: 'application/json', ...(write && { 'Content-Type': 'application/json' }), ...headers },
  };
  if (body !== undefined) options.body = JSON.stringify(body);
  let answer;
  let text;
  try {
    answer = await fetch(address(path, query), options);
    text = await answer.text();
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Unreachable(error);
  }
  if (!answer.ok) throw new Problem(answer.status, parse(text));
  return text;
}

function parse(text) {
  try {
    return text ? JSON.parse(text) : null;
  } catch {
    return null;
  }
}

const part = encodeURIComponent;

export const devices = (signal) => ask('GET', '/devices', { signal }).then((answer) => answer.devices);
export const experiments = (signal) => ask('GET', '/experiments', { signal }).then((answer) => answer.experiments);
export const runs = (query, signal) => ask('GET', '/runs', { query, signal });
export const run = (id, signal) => ask('GET', `/runs/${part(id)}`, { signal });
export const timeline = (id, signal) =>
  ask('GET', `/runs/${part(id)}/timeline`, { signal }).then((answer) => answer.spans);
export const references = (experiment, signal) =>
  ask('GET', '/references', { query: { experiment }, signal }).then((answer) => answer.references);
export const source = (experiment, { step, backend }, signal) =>
  askText('GET', `/experiments/${part(experiment)}/sources/${part(step)}`, {
    query: { backend },
    headers: { Accept: 'text/plain' },
    signal,
  });
export const queue = (signal) => ask('GET', '/queue', { signal });
export const version = (signal) => ask('GET', '/version', { signal });

/** Starts a run; the same `key` again gives the same run, however often it is sent. */
export const start = (request, key) => ask('POST', '/runs', { body: request, headers: { 'Idempotency-Key': key } });
export const cancel = (id) => ask('POST', `/runs/${part(id)}/cancel`, { body: {} });
export const remove = (id) => ask('DELETE', `/runs/${part(id)}`);
export const pauseQueue = (paused) => ask('PUT', '/queue', { body: { paused } });

/** Where scripts find what a run measured. */
export const links = (id) => ({
  run: address(`/runs/${part(id)}`),
  json: address(`/runs/${part(id)}/measurements`, { samples: 'true' }),
  csv: address(`/runs/${part(id)}/measurements.csv`),
  trace: address(`/runs/${part(id)}/timeline.trace.json`),
});

/** A fresh key for `start`. crypto.randomUUID is missing where the page comes over plain HTTP from another machine. */
export function freshKey() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
