// When work that was asked for is done.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unhurried } from '../../../static/modules/throttle.js';

/** A page of which the test turns the clock: a frame every 10 ms. */
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

test('work rests four times as long as it took, and what is asked for meanwhile is done once after that', (context) => {
  const { pass, busy } = clock(context);
  let done = 0;
  const ask = unhurried(() => {
    done += 1;
    busy(100);
  });
  ask();
  ask();
  assert.equal(done, 0, 'in the next frame');
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
  assert.equal(done, 2, 'nobody asked again');
});

test('what is asked for now waits for nothing but the frame', (context) => {
  const { pass, busy } = clock(context);
  let done = 0;
  const ask = unhurried(() => {
    done += 1;
    busy(100);
  });
  ask();
  pass(10);
  ask(true);
  pass(10);
  assert.equal(done, 2);
});

test('work that failed is done again, work of a page that was left is not', (context) => {
  const { pass, failures } = clock(context);
  const left = new AbortController();
  let done = 0;
  const ask = unhurried(() => {
    done += 1;
    if (done === 1) throw new Error('once');
  }, left.signal);
  ask();
  pass(10);
  assert.deepEqual(failures, ['once']);
  pass(100);
  ask();
  pass(10);
  assert.equal(done, 2);
  left.abort();
  ask(true);
  pass(100);
  assert.equal(done, 2);
});
