// When work is done: after a frame, at most once per frame, after a pause, with idle time in between, and only for
// other values.

/** A promise that is fulfilled when the next frame has been painted, for work that may be done after drawing. */
export const painted = () => new Promise((fulfil) => requestAnimationFrame(() => setTimeout(fulfil)));

/** Returns a function that schedules `work` for the next frame. Several calls before that frame run it once. Nothing
 * runs after `signal` is aborted. */
export function oncePerFrame(work, signal) {
  let requested = false;
  return () => {
    if (requested) return;
    requested = true;
    requestAnimationFrame(() => {
      requested = false;
      if (!signal?.aborted) work();
    });
  };
}

/** Returns a function that calls `work` when it was not called for `pause_ms`, because events often arrive together. */
export function afterPause(work, pause_ms) {
  let timer = null;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(work, pause_ms);
  };
}

/** Returns a function that calls `draw` unless its values are those of the time before: elements that replace equal
 * ones take from the user a click that has begun, the focus and the selection. */
export function whenChanged(draw) {
  let last = null;
  return (...values) => {
    const text = JSON.stringify(values);
    if (text === last) return;
    last = text;
    draw(...values);
  };
}

const IDLE_FACTOR = 4; // idle time as a multiple of the time that the work took
const IDLE_MS_MAX = 2000; // limit, because work in a suspended tab seems to take very long

/** Like oncePerFrame, for work that may take long: afterwards the browser is left idle for IDLE_FACTOR times as long as
 * the work, including layout and painting, took. The returned function called with true does not wait for the end of
 * the idle time. */
export function throttled(work, signal) {
  let requested = false;
  let idleTimer = null;
  const begin = oncePerFrame(() => {
    const began = performance.now();
    requested = false;
    clearTimeout(idleTimer);
    // A timer set in a frame fires after that frame was painted.
    idleTimer = setTimeout(() => {
      idleTimer = setTimeout(idleEnded, Math.min(IDLE_MS_MAX, IDLE_FACTOR * (performance.now() - began)));
    });
    work();
  }, signal);
  function idleEnded() {
    idleTimer = null;
    if (requested) begin();
  }
  return (now = false) => {
    requested = true;
    if (now || !idleTimer) begin();
  };
}
