// The event stream: what happens arrives in order, can be taken up again where it broke off, and ends properly.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { endless, Lab, patience, small } from '../harness/lab.mjs';
import { problem } from '../harness/expect.mjs';

let lab, still, silent, silentSince; // `still` is a lab in which nothing happens, listened to while the other tests run
before(async () => {
  lab = await Lab.start();
  still = await Lab.start();
  silent = await still.events();
  silentSince = Date.now();
});
after(async () => {
  silent.close();
  await still.close();
  await lab.close();
});

const of = (id) => (event) => event.json.id === id || event.json.run === id;
const status = (id, wanted) => (event) => event.event === 'run.updated' && event.json.id === id && event.json.status === wanted;

test('a run can be followed from queued to succeeded', async () => {
  const stream = await lab.events();
  try {
    assert.equal(stream.status, 200);
    assert.match(stream.headers['content-type'], /^text\/event-stream/);
    assert.match(stream.headers['cache-control'] ?? '', /no-(cache|store)/);
    const run = await lab.submit({ ...small, max_bytes: 16384 });
    await stream.find(status(run.id, 'succeeded'), 'succeeded');
    const mine = stream.events.filter(of(run.id));
    const states = mine.filter((event) => event.event === 'run.updated').map((event) => event.json.status);
    assert.deepEqual([...new Set(states)], ['queued', 'running', 'succeeded']);
    const measurements = mine.filter((event) => event.event === 'measurement');
    assert.equal(measurements.length, (await lab.run(run.id)).measurements.length);
    assert.ok(mine.some((event) => event.event === 'run.progress'));
    assert.equal(mine.at(-1).event, 'run.updated', 'nothing of a run comes after its end');
    for (const { json } of measurements) {
      const { metric, median, axes, samples } = json.measurement ?? json;
      assert.ok(metric && axes && median !== undefined);
      assert.equal(samples, undefined, 'a stream carries no samples');
    }
  } finally {
    stream.close();
  }
});

test('ids grow by one, and a broken stream is taken up without loss or repetition', async () => {
  const whole = await lab.events();
  const first = await lab.events();
  const run = await lab.submit({ ...small, max_bytes: 65536 });
  await whole.find(status(run.id, 'succeeded'), 'succeeded');
  await first.find(status(run.id, 'succeeded'), 'succeeded');
  first.close();
  const ids = whole.events.map((event) => event.id);
  ids.forEach((id) => assert.match(id, /^[\w]+-\d+$/));
  const at = Math.floor(ids.length / 2);
  const rest = await lab.events({ last: ids[at] });
  await rest.find((event) => event.id === ids.at(-1), 'the last one again');
  assert.deepEqual(rest.events.map((event) => event.id).slice(0, ids.length - at - 1), ids.slice(at + 1));
  whole.close();
  rest.close();
});

test('an id that is not known gets a reset', async () => {
  for (const last of ['nothing-7', 'x', '0-99999999999999999999', '-1']) {
    const stream = await lab.events({ last });
    const event = await stream.find(() => true, 'an event');
    assert.equal(event.event, 'reset', last);
    stream.close();
  }
});

test('?run= brings that run alone', async () => {
  const paused = (value) => lab.request('PUT', '/api/v1/queue', { json: { paused: value } });
  await paused(true);
  const [one, two] = [await lab.submit(), await lab.submit()];
  const stream = await lab.events({ run: two.id });
  await paused(false);
  await stream.find(status(two.id, 'succeeded'), 'succeeded');
  assert.ok(stream.events.every(of(two.id)));
  assert.ok(!stream.events.some(of(one.id)));
  stream.close();
  problem(await lab.get('/api/v1/events?colour=red'), 422, '/query/colour');
});

test('HEAD and other methods', async () => {
  const head = await lab.request('HEAD', '/api/v1/events');
  assert.ok([200, 405].includes(head.status));
  assert.equal(head.bytes.length, 0);
  problem(await lab.post('/api/v1/events'), 405);
});

test('many listeners see the same, and those that leave are forgotten', async () => {
  const streams = await Promise.all(Array.from({ length: 40 }, () => lab.events()));
  for (const stream of streams.slice(20)) stream.close();
  const run = await lab.submit();
  for (const stream of streams.slice(0, 20)) await stream.find(status(run.id, 'succeeded'), 'succeeded');
  for (const stream of streams) stream.close();
});

test('a listener that does not read is dropped and holds up nobody', async () => {
  const { connect } = await import('node:net');
  const idle = connect(lab.port, '127.0.0.1');
  idle.on('error', () => {});
  idle.write('GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n');
  idle.pause();
  const run = await lab.submit(endless);
  const stream = await lab.events({ run: run.id });
  await stream.find((event) => event.event === 'measurement', 'a measurement');
  await lab.post(`/api/v1/runs/${run.id}/cancel`);
  await stream.find(status(run.id, 'cancelled'), 'cancelled');
  stream.close();
  idle.destroy();
});

test('SIGTERM ends open streams properly and the server within 5 s', async () => {
  const own = await Lab.start();
  const streams = await Promise.all(Array.from({ length: 10 }, () => own.events()));
  const run = await own.submit(endless);
  await streams[0].find((event) => event.event === 'measurement', 'a measurement');
  const over = await own.stop();
  assert.equal(over.code, 0, own.log);
  assert.ok(over.seconds < 5 * patience, `${over.seconds} s`);
  for (const stream of streams) assert.equal(await stream.ended, 'end');
  await own.start();
  const after_ = await own.run(run.id);
  assert.equal(after_.status, 'interrupted');
  assert.ok(after_.measurements.length > 0);
  await own.close();
});

test('a stream without events keeps breathing', { timeout: 60_000 }, async () => {
  while (silent.comments === 0 && Date.now() - silentSince < 40_000) await new Promise((done) => setTimeout(done, 100));
  assert.ok(silent.comments > 0, 'no heartbeat within 40 s');
  assert.deepEqual(silent.events, []);
});
