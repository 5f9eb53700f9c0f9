// CPU time per request of the server, pinned to one core, under 64 keep-alive connections: CPU time of the process from
// /proc divided by the number of requests that wrk counted. The cached list of runs is compared with /healthz, a fixed answer
// of a few bytes.
//
//   GPULAB_BUILD=build/release node tests/bench/requests.mjs
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Lab } from '../harness/lab.mjs';
import { cpuSeconds, figure, main } from './figure.mjs';

const run = promisify(execFile);

async function load(lab, path, seconds) {
  const before = cpuSeconds(lab.pid);
  // wrk runs on another core, so that the two do not share one.
  const { stdout } = await run('taskset', ['-c', '1', 'wrk', '-t', '1', '-c', '64', '-d', `${seconds}s`, `${lab.address}${path}`]);
  const cpu = cpuSeconds(lab.pid) - before;
  const requests = Number(/(\d+) requests in/.exec(stdout)[1]);
  const bad = /Non-2xx or 3xx responses: (\d+)|Socket errors: (.*)/.exec(stdout);
  if (bad) throw new Error(`${path}: ${bad[0]}`);
  return { microseconds: (cpu / requests) * 1e6, perSecond: requests / seconds };
}

export async function requests({ seconds = 10, runs = 25 } = {}) {
  const lab = await Lab.start({ wrap: ['taskset', '-c', '0'] });
  try {
    const ids = [];
    for (let i = 0; i < runs; i += 1) ids.push((await lab.submit()).id);
    for (const id of ids) await lab.reach(id, 'succeeded');
    const bytes = (await lab.get('/healthz')).bytes.length;
    const fixed = await load(lab, '/healthz', seconds);
    const list = await load(lab, '/api/v1/runs?limit=20', seconds);
    return [
      figure('GET /api/v1/runs?limit=20, cached', list.microseconds, 'us of CPU a request', 25),
      figure(`GET /healthz, ${bytes} bytes`, fixed.microseconds, 'us of CPU a request'),
      figure('the first over the second', list.microseconds / fixed.microseconds, 'times', 2),
      figure('GET /api/v1/runs?limit=20', list.perSecond, 'requests/s'),
      figure('GET /healthz', fixed.perSecond, 'requests/s'),
    ];
  } finally {
    await lab.close();
  }
}

await main(import.meta.url, requests);
