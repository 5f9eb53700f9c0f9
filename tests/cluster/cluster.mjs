// The cluster in which cluster.sh runs this process: its nodes, and what can happen to them.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { until } from '../harness/lab.mjs';

const folder = process.env.CLUSTER;
if (!folder) throw new Error('no cluster: tests/cluster/cluster.sh node --test tests/cluster/*.test.mjs');
const script = join(dirname(fileURLToPath(import.meta.url)), 'cluster.sh');

/** Runs a command and returns its output. */
export const output = (command, ...args) => execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });

/** The id of the first process of node K. */
const firstProcess = (k) => Number(readFileSync(join(folder, `node.${k}`), 'utf8'));

const namespaceOf = (pid) => readlinkSync(`/proc/${pid}/ns/pid`);

/** The ids of the processes of node K that run `program`. */
export function processesOf(k, program) {
  const namespace = namespaceOf(firstProcess(k));
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name)).filter((pid) => {
    try {
      return namespaceOf(pid) === namespace && readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === program;
    } catch {
      return false; // it ended meanwhile
    }
  }).map(Number);
}

export const workersOf = (k) => processesOf(k, 'gpulab-worker');

export const cutNetwork = (k) => output('ip', 'link', 'set', `h${k}`, 'down');
export const joinNetwork = (k) => output('ip', 'link', 'set', `h${k}`, 'up');
export function powerOff(k) {
  cutNetwork(k); // else the kernel would close the connections of the processes
  process.kill(firstProcess(k), 'SIGKILL');
}
export const powerOn = (k) => output(script, 'power-on', `${k}`);
/** Starts the daemon of node K, sshd or slurmd, again. */
export const startDaemon = (k, daemon) => output('nsenter', '--net', '--uts', '--mount', '--pid', '--target', `${firstProcess(k)}`, script, `start-${daemon}`, `${k}`);
export const kill = (k, program) => processesOf(k, program).forEach((pid) => process.kill(pid, 'SIGKILL'));

/** The file of --nodes for the cluster's nodes, all reached by one transport. */
export function writeNodes(path, transport) {
  const ssh = `option=IdentityFile=${folder}/user_key option=UserKnownHostsFile=${folder}/known_hosts`;
  writeFileSync(path, transport === 'slurm' ? 'slurm lab\n' : [1, 2, 3].map((k) => `ssh node${k} ${ssh}\n`).join(''));
}

/** Waits until Slurm's nodes are all idle and it has no job. */
export async function untilIdle() {
  await until(() => output('squeue', '--noheader') === '' && output('sinfo', '--noheader', '--Node', '--states=idle', '--format=%N').trim().split('\n').length === 3,
    'the cluster is idle', 60);
}

/** The number of ssh processes on the controller. */
export const sshConnections = () => readdirSync('/proc').filter((name) => /^\d+$/.test(name)).filter((pid) => {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === 'ssh';
  } catch {
    return false; // it ended meanwhile
  }
}).length;
