// gpulab health: what it prints and exits with, on a sound machine and with faults of the host runtime.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { FAILED, NO_DEVICE, Place, SUCCESS, USAGE } from '../harness/cli.mjs';
import { idAt } from '../harness/exports.mjs';

const hour = (n) => new Date(Date.UTC(2026, 0, 1) + n * 3600e3);
/** Without --quick, whose time budget may end before the last check on a machine that is busy. */
const command = (place, ...rest) => ['health', '--runtime', 'host', '--db', place.database, ...rest];

test('health prints the verdict about a sound device and exits with 0', async (t) => {
  const place = new Place(t);
  const json = await place.gpulab(command(place, '--json', '--device', '0'));
  const health = JSON.parse(json.stdout), checks = new Set(health.findings.map(({ check }) => check));
  assert.deepEqual([health.verdict, health.status], ['healthy', 'succeeded']);
  for (const check of ['h2d', 'd2h', 'memory', 'gemm', 'link-width', 'ecc-uncorrected']) assert.ok(checks.has(check), check);
  assert.ok(health.findings.filter(({ check }) => check === 'link-width').every(({ level, text: line }) => level === 'skipped' && /does not report it$/.test(line)));
});

/** An export of one run as that of `count` earlier ones, which have measured exactly the same. */
function earlier(text, count) {
  const lines = text.trim().split('\n').slice(0, -1), { id } = JSON.parse(lines[0]);
  const copies = Array.from({ length: count }, (_, i) => lines.map((line) => line.replaceAll(id, idAt(hour(-i))).replaceAll(/"((created|started|finished)_at)": *"[^"]*"/g, `"$1":"${hour(-i).toISOString().replace('Z', '000Z')}"`)));
  return [...copies.flat(), JSON.stringify({ type: 'end', runs: count })].map((line) => `${line}\n`).join('');
}

test('health names the check that is ten times slower than in earlier runs, and exits with 1', async (t) => {
  const place = new Place(t);
  const sound = await place.gpulab(command(place));
  assert.deepEqual([sound.code, sound.stderr], [SUCCESS, ''], sound.stdout);
  assert.match(sound.stdout, /(^|\n)healthy: 0 failures, /);
  const { stdout } = await place.gpulab(['export', '--db', place.database]);
  writeFileSync(join(place.folder, 'runs.jsonl'), earlier(stdout, 5));
  const imported = await place.gpulab(['import', join(place.folder, 'runs.jsonl'), '--db', place.database]);
  assert.equal(imported.code, SUCCESS, imported.stderr);
  const slow = await place.gpulab(command(place), { env: { GPULAB_HOST_FAULT: 'slow-copy' } });
  assert.equal(slow.code, FAILED, slow.stdout);
  for (const check of ['h2d', 'd2h', 'memory']) assert.match(slow.stdout, new RegExp(`^failure: host-0\\S*: ${check} is \\S+ GB/s, \\d+ % of \\S+ GB/s \\(median of 6 earlier runs`, 'm'));
  assert.match(slow.stdout, /\nunhealthy: \d failures/);
});

test('health exits with 1 for a wrong result and for a lost device', async (t) => {
  const place = new Place(t);
  const wrong = await place.gpulab(command(place, '--quick'), { env: { GPULAB_HOST_FAULT: 'wrong-result@9' } });
  assert.deepEqual([wrong.code, /^failure: host-0\S*: h2d gives a wrong result/.test(wrong.stdout)], [FAILED, true], wrong.stdout);
  const lost = await place.gpulab(command(place, '--quick'), { env: { GPULAB_HOST_FAULT: 'copy@9' } });
  assert.deepEqual([lost.code, /^failure: the run failed: .*lost\nunhealthy: 1 failure,/.test(lost.stdout)], [FAILED, true], lost.stdout);
});

test('health without a worker exits with 3, with contradicting options with 2', async (t) => {
  const place = new Place(t);
  const none = await place.gpulab(['health', '--db', place.database, '--worker', '/nonexistent/worker']);
  assert.deepEqual([none.code, none.stdout], [NO_DEVICE, ''], none.stderr);
  assert.equal((await place.gpulab(command(place, '--quick', '--thorough'))).code, USAGE);
});
