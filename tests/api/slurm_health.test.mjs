// deploy/examples/slurm-health.sh, with stand-ins for gpulab, scontrol and logger.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Place } from '../harness/cli.mjs';
import { environment } from '../harness/lab.mjs';

const script = resolve(dirname(fileURLToPath(import.meta.url)), '../../deploy/examples/slurm-health.sh');
const unhealthy = 'echo "warning: A: d2h is low"; echo "failure: A: h2d is 8 GB/s"; echo "unhealthy: 1 failure"; exit 1';

/** Runs the script with stand-ins for gpulab, scontrol and logger and returns its code, what it logged, and its
 * changes. */
function checkNode(t, { gpulab, reason = '', env = {} }) {
  const place = new Place(t), log = join(place.folder, 'log'), changes = join(place.folder, 'changes');
  const programs = {
    gpulab: `[ "$1 $2" = "health --quick" ] || exit 2\n${gpulab}`,
    logger: `printf '%s\\n' "\${@: -1}" >>'${log}'`,
    scontrol: `case "$*" in "--oneliner show node n1") echo 'NodeName=n1 State=IDLE Comment=none${reason && ` Reason=${reason} [root@2026-11-23T10:00:00]`}' ;; *) printf '%s|' "$@" >>'${changes}' ;; esac`,
  };
  for (const [name, text] of Object.entries(programs)) {
    writeFileSync(join(place.temporary, name), `#!/bin/bash\n${text}\n`);
    chmodSync(join(place.temporary, name), 0o755);
  }
  writeFileSync(log, '');
  writeFileSync(changes, '');
  const variables = { PATH: `${place.temporary}:${process.env.PATH}`, SLURMD_NODENAME: 'n1', GPULAB_HEALTH_SETTINGS: '/nonexistent', ...env };
  const { status: code } = spawnSync('bash', [script], { env: environment(place.folder, variables) });
  return { code, log: readFileSync(log, 'utf8'), changes: readFileSync(changes, 'utf8') };
}

const drain = { GPULAB_HEALTH_DRAIN: 'yes' };

test('slurm-health.sh logs the verdict and drains nothing by default', (t) => {
  const found = checkNode(t, { gpulab: unhealthy });
  assert.deepEqual([found.code, found.changes], [0, '']);
  assert.match(found.log, /^failure: A: h2d is 8 GB\/s$/m);
});

test('slurm-health.sh drains an unhealthy node where the site wants it, and fails as a prolog', (t) => {
  const drained = 'update|NodeName=n1|State=DRAIN|Reason=gpulab: A: h2d is 8 GB/s|';
  const found = checkNode(t, { gpulab: unhealthy, env: drain });
  assert.deepEqual([found.code, found.changes], [0, drained]);
  const prolog = checkNode(t, { gpulab: unhealthy, env: { ...drain, SLURM_JOB_ID: '7' } });
  assert.deepEqual([prolog.code, prolog.changes], [1, drained]);
  const again = checkNode(t, { gpulab: unhealthy, reason: 'gpulab: A: memory is slow', env: drain });
  assert.equal(again.changes, drained);
});

test('slurm-health.sh keeps the reason of others, and drains neither healthy nodes nor without a verdict', (t) => {
  const kept = checkNode(t, { gpulab: unhealthy, reason: 'disk is full', env: drain });
  assert.deepEqual([kept.code, kept.changes], [0, '']);
  assert.match(kept.log, /^n1 is not drained, because it has a reason: disk is full/m);
  for (const gpulab of ['echo "healthy: 0 failures"', 'echo "gpulab: no device" >&2; exit 3', 'exit 5', 'exec sleep 60']) {
    const found = checkNode(t, { gpulab, env: { ...drain, SLURM_JOB_ID: '7', GPULAB_HEALTH_TIMEOUT_S: gpulab.includes('sleep') ? '1' : '60' } });
    assert.deepEqual([found.code, found.changes], [0, ''], gpulab);
    assert.notEqual(found.log, '', gpulab);
  }
});
