// A lab of many machines, which are this one: a script stands for ssh, and each machine has a HOME of its own, to which
// the lab copies its worker (worker=auto). Times of the start and of a sweep over all machines; then ten machines are
// lost while they measure, and come back.
//
//   GPULAB_BUILD=build/release node tests/bench/fleet.mjs        # 100 machines: takes 1.5 GB of disk and 2 GB of memory
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { childrenOf, Lab, small, temporaryFolder, until } from '../harness/lab.mjs';
import { cpuSeconds, figure, main, residentMebibytes } from './figure.mjs';

/** Runs the last word of its command line as the host before it, whose folder is in $FLEET; one with a file HOST.off
 * does not answer. Devices get the host's name, because all machines have the same ones, and locks of their own. */
const ssh = `#!/bin/bash
host=\${@: -2:1} command=\${@: -1}
[[ " $* " == *" -O "* ]] && exit 0
[ -e "$FLEET/$host.off" ] && { echo "ssh: connect to host $host port 22: No route to host" >&2; exit 255; }
export HOME=$FLEET/$host
unset XDG_CACHE_HOME
[[ $command == *"gpulab-worker' '--runtime'"* ]] || exec sh -c "$command"
sed -u "s/\\"host-0-$host-/\\"host-0-/g" | sh -c "$command --lock-dir '$HOME/locks'" | sed -u "s/\\"host-0-/\\"host-0-$host-/g"
`;

/** A run that pauses most of the time, so that many are in progress at once on few cores. */
const slow = (seconds) => ({ ...small, max_bytes: 65536, factor: 2, min_samples: 20, max_samples: 20, max_noise: 0, rest_s: seconds / 100, time_budget_s: 600 });

const nodesOf = async (lab) => (await lab.get('/api/v1/nodes')).json.nodes;
const count = (list, member, value) => list.filter((each) => each[member] === value).length;

async function startFleet(machines) {
  const folder = temporaryFolder(), names = Array.from({ length: machines }, (_, at) => `m${at + 1}`);
  writeFileSync(join(folder, 'ssh'), ssh);
  chmodSync(join(folder, 'ssh'), 0o755);
  writeFileSync(join(folder, 'nodes'), names.map((name) => `ssh ${name} worker=auto\n`).join(''));
  for (const name of names) mkdirSync(join(folder, name));
  const lab = await Lab.start({ folder, args: ['--nodes', join(folder, 'nodes')], env: { PATH: `${folder}:${process.env.PATH}`, FLEET: folder } });
  return { lab, folder, names };
}

/** Starts a run on each machine; resolves with the path of the sweep's runs. */
async function sweep(lab, names, parameters) {
  const answer = await lab.post('/api/v1/sweeps', { experiment: 'transfer', parameters, nodes: names });
  assert.equal(answer.status, 202, answer.text);
  return answer.json.runs;
}

async function runsAt(lab, path) {
  const runs = [];
  for (let next = path; next;) {
    const answer = await lab.get(next);
    runs.push(...answer.json.runs);
    next = /<([^>]+)>; rel="next"/.exec(answer.headers.link ?? '')?.[1];
  }
  return runs;
}

/** Waits until no run at `path` is queued or running, but for `left` of them; resolves with the runs. */
const ended = (lab, path, left = 0) => until(async () => {
  const runs = await runsAt(lab, path);
  return count(runs, 'status', 'queued') + count(runs, 'status', 'running') === left && runs;
}, 'the runs have ended', 600);

/** The words of the command line of a process; none when it has ended. */
function wordsOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch {
    return [];
  }
}

/** Kills what runs on machines: the processes that the lab has started for them, with theirs. */
function lose({ lab, folder }, names) {
  names.forEach((name) => writeFileSync(join(folder, `${name}.off`), ''));
  for (const pid of childrenOf(lab.pid))
    if (names.includes(wordsOf(pid).at(-3))) process.kill(-pid, 'SIGKILL'); // the lab has made it the leader of a group
}

const seconds = (began) => (performance.now() - began) / 1000;

export async function fleet({ machines = 100, lost = 10, run_s = 20 } = {}) {
  let began = performance.now();
  const fleetOf = await startFleet(machines), { lab, names } = fleetOf;
  await until(async () => count(await nodesOf(lab), 'state', 'idle') === machines, 'all machines are known', 600);
  const started_s = seconds(began);

  began = performance.now();
  const first = await ended(lab, await sweep(lab, names, small));
  const swept_s = seconds(began);
  assert.equal(count(first, 'status', 'succeeded'), machines);

  const cutPath = await sweep(lab, names, slow(run_s)), waitingPath = await sweep(lab, names, small);
  await until(async () => count(await nodesOf(lab), 'state', 'running') === machines, 'all machines measure', 600);
  const memory = residentMebibytes(lab.pid), files = readdirSync(`/proc/${lab.pid}/fd`).length;
  await until(async () => (await runsAt(lab, cutPath)).every(({ progress }) => progress?.done > 0), 'each has a result', 600);
  const gone = names.slice(0, lost);
  began = performance.now();
  lose(fleetOf, gone);
  await until(async () => count(await runsAt(lab, cutPath), 'status', 'failed') === lost, 'the loss is recorded', 120);
  const noticed_s = seconds(began);
  const cut = await ended(lab, cutPath);
  assert.equal(count(cut, 'status', 'succeeded'), machines - lost);
  for (const { id, status, host } of cut.filter(({ status }) => status === 'failed')) {
    assert.ok(gone.includes(host), `${host}: ${status}`);
    const run = await lab.run(id);
    assert.deepEqual([run.error.type, run.measurements.length > 0], ['/problems/worker-died', true]);
  }

  // The next runs of the lost machines wait for them; those of the others do not.
  const waiting = await ended(lab, waitingPath, lost);
  assert.deepEqual(waiting.filter(({ status }) => status === 'queued').map(({ host }) => host).sort(), [...gone].sort());
  const held = await until(async () => {
    const nodes = (await nodesOf(lab)).filter(({ state }) => state === 'held');
    return nodes.length === lost && nodes;
  }, 'the lost machines are held', 120);
  held.forEach(({ state_reason: reason }) => assert.match(reason, /No route to host/));
  gone.forEach((name) => rmSync(join(fleetOf.folder, `${name}.off`)));
  began = performance.now();
  assert.equal(count(await ended(lab, waitingPath), 'status', 'succeeded'), machines);
  const back_s = seconds(began), used_s = cpuSeconds(lab.pid);

  const stopped = await lab.stop();
  assert.equal(stopped.code, 0);
  rmSync(fleetOf.folder, { recursive: true });
  return [
    figure('start until all machines are idle, with the copies', started_s, 's'),
    figure('a sweep with a short run on each machine', swept_s, 's'),
    figure('until the loss of machines is recorded', noticed_s, 's'),
    figure('until machines that are back have done their runs', back_s, 's'),
    figure('memory of the server', memory, 'MiB', 100 + machines),
    figure('open files of the server', files, 'files', 64 + 8 * machines),
    figure('CPU of the server, all together', used_s, 's'),
    figure('stop', stopped.seconds, 's'),
  ];
}

await main(import.meta.url, fleet);
