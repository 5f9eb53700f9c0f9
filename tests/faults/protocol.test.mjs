// Lines that break the protocol, to a gpulab-worker without a server: the worker names what is wrong and ends.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { build, endless, execute, temporaryFolder } from '../harness/lab.mjs';

const worker = (input) => execute('gpulab-worker', ['--runtime', 'host'], { input });
const limit = 4 * 1024 * 1024;
const describe = '{"op":"describe"}\n';

test('operations before the end of the input are executed', async () => {
  const { code, stdout } = await worker(describe + describe);
  assert.equal(code, 0);
  const events = stdout.trim().split('\n').map((line) => JSON.parse(line).event);
  assert.deepEqual(events, ['hello', 'description', 'description']);
});

test('a line of the greatest length is read', async () => {
  const { code, stdout } = await worker(`{"op":"describe","x":"${'x'.repeat(limit - 25)}"}\n`);
  assert.equal(code, 0);
  assert.match(stdout, /"description"/);
});

test('a longer line ends the worker, which names the limit', async () => {
  const { code, stderr } = await worker(`{"op":"describe","x":"${'x'.repeat(limit - 24)}"}\n`);
  assert.equal(code, 5);
  assert.match(stderr, /longer than 4 MiB/);
});

test('a line that is no operation ends the worker', async () => {
  const { code, stderr } = await worker('{"opp":"describe"}\n');
  assert.equal(code, 5);
  assert.match(stderr, /not a JSON object with "op"/);
});

test('a worker sends heartbeats while it waits', async () => {
  const child = spawn(join(build, 'gpulab-worker'), ['--runtime', 'host'], { stdio: ['pipe', 'pipe', 'ignore'] });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  await lines.next(); // hello
  const { value } = await lines.next();
  child.stdin.end();
  assert.deepEqual(JSON.parse(value), { event: 'heartbeat' });
});

test('a worker refuses a server of another version, and names both', async () => {
  const { code, stderr, stdout } = await worker('{"op":"hello","version":9999,"host":"here"}\n' + describe);
  assert.equal(code, 5);
  const own = JSON.parse(stdout.split('\n')[0]).version;
  assert.match(stderr, new RegExp(`the server speaks version 9999 of the worker protocol, this worker version ${own};`));
});

test('a worker that hears nothing from its server ends, also in the middle of a measurement', async () => {
  const folder = temporaryFolder();
  const child = spawn(join(build, 'gpulab-worker'), ['--runtime', 'host', '--lock-dir', folder, '--silence', '5'], { stdio: 'pipe' });
  const ended = once(child, 'exit');
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text) => (stderr += text));
  const events = createInterface(child.stdout)[Symbol.asyncIterator]();
  const next = async (wanted) => {
    for (;;) {
      const event = JSON.parse((await events.next()).value);
      if (event.event === wanted) return event;
    }
  };
  const beats = setInterval(() => child.stdin.write('{"op":"heartbeat"}\n'), 100);
  child.stdin.write(describe);
  const [device] = (await next('description')).devices;
  child.stdin.write(`${JSON.stringify({ op: 'run', run: 'r', experiment: 'transfer', devices: [device.id], parameters: endless })}\n`);
  await next('measurement');
  clearInterval(beats); // its input stays open
  const [code] = await ended;
  assert.equal(code, 5);
  assert.match(stderr, /heard nothing from the server for 5 s/);
});
