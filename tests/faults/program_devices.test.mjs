// What a program leaves behind on a device: where the device no longer answers as it should, the next run on it begins
// with the health check, and a device that fails it stops the run.
import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { build, execute, small, temporaryFolder, withLab } from '../harness/lab.mjs';

/** A worker whose devices have a fault while the file `bad` exists. */
function faultyWorker(folder, fault) {
  const bad = join(folder, 'bad'), path = join(folder, 'worker');
  writeFileSync(path, `#!/bin/sh\n[ -e ${bad} ] && export GPULAB_HOST_FAULT=${fault}\nexec ${join(build, 'gpulab-worker')} "$@"\n`, { mode: 0o755 });
  return { path, break: () => writeFileSync(bad, ''), repair: () => rmSync(bad) };
}

/** Executes a program with `gpulab program`; the run. */
async function executed(lab, folder, body) {
  const file = join(folder, 'main.c');
  writeFileSync(file, `int main(void) { ${body} }\n`);
  const { stdout, stderr } = await execute('gpulab', ['program', file, '--json', '--db', lab.database], { folder, timeout_s: 120 });
  assert.notEqual(stdout, '', stderr);
  return JSON.parse(stdout);
}

for (const fault of ['launch', 'wrong-result'])
  test(`after a program with the fault ${fault} the next run begins with the health check`, async () => {
    const folder = temporaryFolder(), worker = faultyWorker(folder, fault);
    await withLab({ args: ['--worker', worker.path, '--worker-idle', '0'] }, async (lab) => {
      worker.break();
      const left = await executed(lab, folder, 'return 3;');
      assert.equal(left.status, 'failed');
      assert.match(left.error.detail, /exited with code 3/);
      assert.match(left.warnings.join('\n'), /after the program, .* does not answer as it should: .+\. The next run on it begins with a health check/);
      const stopped = await lab.reach((await lab.submit(small)).id, 'failed');
      assert.equal(stopped.error.type, '/problems/device-unavailable');
      assert.match(stopped.error.detail, /^Device .+ has failed the quick health check, which runs because a program has left it with an error: /);
      assert.deepEqual(stopped.measurements, []);
      worker.repair();
      const passed = await lab.complete(small);
      assert.match(passed.notes.join('\n'), /has passed the quick health check before this run, because a program had left it with an error/);
      for (const run of [stopped, passed]) assert.ok(!JSON.stringify(run).includes(left.id), 'who may see a run need not know of the other');
      assert.doesNotMatch(((await lab.complete(small)).notes ?? []).join('\n'), /health check/);
    });
  });

test('a run of health ends the suspicion, and programs that fail by themselves cause none', async () => {
  const folder = temporaryFolder(), worker = faultyWorker(folder, 'launch');
  await withLab({ args: ['--worker', worker.path, '--worker-idle', '0'] }, async (lab) => {
    await executed(lab, folder, 'return 3;');
    assert.doesNotMatch(((await lab.complete(small)).notes ?? []).join('\n'), /health check/);
    worker.break();
    await executed(lab, folder, 'return 3;');
    worker.repair();
    const run = await lab.post('/api/v1/runs', { experiment: 'health', preset: 'quick' });
    await lab.reach(run.json.id, 'succeeded');
    assert.doesNotMatch(((await lab.complete(small)).notes ?? []).join('\n'), /health check/);
  });
});
