// Work is done at most once per frame, with idle time in between, and drawing only for other values.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { afterPause, painted, throttled, whenChanged } from '../../../static/modules/throttle.js';

/** A simulated clock with a frame every 10 ms: pass(ms) lets time pass, busy(ms) is the time that work takes;
 * `failures` are the messages of errors thrown in a frame. */
function clock(context) {
  let now = 0;
  context.mock.timers.enable({ apis: ['setTimeout'] });
  context.mock.method(performance, 'now', () => now);
  const pass = (time) => {
    now += time;
    context.mock.timers.tick(time);
  };
  const failures = [];
  const inFrame = (work) => () => {
    try {
      work();
    } catch (error) {
      failures.push(error.message);
    }
  };
  globalThis.requestAnimationFrame = (work) => setTimeout(inFrame(work), 10);
  context.after(() => delete globalThis.requestAnimationFrame);
  return { pass, failures, busy: (time) => (now += time) };
}

test('work is followed by idle time of four times its duration; requests during it run the work once afterwards', (context) => {
  const { pass, busy } = clock(context);
  let done = 0;
  const ask = throttled(() => {
    done += 1;
    busy(100);
  });
  ask();
  ask();
  assert.equal(done, 0, 'the work is done in the next frame');
  pass(10);
  assert.equal(done, 1);
  pass(1); // the frame is painted
  for (let time = 0; time < 390; time += 10) {
    ask();
    pass(10);
  }
  assert.equal(done, 1);
  pass(20);
  pass(10);
  assert.equal(done, 2);
  pass(2000);
  assert.equal(done, 2, 'there was no further request');
});

test('an immediate request waits only for the next frame', (context) => {
  const { pass, busy } = clock(context);
  let done = 0;
  const ask = throttled(() => {
    done += 1;
    busy(100);
  });
  ask();
  pass(10);
  ask(true);
  pass(10);
  assert.equal(done, 2);
});

test('work runs again after an error, but not after its signal was aborted', (context) => {
  const { pass, failures } = clock(context);
  const controller = new AbortController();
  let done = 0;
  const ask = throttled(() => {
    done += 1;
    if (done === 1) throw new Error('once');
  }, controller.signal);
  ask();
  pass(10);
  assert.deepEqual(failures, ['once']);
  pass(100);
  ask();
  pass(10);
  assert.equal(done, 2);
  controller.abort();
  ask(true);
  pass(100);
  assert.equal(done, 2);
});

test('painted() is fulfilled after everything else that is done in the next frame', async (context) => {
  const { pass } = clock(context);
  const order = [];
  const later = painted().then(() => order.push('painted'));
  requestAnimationFrame(() => order.push('frame'));
  pass(9);
  await Promise.resolve();
  assert.deepEqual(order, []);
  pass(1);
  await later;
  assert.deepEqual(order, ['frame', 'painted']);
});

test('work is done once after a pause', (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  let calls = 0;
  const soon = afterPause(() => (calls += 1), 100);
  soon();
  context.mock.timers.tick(60);
  soon();
  context.mock.timers.tick(60);
  assert.equal(calls, 0);
  context.mock.timers.tick(40);
  assert.equal(calls, 1);
});

test('what is drawn when it has changed is drawn once for equal values', () => {
  const drawn = [];
  const draw = whenChanged((value) => drawn.push(value));
  for (const value of [null, { a: 1 }, { a: 1 }, { a: 2 }, { a: 1 }]) draw(value);
  assert.deepEqual(drawn, [null, { a: 1 }, { a: 2 }, { a: 1 }]);
});
