// The page's event stream. There is one connection for the whole page, because browsers allow about six connections to
// one server. It is read with fetch instead of EventSource in order to detect a silent connection, to retry after HTTP
// errors and to send headers. A hidden page disconnects after a while and later resumes where it stopped.

import { credentials, placed } from '../place.js';
import { address } from './api.js';
import { createParser } from './sse.js';

const SILENCE_MS = 45_000; // without data for this time (three heartbeats) the connection counts as broken
const HIDDEN_MS = 60_000; // a page hidden for this time disconnects
const FREQUENT = ['run.progress', 'measurement', 'device.telemetry']; // types that change no list of runs, queue or devices
const RETRY_MS = [500, 1000, 2000, 4000, 8000]; // waits before the first, second, … retry; the last one repeats

const listeners = new EventTarget();
let lastId = ''; // id of the last event received
let failures = 0; // attempts to connect since the last success
let streamController = null; // AbortController of the stream that is open or being opened
let retryTimer = null;
let state = 'connecting';
let changes = 0; // events so far that are not FREQUENT, and times that events may have been missed

/** Calls `handler(data)` for each event of `type` until `signal` is aborted. Types are those of the API (run.updated,
 * run.deleted, queue.updated, run.progress, run.output, measurement, device.telemetry, and reset: events were missed,
 * perhaps because the lab has restarted) and two of the page: `missed` (after a reset, when the stream is first open,
 * and as watchMissed says: fetch everything shown again) and `connection` (data is "live", "lost" or "signed-out"). */
export function on(type, handler, signal) {
  listeners.addEventListener(type, (event) => handler(event.detail), { signal });
}

/** The state of the connection: "connecting", "live", "lost", or "signed-out": events need a token. */
export const connection = () => state;

function emit(type, detail) {
  listeners.dispatchEvent(new CustomEvent(type, { detail }));
}

function emitMissed() {
  changes += 1;
  emit('missed', null);
}

/** Called before a view fetches its data. Returns a function to call when the view is shown: it emits `missed` if
 * events have arrived meanwhile, because the view may not have listened yet. */
export function watchMissed() {
  const before = changes;
  return () => changes !== before && emitMissed();
}

function setState(next) {
  if (state === next) return;
  state = next;
  emit('connection', next);
}

function dispatch({ type, data, id }) {
  lastId = id;
  let parsed;
  try {
    parsed = JSON.parse(data);
  } catch {
    return; // ignored: every event of the lab is JSON
  }
  emit(type, parsed);
  if (type === 'reset') emitMissed();
  else if (!FREQUENT.includes(type)) changes += 1;
}

/** Connects and reads events until the stream ends; then schedules a retry, unless disconnect() ended it. */
async function readStream() {
  const controller = new AbortController();
  streamController = controller;
  let silenceTimer = null;
  const restartSilenceTimer = () => {
    clearTimeout(silenceTimer);
    silenceTimer = setTimeout(() => controller.abort(), SILENCE_MS);
  };
  try {
    restartSilenceTimer();
    const headers = { Accept: 'text/event-stream', ...(lastId && { 'Last-Event-ID': lastId }) };
    const answer = await fetch(placed(address('/events')), { headers, signal: controller.signal, cache: 'no-store', credentials });
    if (answer.status === 401) return stopSignedOut(controller);
    if (!answer.ok) throw new Error(`status ${answer.status}`);
    const again = failures > 0;
    failures = 0;
    setState('live');
    if (!lastId) {
      // Without an id to resume from, events may have been missed.
      if (again) emit('reset', null);
      emitMissed();
    }
    const parser = createParser(dispatch);
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { value, done } = await reader.read();
      if (done) break;
      restartSilenceTimer();
      parser.feed(value);
    }
  } catch {
    // The network, the silence timer or disconnect() ended the stream; all are handled alike.
  } finally {
    clearTimeout(silenceTimer);
    if (streamController === controller) {
      streamController = null;
      scheduleRetry();
    }
  }
}

/** Does not connect again: the page is loaded again when someone has signed in. */
function stopSignedOut(controller) {
  if (streamController === controller) streamController = null;
  setState('signed-out');
}

function scheduleRetry() {
  const wait = RETRY_MS[Math.min(failures, RETRY_MS.length - 1)];
  failures += 1;
  if (failures > 1) setState('lost');
  retryTimer = setTimeout(readStream, wait);
}

function disconnect() {
  clearTimeout(retryTimer);
  const openStream = streamController;
  streamController = null; // keeps readStream() from scheduling a retry
  openStream?.abort();
}

function watchVisibility() {
  let timer = null;
  document.addEventListener('visibilitychange', () => {
    clearTimeout(timer);
    if (document.hidden) timer = setTimeout(disconnect, HIDDEN_MS);
    else if (!streamController) reconnect();
  });
}

/** Reconnects now, without waiting for the next retry. */
export function reconnect() {
  disconnect();
  readStream();
}

/** Opens the stream. Called once, when the page starts. */
export function connect() {
  watchVisibility();
  window.addEventListener('pagehide', disconnect);
  window.addEventListener('pageshow', (event) => event.persisted && reconnect());
  readStream();
}
