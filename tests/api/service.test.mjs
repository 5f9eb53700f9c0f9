// What a lab tells systemd, which a script stands for: that it is ready, reloads, is alive and stops. Its workers hear
// nothing of that.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { Lab, small, temporaryFolder, until } from '../harness/lab.mjs';

/** Prints each message as a line of JSON. */
const listener = `
import json, socket, sys
receiver = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
receiver.bind(sys.argv[1])
print('"bound"', flush=True)
while True: print(json.dumps(receiver.recv(4096).decode()), flush=True)`;

test('systemd is told when the lab is ready, what it does, that it reloads and that it stops', async () => {
  const folder = temporaryFolder(), socket = join(folder, 'notify'), messages = [];
  const systemd = spawn('python3', ['-c', listener, socket], { stdio: ['ignore', 'pipe', 'inherit'] });
  createInterface({ input: systemd.stdout }).on('line', (line) => messages.push(JSON.parse(line)));
  const told = (pattern) => until(() => messages.some((message) => pattern.test(message)), `systemd is told ${pattern}`);
  let lab;
  try {
    await told(/bound/);
    lab = await Lab.start({ env: { NOTIFY_SOCKET: socket, WATCHDOG_USEC: '300000' } }); // and no WATCHDOG_PID: of this process
    await told(/^READY=1\nWATCHDOG=1$/);
    await told(/^STATUS=http:\/\/127\.0\.0\.1:\d+, 0 running, 0 queued, \d+ clients$/);
    const before = messages.length;
    await until(() => messages.length > before + 2, 'the watchdog hears of the lab again');
    lab.child.kill('SIGHUP');
    await told(/^RELOADING=1\nMONOTONIC_USEC=\d+$/);
    const reloading = messages.findIndex((message) => message.startsWith('RELOADING=1'));
    await until(() => messages.indexOf('READY=1\nWATCHDOG=1', reloading) > 0, 'systemd is told that the lab has reloaded');
    await lab.request('PUT', '/api/v1/queue', { json: { paused: true } });
    await lab.submit(small);
    await told(/STATUS=.* 0 running, 1 queued \(paused\)/);
    await lab.close();
    await told(/^STOPPING=1\nSTATUS=stopping$/);
  } finally {
    await lab?.close();
    systemd.kill();
  }
});
