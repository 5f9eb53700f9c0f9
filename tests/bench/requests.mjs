// CPU time per request of the server, pinned to one core, under 64 keep-alive connections: CPU time of the process from
// /proc divided by the number of requests that wrk counted. The cached list of runs is compared with /healthz, a fixed
// answer of a few bytes, and, where nginx is installed, with nginx that sends the same list from a file.
//
//   GPULAB_BUILD=build/release node tests/bench/requests.mjs
import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { childrenOf, Lab, temporaryFolder, until } from '../harness/lab.mjs';
import { cpuSeconds, figure, main } from './figure.mjs';

const run = promisify(execFile);

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  return port;
}

/** nginx with one process on core 0, which serves `body` as /list; null where nginx is not installed. */
async function startNginx(body) {
  if (spawnSync('nginx', ['-v']).error) return null;
  const folder = temporaryFolder(), port = await freePort(), file = join(folder, 'conf');
  mkdirSync(join(folder, 'www'));
  writeFileSync(join(folder, 'www', 'list'), body);
  const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`);
  writeFileSync(file, `${process.getuid() === 0 ? 'user root;' : ''} worker_processes 1; daemon off; pid ${folder}/pid; error_log ${folder}/log; events {}
    http { access_log off; keepalive_requests 1000000000; sendfile on; tcp_nopush on; open_file_cache max=10;
    default_type application/json; ${places.join(' ')} server { listen 127.0.0.1:${port}; root ${folder}/www; } }`);
  const child = spawn('taskset', ['-c', '0', 'nginx', '-c', file, '-p', folder], { stdio: 'ignore' });
  await until(() => childrenOf(child.pid).length > 0, 'nginx starts');
  return { pid: childrenOf(child.pid)[0], address: `http://127.0.0.1:${port}`, close: () => child.kill() };
}

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
    const nginx = await startNginx((await lab.get('/api/v1/runs?limit=20')).bytes);
    const fixed = await load(lab, '/healthz', seconds);
    const list = await load(lab, '/api/v1/runs?limit=20', seconds);
    const same = nginx && (await load(nginx, '/list', seconds));
    nginx?.close();
    return [
      figure('GET /api/v1/runs?limit=20, cached', list.microseconds, 'us of CPU a request', 25),
      figure(`GET /healthz, ${bytes} bytes`, fixed.microseconds, 'us of CPU a request'),
      figure('the first over the second', list.microseconds / fixed.microseconds, 'times', 2),
      figure('GET /api/v1/runs?limit=20', list.perSecond, 'requests/s'),
      figure('GET /healthz', fixed.perSecond, 'requests/s'),
      ...(same ? [
        figure('nginx, the same list', same.perSecond, 'requests/s'),
        figure('nginx, the same list', same.microseconds, 'us of CPU a request'),
        figure('requests/s of nginx over those of gpulab', same.perSecond / list.perSecond, 'times', 1 / 0.9),
      ] : []),
    ];
  } finally {
    await lab.close();
  }
}

await main(import.meta.url, requests);
