// When work that was asked for is done: once a frame, and no more often than leaves the browser time for other things.

/** Runs `work` at most once a frame, however often it is asked for, until `signal` is aborted. */
export function oncePerFrame(work, signal) {
  let asked = false;
  return () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      if (!signal?.aborted) work();
    });
  };
}

const REST = 4; // times as long as the work took
const REST_MS_MAX = 2000; // after a tab was asleep it seems to have taken long

/** The same for work that may take long: after it the browser is free for other things, four times as long as it and
 * what came of it (layout, painting) took. `ask(true)` does not wait for that. */
export function unhurried(work, signal) {
  let asked = false;
  let resting = null;
  const begin = oncePerFrame(() => {
    const began = performance.now();
    asked = false;
    clearTimeout(resting);
    // A timer ends after the frame has been painted.
    resting = setTimeout(() => {
      resting = setTimeout(rested, Math.min(REST_MS_MAX, REST * (performance.now() - began)));
    });
    work();
  }, signal);
  function rested() {
    resting = null;
    if (asked) begin();
  }
  return (now = false) => {
    asked = true;
    if (now || !resting) begin();
  };
}
