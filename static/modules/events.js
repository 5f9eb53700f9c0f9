// The one event stream of a page. Every part listens here; nobody opens another (a browser allows about six
// connections to one server). It is read with fetch rather than EventSource, so that silence is noticed, refusals are
// retried and a request can carry headers. Hidden pages let go of it after a while and take it up again where they
// left off.

import { address } from './api.js';
import { createParser } from './sse.js';

const SILENCE_MS = 45_000; // three heartbeats
const HIDDEN_MS = 60_000;
const RETRY_MS = [500, 1000, 2000, 4000, 8000];

const listeners = new EventTarget();
let lastId = '';
let failures = 0;
let current = null; // AbortController of the stream that is open or being opened
let retry = null;
let state = 'connecting';

/** Calls `handler(data)` for each event of `type` until `signal` is aborted. Types are the API's (run.updated,
 * run.progress, measurement, device.telemetry) and two of the page's own: `reset` (events were missed: fetch again
 * what you show) and `connection` (data is "live" or "lost"). */
export function on(type, handler, signal) {
  listeners.addEventListener(type, (event) => handler(event.detail), { signal });
}

/** "connecting", "live" or "lost". */
export const connection = () => state;

function emit(type, detail) {
  listeners.dispatchEvent(new CustomEvent(type, { detail }));
}

function become(next) {
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
    return; // not ours: the stream's data are JSON
  }
  emit(type, parsed);
}

async function read() {
  const controller = new AbortController();
  current = controller;
  let silence = null;
  const heard = () => {
    clearTimeout(silence);
    silence = setTimeout(() => controller.abort(), SILENCE_MS);
  };
  try {
    heard();
    const headers = { Accept: 'text/event-stream', ...(lastId && { 'Last-Event-ID': lastId }) };
    const answer = await fetch(address('/events'), { headers, signal: controller.signal, cache: 'no-store' });
    if (!answer.ok) throw new Error(`status ${answer.status}`);
    const missed = failures > 0 && !lastId; // nothing to resume from, so something may have passed unseen
    failures = 0;
    become('live');
    if (missed) emit('reset', null);
    const parser = createParser(dispatch);
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { value, done } = await reader.read();
      if (done) break;
      heard();
      parser.feed(value);
    }
  } catch {
    // Ended by the network, by silence, or by letGo(): what follows is the same.
  } finally {
    clearTimeout(silence);
    if (current === controller) {
      current = null;
      again();
    }
  }
}

function again() {
  const wait = RETRY_MS[Math.min(failures, RETRY_MS.length - 1)];
  failures += 1;
  if (failures > 1) become('lost');
  retry = setTimeout(read, wait);
}

function letGo() {
  clearTimeout(retry);
  const open = current;
  current = null; // so that its end is not taken for a loss
  open?.abort();
}

function watchVisibility() {
  let timer = null;
  document.addEventListener('visibilitychange', () => {
    clearTimeout(timer);
    if (document.hidden) timer = setTimeout(letGo, HIDDEN_MS);
    else if (!current) reconnect();
  });
}

/** Tries at once instead of waiting for the next turn. */
export function reconnect() {
  letGo();
  read();
}

/** Opens the stream; once, when the page starts. */
export function connect() {
  watchVisibility();
  window.addEventListener('pagehide', letGo);
  window.addEventListener('pageshow', (event) => event.persisted && reconnect());
  read();
}
