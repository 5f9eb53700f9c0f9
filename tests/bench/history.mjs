// List pages of a history of 100,000 runs: without a filter, with each filter, with pairs of filters and with filters
// that match nothing; the first page and a later one. Timed at the client over a keep-alive connection, so the times
// include the client's share.
//
//   GPULAB_BUILD=build/release node tests/bench/history.mjs [RUNS]
import { execFileSync } from 'node:child_process';
import http from 'node:http';
import { join } from 'node:path';
import { build, Lab, temporaryFolder } from '../harness/lab.mjs';
import { figure, main, median } from './figure.mjs';
import { rmSync } from 'node:fs';

// For each filter a value that fill_history writes and one that it never writes.
const filters = {
  experiment: ['transfer', 'never'], device: ['host-0-bench', 'never'], status: ['succeeded', 'queued'], tag: ['nightly', 'never'],
  since: ['2025-03-01', '2999-01-01'], until: ['2025-03-01', '1999-01-01'], q: ['weekly', 'never-written'],
};

function queries() {
  const names = Object.keys(filters);
  const singles = names.flatMap((name) => filters[name].map((value) => ({ [name]: value })));
  const pairs = names.flatMap((one, position) => names.slice(position + 1).flatMap((two) =>
    filters[one].flatMap((a) => filters[two].map((b) => ({ [one]: a, [two]: b })))));
  return [{}, ...singles, ...pairs].filter((query) => !(query.since && query.until && query.since >= query.until))
    .map((query) => new URLSearchParams({ ...query, limit: 50 }).toString());
}

export async function history({ runs = Number(process.argv[2] ?? 100_000), repeats = 7 } = {}) {
  const folder = temporaryFolder();
  const database = join(folder, 'lab.db');
  execFileSync(join(build, 'gpulab-fill-history'), [database, String(runs)], { stdio: ['ignore', 'ignore', 'inherit'] });
  const lab = await Lab.start({ folder, database });
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const slowest = [];
  try {
    for (const query of queries()) {
      const times = [];
      let path = `/api/v1/runs?${query}`, found = 0;
      for (let i = 0; i < repeats; i += 1) {
        // Another limit each time, so that no answer comes from the cache.
        const fresh = path.replace(/limit=\d+/, `limit=${50 - i}`);
        const began = performance.now();
        const answer = await lab.request('GET', fresh, { agent });
        times.push(performance.now() - began);
        if (answer.status !== 200) throw new Error(`${fresh}: ${answer.text}`);
        found = answer.json.runs.length;
        if (i === 0 && answer.json.next) path += `&cursor=${answer.json.next}`; // the other repeats read the second page
      }
      slowest.push({ query, found, milliseconds: median(times) });
    }
  } finally {
    agent.destroy();
    await lab.close();
    rmSync(folder, { recursive: true, force: true });
  }
  slowest.sort((a, b) => b.milliseconds - a.milliseconds);
  const all = slowest.map((each) => each.milliseconds);
  return [
    figure(`a page of ${runs} runs, median of ${slowest.length} queries`, median(all), 'ms at the client'),
    ...slowest.slice(0, 3).map((each) => figure(`slow: ${each.query} (${each.found} runs)`, each.milliseconds, 'ms at the client', 5)),
  ];
}

await main(import.meta.url, history);
