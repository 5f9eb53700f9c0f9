// What a test of a lab says when it fails: harness/lab.mjs.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder, withLab } from '../harness/lab.mjs';

const harness = new URL('../harness/lab.mjs', import.meta.url);

/** What the reporters of Node print of a test that runs `body` with the lab `lab` and fails. */
function reports(body) {
  const folder = temporaryFolder(), file = join(folder, 'made_up.test.mjs');
  writeFileSync(file, `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withLab } from '${harness}';
test('made up', () => withLab({}, async (lab) => { lab.log += 'a line of the log\\n'; ${body} }));
`);
  const { NODE_TEST_CONTEXT, ...env } = process.env; // set, it makes Node write what the process of this test would read
  return ['spec', 'tap'].map((reporter) => {
    const { status, stdout } = spawnSync(process.execPath, ['--test', `--test-reporter=${reporter}`, file], { encoding: 'utf8', env });
    assert.equal(status, 1, stdout);
    return stdout;
  });
}

test('an assertion that fails in withLab is printed, and the end of the lab\'s log', () => {
  for (const report of reports('assert.equal(42, 43);')) {
    assert.match(report, /42 !== 43/);
    assert.match(report, /made_up\.test\.mjs:4:/);
    assert.match(report, /-- the end of the log of the lab \d+:\n *a line of the log\n/);
  }
});

test('so is an error of a request to a lab that has ended, and how it ended', () => {
  for (const report of reports("lab.child.kill('SIGKILL'); await lab.ended; await lab.get('/api/v1/runs');")) {
    assert.match(report, /connect ECONNREFUSED/);
    assert.match(report, /gpulab serve ended with .*"signal":"SIGKILL"/);
    assert.match(report, /-- the end of the log of the lab \d+:\n *a line of the log\n/);
  }
});

test('an error contains the log once, and at most 100 lines of it', async () => {
  const failing = withLab({ env: { GPULAB_HOST_FAULT: 'wrong-result' } }, async (lab) => {
    lab.log = Array.from({ length: 200 }, (_, line) => `line ${line}\n`).join('');
    await lab.complete();
  });
  const { message, stack } = await failing.catch((error) => error);
  for (const text of [message, stack]) {
    assert.match(text, /run is failed, not succeeded/);
    assert.equal(text.match(/the end of the log/g).length, 1);
    assert.match(text, /^line 199$/m);
    assert.ok(text.match(/^line \d+$/gm).length <= 100);
  }
});
