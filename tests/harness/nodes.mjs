// Labs with several machines: one whose other machines are this one, and for tests of the page documents that are
// answered instead of those of a lab with one machine.
import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, Lab, temporaryFolder } from './lab.mjs';

/** Stands for ssh: runs the command, the last word of the command line, on this machine; the host `gone` does not
 * answer. */
const ssh = `#!/bin/bash
[[ " $* " == *" gone "* ]] && { [ -e "$GONE" ] || { echo "ssh: connect to host gone port 22: No route to host" >&2; exit 255; } }
[[ " $* " == *" -O "* || " $* " == *" -N "* ]] && exit 0
exec bash -c "\${@: -1}"
`;

/** Stands for the worker of another machine: changes the ids of its devices, because this machine has the same ones,
 * and has device locks of its own. */
const worker = (letter) => `#!/bin/bash
sed -u 's/"host-0-${letter}/"host-0-/g' | '${process.env.GPULAB_TEST_WORKER ?? join(build, 'gpulab-worker')}' "$@" --lock-dir "$HOME/locks-${letter}" | sed -u 's/"host-0-/"host-0-${letter}/g'
`;

function program(path, text) {
  writeFileSync(path, text);
  chmodSync(path, 0o755);
}

/** Starts a lab for the test `t` with this machine as `here` and the machines `b`, `c` and `gone`, which is reached
 * when the file `lab.back` exists. */
export async function startMachines(t) {
  const folder = temporaryFolder();
  for (const letter of ['b', 'c', 'd']) program(join(folder, `worker-${letter}`), worker(letter));
  program(join(folder, 'ssh'), ssh);
  writeFileSync(join(folder, 'nodes'), `# the machines of the lab
local name=here
ssh b worker=${folder}/worker-b
ssh user@c.example name=c worker=${folder}/worker-c
ssh gone worker=${folder}/worker-d
`);
  const back = join(folder, 'back');
  const lab = await Lab.start({ folder, args: ['--nodes', join(folder, 'nodes')], env: { PATH: `${folder}:${process.env.PATH}`, GONE: back } });
  lab.back = back;
  t.after(async () => {
    await lab.close();
    rmSync(folder, { recursive: true });
  });
  return lab;
}

/** Starts a lab for the test `t` with the machines of `lines`, which the script above stands for. */
export async function startNodes(t, lines) {
  const folder = temporaryFolder();
  program(join(folder, 'ssh'), ssh);
  writeFileSync(join(folder, 'nodes'), lines);
  const lab = await Lab.start({ folder, args: ['--nodes', join(folder, 'nodes')], env: { PATH: `${folder}:${process.env.PATH}` } });
  t.after(async () => {
    await lab.close();
    rmSync(folder, { recursive: true });
  });
  return lab;
}

/** Stands for the worker of a machine with CUDA devices and NCCL (tests/collectives). */
const groupWorker = (machine, settings = '') => `#!/bin/sh
GPULAB_STAND_IN='${machine}${settings}' exec '${join(build, 'gpulab-group-worker')}' "$@" --host-devices 2
`;

/** Starts a lab for the test `t` whose machines, `here` and `there` with two devices each, execute a run together.
 * `settings` are those of tests/collectives/runtimes.c, by machine. */
export async function startGroup(t, settings = {}) {
  const folder = temporaryFolder();
  program(join(folder, 'worker-here'), groupWorker('here', settings.here));
  program(join(folder, 'worker-there'), groupWorker('there', settings.there));
  program(join(folder, 'ssh'), ssh);
  writeFileSync(join(folder, 'nodes'), `local name=here\nssh there worker=${folder}/worker-there\n`);
  const lab = await Lab.start({
    folder, args: ['--nodes', join(folder, 'nodes'), '--worker', join(folder, 'worker-here')], env: { PATH: `${folder}:${process.env.PATH}` },
  });
  t.after(async () => {
    await lab.close();
    rmSync(folder, { recursive: true });
  });
  return lab;
}

// --- made up
// ---------------------------------------------------------------------------------------------------------------

/** How the machines are reached, in turns. */
const TRANSPORTS = [{ transport: 'local', target: '' }, { transport: 'ssh', target: 'gpu2.example' }, { transport: 'slurm', target: 'gpu' }];

const GIB = 2 ** 30;

/** A GPU like the device `like` of a lab. */
const gpu = (like, node, ordinal, count) => ({
  ...like, id: `GPU-${node}-${ordinal}`, ordinal, backend: 'cuda', name: 'Test GPU', node, telemetry: null, state: 'available', state_reason: null,
  properties: { ...like.properties, total_memory_bytes: 80 * GIB },
  peers: Array.from({ length: count }, (_, other) => ({ id: `GPU-${node}-${other}`, access: true, native_atomics: true, rank: 0, link: 'NVLink x18' }))
    .filter((_, other) => other !== ordinal),
});

/** {nodes, devices} of `count` machines with `gpus` GPUs each; `states` are members of the documents of nodes, by
 * position. */
export async function madeUpNodes(lab, { count, gpus = 2, states = {} }) {
  const { devices: [like], machine } = (await lab.get('/api/v1/devices')).json;
  const nodes = Array.from({ length: count }, (_, at) => {
    const name = `n${at + 1}`;
    return {
      name, ...TRANSPORTS[at % TRANSPORTS.length], state: 'idle', state_reason: null, running: null, queued: 0, machine: { ...machine, name },
      devices: Array.from({ length: gpus }, (__, ordinal) => `GPU-${name}-${ordinal}`), ...states[at],
    };
  });
  const devices = nodes.flatMap(({ name, devices: ids }) => ids.map((_, ordinal) => gpu(like, name, ordinal, ids.length)));
  return { nodes, devices };
}

/** Makes a page see these machines and devices. */
export async function pretendNodes(page, { nodes, devices }) {
  await page.route('**/api/v1/nodes', (route) => route.fulfill({ json: { nodes } }));
  await page.route('**/api/v1/devices', (route) => route.fulfill({ json: { devices, machine: nodes[0].machine } }));
}
