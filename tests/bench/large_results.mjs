// A run with millions of samples: it is imported, and several clients load all of its samples at once, as JSON, CSV and
// export, while others ask for small things. The server must hold none of these bodies in memory.
//
//   GPULAB_BUILD=build/release node tests/bench/large_results.mjs
import { rmSync } from 'node:fs';
import http from 'node:http';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { idAt, measurementLine, runLine } from '../harness/exports.mjs';
import { Lab, temporaryFolder, withLab } from '../harness/lab.mjs';
import { figure, main, median, residentMebibytes } from './figure.mjs';

/** Samples of a measurement, which is the most that experiments allow, and of a line. */
const EACH = 100_000, LINE = 5000;

/** The lines of an export with one run that has `count` samples. */
function* lines(at, count) {
  const id = idAt(at), measurements = Math.ceil(count / EACH);
  yield runLine({ at, measurement_count: measurements });
  for (let position = 0; position < measurements; position += 1) {
    const samples = Math.min(EACH, count - position * EACH);
    yield { ...measurementLine({ run: id, position, axes: { bytes: position } }), max: 1.01, n: samples, samples };
    for (let first = 0; first < samples; first += LINE) {
      const values = Array.from({ length: Math.min(LINE, samples - first) }, (_, i) => 1 + ((first + i) * 0.618033988749) % 0.01);
      yield { type: 'samples', run: id, position, first, values };
    }
  }
  yield { type: 'end', runs: 1 };
}

function* text(at, count) {
  for (const line of lines(at, count)) yield `${JSON.stringify(line)}\n`;
}

function upload(lab, path, body) {
  return new Promise((resolve, reject) => {
    const call = http.request({ host: '127.0.0.1', port: lab.port, method: 'POST', path, headers: { 'content-type': 'application/x-ndjson' }, agent: false }, (answer) => {
      let received = '';
      answer.on('data', (part) => (received += part)).on('end', () => resolve(JSON.parse(received)));
    });
    call.on('error', reject);
    body.pipe(call);
  });
}

/** The number of bytes of a response that is read to its end and thrown away. */
function download(lab, path) {
  return new Promise((resolve, reject) => {
    http.get({ host: '127.0.0.1', port: lab.port, path, agent: false }, (answer) => {
      let bytes = 0;
      answer.on('data', (part) => (bytes += part.length)).on('end', () => (answer.complete ? resolve(bytes) : reject(new Error('cut')))).on('error', reject);
    }).on('error', reject);
  });
}

/** Calls `ask` again and again until `work` is done; resolves with what work returned, and the milliseconds of each
 * call. */
async function meanwhile(work, ask) {
  let done = false;
  const times = [];
  const finished = work.finally(() => (done = true));
  while (!done) {
    const begin = performance.now();
    await ask();
    times.push(performance.now() - begin);
  }
  return { result: await finished, times };
}

export async function largeResults({ samples = 10_000_000 } = {}) {
  const at = new Date(Date.UTC(2026, 0, 1)), id = idAt(at), folder = temporaryFolder(), database = join(folder, 'lab.db');
  let seconds;
  await withLab({ folder, database }, async (first) => {
    const begin = performance.now();
    const imported = await upload(first, '/api/v1/import', Readable.from(text(at, samples)));
    seconds = (performance.now() - begin) / 1000;
    if (imported.imported !== 1) throw new Error(JSON.stringify(imported));
  });
  const lab = await Lab.start({ folder, database }); // memory that the import leaves behind must not count
  try {
    const paths = [`/api/v1/runs/${id}/measurements?samples=true`, `/api/v1/runs/${id}/measurements.csv?samples=true`, '/api/v1/export?samples=true', `/api/v1/runs/${id}/measurements?samples=true`];
    for (const path of paths.slice(0, 3)) await download(lab, path.replace('samples=true', 'samples=false'));
    const before = residentMebibytes(lab.pid), started = performance.now();
    let most = before;
    const { result, times } = await meanwhile(Promise.all(paths.map((path) => download(lab, path))), async () => {
      await lab.get('/api/v1/runs?limit=20');
      await lab.get(`/api/v1/runs/${id}`);
      most = Math.max(most, residentMebibytes(lab.pid));
    });
    const sorted = times.map((time) => time / 2).sort((a, b) => a - b);
    return [
      figure('memory that four downloads of all samples take', most - before, 'MiB', 16),
      figure('a small request meanwhile, median', median(sorted), 'ms', 20),
      figure('a small request meanwhile, 99 of 100', sorted[Math.floor(sorted.length * 0.99)], 'ms'),
      figure('downloaded', result.reduce((sum, bytes) => sum + bytes, 0) / 2 ** 20, 'MiB'),
      figure('in', (performance.now() - started) / 1000, 's'),
      figure(`import of ${samples} samples`, seconds, 's'),
    ];
  } finally {
    await lab.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

await main(import.meta.url, largeResults);
