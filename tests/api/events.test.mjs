// The event stream: events arrive in order, a client can resume after the last one it received, and the server ends
// streams by the protocol.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { endless, Lab, skipLong, slowdown, small, until } from '../harness/lab.mjs';
import { problem } from '../harness/expect.mjs';

let lab;
before(async () => (lab = await Lab.start()));
after(() => lab.close());

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
    const progress = mine.filter((event) => event.event === 'run.progress');
    assert.deepEqual(progress.at(-1).json.headline, (await lab.run(run.id)).headline, 'all is measured');
    assert.equal(progress.at(-1).json.headline[0].axes.bytes, 16384, 'the largest size');
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

test('what an event announces can be read', async () => {
  const run = await lab.submit({ ...small, max_bytes: 2 ** 24, factor: 1.1 });
  const stream = await lab.events({ run: run.id });
  try {
    for (let count = 1; count <= 20; count += 1) {
      const measurements = () => stream.events.filter(({ event }) => event === 'measurement');
      await stream.find(() => measurements().length >= count, `${count} measurements`);
      const seen = measurements().length;
      const path = `/api/v1/runs/${run.id}`;
      assert.equal((await lab.get(`${path}/measurements?samples=true&position=${seen - 1}`)).json.measurements.length, 1);
      assert.ok((await lab.get(path)).json.measurements.length >= seen);
    }
  } finally {
    stream.close();
  }
});

test('ids grow by one, and a stream resumes without loss or repetition', async () => {
  const whole = await lab.events();
  const first = await lab.events();
  const run = await lab.submit({ ...small, max_bytes: 65536 });
  await whole.find(status(run.id, 'succeeded'), 'succeeded');
  await first.find(status(run.id, 'succeeded'), 'succeeded');
  first.close();
  const ids = whole.events.map((event) => event.id);
  const numbers = ids.map((id) => Number(/^\w+-(\d+)$/.exec(id)[1]));
  assert.deepEqual(numbers, numbers.map((_, i) => numbers[0] + i));
  const at = Math.floor(ids.length / 2);
  const rest = await lab.events({ last: ids[at] });
  await rest.find((event) => event.id === ids.at(-1), 'the last one again');
  assert.deepEqual(rest.events.map((event) => event.id).slice(0, ids.length - at - 1), ids.slice(at + 1));
  whole.close();
  rest.close();
});

test('the queue and deleted runs have events', async () => {
  const queue = (wanted) => (event) => event.event === 'queue.updated' && Object.entries(wanted).every(([name, value]) => event.json[name] === value);
  const stream = await lab.events();
  await lab.request('PUT', '/api/v1/queue', { json: { paused: true } });
  await stream.find(queue({ length: 0, running: null, paused: true, held: null }), 'paused');
  const run = await lab.submit();
  await stream.find(queue({ length: 1, paused: true }), 'queued');
  const own = await lab.events({ run: run.id });
  await lab.request('PUT', '/api/v1/queue', { json: { paused: false } });
  await stream.find(queue({ length: 0, running: run.id, paused: false }), 'running');
  await stream.find(status(run.id, 'succeeded'), 'succeeded');
  assert.deepEqual(stream.events.findLast((event) => event.event === 'queue.updated').json, { length: 0, running: null, runs: [], paused: false, held: null });
  assert.equal((await lab.request('DELETE', `/api/v1/runs/${run.id}`)).status, 204);
  for (const each of [stream, own]) await each.find((event) => event.event === 'run.deleted' && event.json.id === run.id, 'deleted');
  assert.ok(own.events.every((event) => event.event !== 'queue.updated'));
  stream.close();
  own.close();
});

test('an unknown id gets a reset', async () => {
  for (const last of ['nothing-7', 'x', '0-99999999999999999999', '-1']) {
    const stream = await lab.events({ last });
    const event = await stream.find(() => true, 'an event');
    assert.equal(event.event, 'reset', last);
    stream.close();
  }
});

test('?run= brings only events of that run', async () => {
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
  assert.equal(head.status, 200);
  assert.equal(head.bytes.length, 0);
  problem(await lab.post('/api/v1/events'), 405);
});

/** The number of open event streams by the server's own count. */
async function openStreams() {
  const { text } = await lab.get('/metrics');
  return Number(/^gpulab_event_streams (\d+)$/m.exec(text)[1]);
}

test('many clients receive the same events, and a client that disconnects is released', async () => {
  await until(async () => (await openStreams()) === 0, 'the streams of earlier tests are released');
  const streams = await Promise.all(Array.from({ length: 40 }, () => lab.events()));
  assert.equal(await openStreams(), 40);
  for (const stream of streams.slice(20)) stream.close();
  const run = await lab.submit();
  const [first, ...others] = streams.slice(0, 20);
  for (const stream of [first, ...others]) await stream.find(status(run.id, 'succeeded'), 'succeeded');
  const ids = (stream) => stream.events.filter(of(run.id)).map((event) => event.id);
  for (const stream of others) assert.deepEqual(ids(stream), ids(first));
  await until(async () => (await openStreams()) === 20, 'the closed streams are released');
  for (const stream of streams) stream.close();
  await until(async () => (await openStreams()) === 0, 'all streams are released');
});

// That it is disconnected in the end: tests/unit/http/test_http_stream.c, test_who_does_not_read_is_dropped.
test('a client that does not read delays nobody', async () => {
  const { connect } = await import('node:net');
  const idle = connect(lab.port, '127.0.0.1');
  idle.on('error', () => {});
  idle.write('GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n');
  idle.pause();
  await until(async () => (await openStreams()) === 1, 'the stream is open');
  const run = await lab.submit(endless);
  const stream = await lab.events({ run: run.id });
  await until(async () => {
    const seen = stream.events.filter((event) => event.event === 'measurement').length;
    return seen > 20 && seen <= (await lab.run(run.id)).measurements.length;
  }, 'measurements arrive');
  await lab.post(`/api/v1/runs/${run.id}/cancel`);
  await stream.find(status(run.id, 'cancelled'), 'cancelled');
  assert.equal(stream.events.filter((event) => event.event === 'measurement').length, (await lab.run(run.id)).measurements.length);
  stream.close();
  idle.destroy();
});

test('SIGTERM ends open streams by the protocol and the server within 5 s', async () => {
  const own = await Lab.start();
  const streams = await Promise.all(Array.from({ length: 10 }, () => own.events()));
  const run = await own.submit(endless);
  await streams[0].find((event) => event.event === 'measurement', 'a measurement');
  const over = await own.stop();
  assert.equal(over.code, 0, own.log);
  assert.ok(over.seconds < 5 * slowdown, `${over.seconds} s`);
  for (const stream of streams) assert.equal(await stream.ended, 'end');
  await own.start();
  const after_ = await own.run(run.id);
  assert.equal(after_.status, 'interrupted');
  assert.ok(after_.measurements.length > 0);
  await own.close();
});

// The same with a short deadline: tests/unit/http/test_http_stream.c, test_heartbeats.
test('a stream without events gets a heartbeat every 15 s', skipLong, async () => {
  const own = await Lab.start();
  const stream = await own.events();
  const before_ = Date.now(), greetings = stream.comments;
  await until(() => stream.comments > greetings, 'a heartbeat', 40);
  assert.ok(Date.now() - before_ > 10_000, `after ${Date.now() - before_} ms`);
  assert.deepEqual(stream.events, []);
  stream.close();
  await own.close();
});
