// kill -9 of the server at random moments while clients submit runs and read lists. After each kill, the database must
// pass integrity_check and every run that was answered with 202 must exist.
//
//   GPULAB_BUILD=build/release node tests/faults/kill_under_load.mjs 50
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { alive, Lab, small, until } from '../harness/lab.mjs';

async function client(lab, running, acknowledged) {
  while (running.yes) {
    try {
      const answer = await lab.post('/api/v1/runs', { experiment: 'transfer', parameters: small });
      if (answer.status === 202) acknowledged.add(answer.json.id);
      else await sleep(20);
      await lab.get('/api/v1/runs?limit=50');
    } catch {
      await sleep(5); // the server has ended
    }
  }
}

async function present(lab, wanted) {
  const missing = [];
  for (const id of wanted) if ((await lab.get(`/api/v1/runs/${id}`)).status !== 200) missing.push(id);
  return missing;
}

/** Resolves with {kills, acknowledged, missing, integrity, orphans}: the numbers of kills and of acknowledged runs, ids
 * of runs that were lost, the result of each integrity_check, pids of workers that did not end with their server. */
export async function killUnderLoad(kills, report = () => {}) {
  const lab = await Lab.start();
  const all = new Set(), missing = [], integrity = [], orphans = [];
  try {
    for (let round = 1; round <= kills; round += 1) {
      const running = { yes: true }, acknowledged = new Set();
      const clients = Array.from({ length: 4 }, () => client(lab, running, acknowledged));
      await until(() => acknowledged.size >= 5, 'runs are acknowledged');
      await sleep(Math.random() * 500);
      const worker = lab.worker();
      await lab.kill();
      running.yes = false;
      await Promise.all(clients);
      if (worker) await until(() => !alive(worker), 'the worker ends', 2).catch(() => orphans.push(worker));
      integrity.push(execFileSync('sqlite3', [lab.database, 'PRAGMA integrity_check'], { encoding: 'utf8' }).trim());
      await lab.start();
      missing.push(...(await present(lab, acknowledged)));
      acknowledged.forEach((id) => all.add(id));
      report({ round, acknowledged: acknowledged.size, integrity: integrity.at(-1), missing: missing.length });
    }
    missing.push(...(await present(lab, all)));
  } finally {
    await lab.close();
  }
  return { kills, acknowledged: all.size, missing, integrity, orphans };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const result = await killUnderLoad(Number(process.argv[2] ?? 50), (line) => console.log(JSON.stringify(line)));
  console.log(JSON.stringify({ ...result, integrity: [...new Set(result.integrity)] }));
  process.exit(result.missing.length || result.orphans.length || result.integrity.some((word) => word !== 'ok') ? 1 : 0);
}
