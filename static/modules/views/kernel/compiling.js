// Compiles the text of the editor: after a pause of typing, or when asked.

import * as api from '../../lab/api.js';

const PAUSE_MS = 600; // without a change, before the text is compiled

/** Returns {soon(), now()}. `request()` returns the body of the request. `shown(state)` is called with {phase, request,
 * answer, error}: the phase is "compiling", "waiting" (the lab is measuring and the request is sent again), "done" with
 * an answer, or "failed" with an error. A newer text ends the request for an older one. now() returns a promise of what
 * is known of the present text: "compiled", "rejected", "waiting" or "failed"; it does not wait until the lab has
 * measured. */
export function compiling({ request, shown, signal }) {
  let timer = null;
  let controller = null;
  let last = { text: '', answer: null };
  signal.addEventListener('abort', stop);

  function stop() {
    clearTimeout(timer);
    controller?.abort();
  }

  async function now() {
    stop();
    const body = request();
    const text = JSON.stringify(body);
    controller = new AbortController();
    const own = controller.signal;
    const show = (state) => own.aborted || shown({ request: body, answer: null, error: null, ...state });
    try {
      if (last.text !== text) {
        show({ phase: 'compiling' });
        last = { text, answer: await api.compile(body, own) };
      }
      show({ phase: 'done', answer: last.answer });
      return last.answer.status;
    } catch (error) {
      const phase = error.retryAfter ? 'waiting' : 'failed';
      show({ phase, error });
      if (phase === 'waiting' && !own.aborted) timer = setTimeout(now, error.retryAfter * 1000);
      return phase;
    }
  }

  return {
    now,
    soon() {
      stop();
      timer = setTimeout(now, PAUSE_MS);
    },
  };
}

const REMEMBERED_MAX = 16; // answers

/** Returns a function of a request that compiles when the lab is free, and remembers the last answers. */
export function compilingOnce(signal) {
  const answers = new Map(); // promises by request
  return (body) => {
    const key = JSON.stringify(body);
    if (!answers.has(key)) {
      const answer = compileWhenFree(body, signal);
      answers.set(key, answer);
      answer.catch(() => answers.delete(key));
      if (answers.size > REMEMBERED_MAX) answers.delete(answers.keys().next().value);
    }
    return answers.get(key);
  };
}

/** Compiles; while the lab asks to try again later, does so. */
async function compileWhenFree(body, signal) {
  for (;;)
    try {
      return await api.compile(body, signal);
    } catch (error) {
      if (!error.retryAfter || signal.aborted) throw error;
      await pause(error.retryAfter * 1000, signal);
    }
}

const pause = (ms, signal) =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
