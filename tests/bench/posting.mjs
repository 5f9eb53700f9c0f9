// Time of requests that start runs: one after the other on this machine's disk, then by eight clients at once while
// every fsync takes 50 ms, with the time of /healthz meanwhile.
//
//   GPULAB_BUILD=build/release node tests/bench/posting.mjs
import { closeSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs';
import http from 'node:http';
import { join } from 'node:path';
import { build, Lab, small, temporaryFolder } from '../harness/lab.mjs';
import { figure, main, median } from './figure.mjs';

const SYNC_MS = 50;

/** A client with one connection; `ask` resolves with the status and the milliseconds that the answer took. */
function client(lab) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  return {
    close: () => agent.destroy(),
    ask: (method, path, body) => new Promise((resolve, reject) => {
      const begin = performance.now();
      const headers = body ? { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) } : {};
      const call = http.request({ host: '127.0.0.1', port: lab.port, method, path, headers, agent }, (answer) => {
        answer.resume().on('end', () => resolve({ status: answer.statusCode, ms: performance.now() - begin }));
      });
      call.on('error', reject).end(body);
    }),
  };
}

const body = JSON.stringify({ experiment: 'transfer', parameters: small });

/** Sends `count` requests that start runs, one after the other; returns the milliseconds of each. */
async function post(lab, count) {
  const one = client(lab), times = [];
  for (let i = 0; i < count; i += 1) {
    const { status, ms } = await one.ask('POST', '/api/v1/runs', body);
    if (status !== 202) throw new Error(`POST answered ${status}`);
    times.push(ms);
  }
  one.close();
  return times;
}

const p99 = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length * 0.99)];

/** The milliseconds of `count` writes of 12 KiB with an fsync each: what the disk alone takes. */
function sync(count) {
  const folder = temporaryFolder(), file = openSync(join(folder, 'file'), 'w'), block = Buffer.alloc(12 * 1024);
  const times = Array.from({ length: count }, () => {
    writeSync(file, block);
    const begin = performance.now();
    fsyncSync(file);
    return performance.now() - begin;
  });
  closeSync(file);
  rmSync(folder, { recursive: true });
  return times;
}

async function withPausedLab(env, measure) {
  const lab = await Lab.start({ env });
  try {
    await lab.request('PUT', '/api/v1/queue', { json: { paused: true } });
    return await measure(lab);
  } finally {
    await lab.close();
  }
}

export async function posting({ count = 800 } = {}) {
  const quick = await withPausedLab({}, (lab) => post(lab, count));
  const alone = sync(count);
  const slow = { LD_PRELOAD: join(build, 'gpulab-slow-sync.so'), GPULAB_BENCH_SYNC_MS: String(SYNC_MS) };
  const { posted, healthy } = await withPausedLab(slow, async (lab) => {
    let done = false;
    const health = client(lab), times = [];
    const posters = Promise.all(Array.from({ length: 8 }, () => post(lab, count / 16))).finally(() => (done = true));
    while (!done) times.push((await health.ask('GET', '/healthz')).ms);
    health.close();
    return { posted: (await posters).flat(), healthy: times };
  });
  return [
    figure(`POST /runs, median of ${count}`, median(quick), 'ms'),
    figure('POST /runs, 99 of 100', p99(quick), 'ms', 5),
    figure('a bare fsync on this disk, median', median(alone), 'ms'),
    figure('a bare fsync on this disk, 99 of 100', p99(alone), 'ms'),
    figure(`fsync of ${SYNC_MS} ms, eight clients: POST /runs, median`, median(posted), 'ms'),
    figure(`fsync of ${SYNC_MS} ms, eight clients: /healthz, 99 of 100`, p99(healthy), 'ms', 5),
    figure(`fsync of ${SYNC_MS} ms, eight clients: /healthz, slowest of ${healthy.length}`, Math.max(...healthy), 'ms'),
  ];
}

await main(import.meta.url, posting);
