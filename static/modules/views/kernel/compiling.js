// Compiles the text of the editor: after a pause of typing, or when asked.

import * as api from '../../lab/api.js';

const PAUSE_MS = 600; // without a change, before the text is compiled

/** Returns {soon(), now(), stop()}. `request()` returns the body of the request. `shown(state)` is called with {phase, request,
 * answer, error}: the phase is "compiling", "waiting" (the lab is measuring and the request is sent again), "done" with an answer,
 * or "failed" with an error. A newer text ends the request for an older one. now() returns a promise of the answer for the
 * present text; null if there is none. */
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
    if (last.text === text) return last.answer;
    controller = new AbortController();
    const own = controller.signal;
    const show = (state) => own.aborted || shown({ request: body, answer: null, error: null, ...state });
    show({ phase: 'compiling' });
    try {
      const answer = await compileWhenFree(body, own, (error) => show({ phase: 'waiting', error }));
      if (own.aborted) return null;
      last = { text, answer };
      show({ phase: 'done', answer });
      return answer;
    } catch (error) {
      show({ phase: 'failed', error });
      return null;
    }
  }

  return {
    now,
    stop,
    soon() {
      stop();
      timer = setTimeout(now, PAUSE_MS);
    },
  };
}

/** Compiles; while the lab asks to try again later, calls waiting(error) and does so. */
export async function compileWhenFree(body, signal, waiting = () => {}) {
  for (;;)
    try {
      return await api.compile(body, signal);
    } catch (error) {
      if (!error.retryAfter || signal.aborted) throw error;
      waiting(error);
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
