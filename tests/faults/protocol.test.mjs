// Lines that break the protocol, to a gpulab-worker without a server: the worker names what is wrong and ends.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { build, execute } from '../harness/lab.mjs';

const worker = (input) => execute('gpulab-worker', ['--runtime', 'host'], { input });
const limit = 4 * 1024 * 1024;
const describe = '{"op":"describe"}\n';

test('operations before the end of the input are executed', async () => {
  const { code, stdout } = await worker(describe + describe);
  assert.equal(code, 0);
  const events = stdout.trim().split('\n').map((line) => JSON.parse(line).event);
  assert.deepEqual(events, ['description', 'description']);
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
  const [line] = await once(createInterface(child.stdout), 'line');
  child.stdin.end();
  assert.deepEqual(JSON.parse(line), { event: 'heartbeat' });
});
