// gpulab kernel, as far as it goes without a GPU: what it sends, what it refuses, and how a run of it is printed.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { NO_DEVICE, Place, SUCCESS, USAGE } from '../harness/cli.mjs';
import { importInto, linesOf } from '../harness/exports.mjs';
import { withLab } from '../harness/lab.mjs';

function placeWithSource(t) {
  const place = new Place(t), file = join(place.folder, 'axpy.cu');
  writeFileSync(file, '__global__ void axpy(int n, float a, const float *x, float *y) {}\n');
  return { place, file };
}

test('the lab refuses the kernel where there is no CUDA device, and everything that is wrong with it', async (t) => {
  const { place, file } = placeWithSource(t);
  const gpulab = (...args) => place.gpulab(['kernel', file, ...args, '--runtime', 'host', '--no-save']);
  const valid = ['--arg', 'n:i32=1000,2000', '--arg', 'a:fp32=2.5', '--arg', 'x:fp32[n]', '--arg', 'y:fp32[n]:inout'];
  const refused = await gpulab(...valid);
  assert.equal(refused.code, NO_DEVICE, refused.stderr);
  assert.match(refused.stderr, /needs a CUDA device/);
  const wrong = await gpulab(...valid, '--bytes', '12 * m');
  assert.match(wrong.stderr, /kernel\/bytes: not the name of an axis at character 6 of "12 \* m"/);
  const argument = await gpulab('--arg', 'x');
  assert.equal(argument.code, USAGE);
  assert.match(argument.stderr, /--arg: 'x' must be NAME:TYPE\[COUNT\]/);
  const axes = await gpulab('--arg', 'n:i32=8', '--arg', 'image:texture<fp32>[n; n]:wrap,mirror:normalized', '--arg', 'y:fp32[n]:out', '--expect', 'y=p.k', '--arg', 'p:{k k:i32=1}');
  assert.match(axes.stderr, /kernel\/arguments\/2\/expected: It has the fields of structures by their names, which must be names as C has them/);
  const output = join(place.folder, 'y.bin');
  writeFileSync(output, new Float32Array(1000));
  const varying = await gpulab(...valid, '--expect', `y=@${output}`);
  assert.match(varying.stderr, /kernel\/arguments\/3\/expected_data: The given elements have 4000 bytes, but 'y' has 2000 elements of 4 bytes for n 2000/);
  const saved = await gpulab('--arg', 'n:i32=1000', ...valid.slice(2), '--expect', `y=@${output}`);
  assert.deepEqual([saved.code, /needs a CUDA device/.test(saved.stderr)], [NO_DEVICE, true], saved.stderr);
  const missing = await gpulab(...valid, '--expect', `y=@${output}.not`);
  assert.deepEqual([missing.code, missing.stderr], [USAGE, `gpulab: ${output}.not: cannot be read: No such file or directory\n`]);
  const folder = await place.gpulab(['kernel', place.folder, ...valid, '--runtime', 'host', '--no-save']);
  assert.deepEqual([folder.code, folder.stderr], [USAGE, `gpulab: ${place.folder}: cannot be read: Is a directory\n`]);
  const help = await place.gpulab(['kernel', '--help']);
  assert.equal(help.code, SUCCESS);
  assert.match(help.stdout, /--reference-file/);
});

test('an edited source is compared with the original', async (t) => {
  const { place, file } = placeWithSource(t);
  const refused = await place.gpulab(['run', 'transpose', '--edit', `padded=${file}`, '--runtime', 'host', '--no-save']);
  assert.equal(refused.code, NO_DEVICE, refused.stderr);
  assert.match(refused.stderr, /kernel: An own kernel needs a CUDA device/);
  const step = await place.gpulab(['run', 'transpose', '--edit', `fast=${file}`, '--runtime', 'host', '--no-save']);
  assert.match(step.stderr, /'edits' must be transpose\/STEP with one of the steps copy, naive/);
  const form = await place.gpulab(['run', 'transpose', '--edit', 'padded', '--runtime', 'host', '--no-save']);
  assert.match(form.stderr, /--edit: 'padded' must be STEP=FILE/);
});

test('a run is printed with the axes of its kernel', async (t) => {
  const { place } = placeWithSource(t);
  const kernel = { source: '// x', grid: 'n', block: 1, arguments: [{ name: 'n', kind: 'scalar', type: 'i32', value: [1000, 2000] }] };
  await withLab({}, async (lab) => {
    const at = new Date(Date.UTC(2026, 0, 1));
    const error = { type: '/problems/x', title: 'Rejected', detail: 'Why.', messages: [{ severity: 'error', line: 3, column: 7, text: 'expected a ;' }] };
    const measurement = (n) => ({ metric: 'time', unit: 's', axes: { n }, samples: [n * 1e-6, n * 1e-6] });
    const lines = linesOf({ at, experiment: 'kernel', parameters: { n: [1000, 2000] }, kernel, output: 'hello from 7\n', error }, [measurement(1000), measurement(2000)]);
    assert.equal((await importInto(lab, lines)).json.imported, 1);
    const shown = await place.gpulab(['show', 'latest', '--server', lab.address]);
    assert.equal(shown.code, SUCCESS, shown.stderr);
    assert.match(shown.stdout, /\bn\b/);
    assert.match(shown.stdout, /^3:7: error: expected a ;$/m);
    assert.match(shown.stdout, /^Printed:\nhello from 7$/m);
    assert.match(shown.stdout, /2000\s+2(\.0+)? ms/);
  });
});
